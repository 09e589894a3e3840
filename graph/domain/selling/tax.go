package selling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/taxsettings"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/lib/vies"
	"github.com/storefront-go/storefront/graph/model"
)

// taxEdit is a change of a store's tax settings.
type taxEdit = change.Edit[*model.TaxSettings, *db.TaxSettingsUpdate]

// taxes returns how the settings change. Their row has the store's id.
func (r *Resolver) taxes() *change.Versioned[*model.TaxSettings, *db.TaxSettingsUpdate] {
	return &change.Versioned[*model.TaxSettings, *db.TaxSettingsUpdate]{
		Kind: xid.Store,
		Load: func(ctx context.Context, _ xid.ID) (*model.TaxSettings, error) { return r.taxSettings(ctx) },
		Head: func(t *model.TaxSettings) change.Head {
			return change.Head{Store: t.StoreID, ID: t.ID, Version: &t.Version, UpdatedAt: &t.TaxSettings.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.TaxSettingsUpdate {
			return r.Client(ctx).TaxSettings.Update().Where(taxsettings.ID(id), taxsettings.Version(version))
		},
	}
}

// TaxSettings returns the tax settings of the viewer's store.
func (q Query) TaxSettings(ctx context.Context) (*model.TaxSettings, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	t, err := q.taxSettings(ctx)
	return t, core.Explain("tax settings", err)
}

// taxSettings reads the settings. A store that never changed them has version 0 and no row.
func (r *Resolver) taxSettings(ctx context.Context) (*model.TaxSettings, error) {
	store := viewer.From(ctx).Store
	rows, err := r.Client(ctx).TaxSettings.Query().Where(taxsettings.ID(store)).Load(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		rows = []*db.TaxSettings{{StoreID: store, ID: store, Rates: document.NewTaxRates(nil),
			ShippingCategory: state.TaxStandard}}
	}
	return &model.TaxSettings{TaxSettings: rows[0]}, nil
}

// VATID returns the VAT id of the viewer's store, nil for none.
func (r *Resolver) VATID(ctx context.Context) (*string, error) {
	t, err := r.taxSettings(ctx)
	if err != nil {
		return nil, core.Explain("tax settings", err)
	}
	return t.VatID, nil
}

// TaxSettingsUpdate replaces the tax settings of the viewer's store.
func (m Mutation) TaxSettingsUpdate(
	ctx context.Context, expectedVersion int64, in model.TaxSettingsInput,
) (*model.TaxSettingsPayload, error) {
	id := xid.Store.Format(viewer.From(ctx).Store)
	t, err := core.Change(ctx, m.Core, m.taxes(), id, expectedVersion, "tax_settings.update",
		func(ctx context.Context, e *taxEdit) error {
			plan, err := checkTaxes(in, e.Row.TaxSettings)
			if err == nil && plan.categorized() {
				err = core.NeedsTaxCategories(ctx)
			}
			if err != nil {
				return err
			}
			plan.set(e)
			if e.Row.Version == 0 && len(e.Changed) > 0 {
				return m.beginTaxes(ctx, e.Row.TaxSettings)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	return &model.TaxSettingsPayload{TaxSettings: t}, nil
}

// beginTaxes creates the row that the first change updates. The second of two concurrent first
// changes fails.
func (m Mutation) beginTaxes(ctx context.Context, t *db.TaxSettings) error {
	err := m.Client(ctx).TaxSettings.Create().SetID(t.ID).SetVersion(0).SetRates(t.Rates).
		SetUpdatedAt(t.ID.Time()).Exec(ctx)
	if ent.IsDuplicate(err) {
		return fault.State(fault.VersionMismatch, "The tax settings were changed in the meantime. Read them again.")
	}
	if err != nil {
		return fmt.Errorf("add tax settings: %w", err)
	}
	return nil
}

// taxPlan are validated tax settings.
type taxPlan struct {
	included   bool
	rates      []document.TaxRate
	categories []document.TaxCategory
	shipping   string // the category
	vatID      *string
	reverse    bool
}

// categorized reports whether the settings say more than a rate of two decimals for each place, for
// every buyer.
func (p *taxPlan) categorized() bool {
	places := map[string]bool{}
	return len(p.categories) > 0 || p.reverse || p.shipping != state.TaxStandard ||
		slices.ContainsFunc(p.rates, func(r document.TaxRate) bool {
			place := placeOf(r)
			again := places[place]
			places[place] = true
			return again || r.Category != state.TaxStandard || r.Relation != state.TaxReplaces ||
				r.PerMillion%document.PerBasisPoint != 0
		})
}

// placeOf returns a key of the country or region of a rate, the same for all spellings.
func placeOf(r document.TaxRate) string {
	place := r.Country + "/"
	core.Opt(r.Region, func(s string) { place += country.Key(r.Country, s) })
	return place
}

func (p *taxPlan) set(e *taxEdit) {
	core.Replace(&e.Changed, &p.included, "prices_include_tax", &e.Row.PricesIncludeTax, e.Update.SetPricesIncludeTax)
	core.MemberDoc(&e.Changed, document.NewTaxRates(p.rates), true, "rates", &e.Row.Rates, e.Update.SetRates, nil)
	core.MemberDoc(&e.Changed, document.NewTaxCategories(p.categories), true, "categories", &e.Row.Categories,
		e.Update.SetCategories, e.Update.ClearCategories)
	core.MemberOpt(&e.Changed, core.Given(p.vatID), "vat_id", &e.Row.VatID, e.Update.SetVatID, e.Update.ClearVatID)
	core.Replace(&e.Changed, &p.reverse, "reverse_charge", &e.Row.ReverseCharge, e.Update.SetReverseCharge)
	core.Replace(&e.Changed, &p.shipping, "shipping_category", &e.Row.ShippingCategory, e.Update.SetShippingCategory)
}

// checkTaxes validates the settings, which follow those in before. Countries that its rates name may
// stay.
func checkTaxes(in model.TaxSettingsInput, before *db.TaxSettings) (*taxPlan, error) {
	c := &core.Check{}
	if !checkCount(c, "rates", len(in.Rates), limit.TaxRates) {
		return nil, c.Err()
	}
	old, err := before.Rates.List()
	if err != nil {
		return nil, err
	}
	own, err := before.Categories.List()
	if err != nil {
		return nil, err
	}
	p := &taxPlan{included: in.PricesIncludeTax, rates: make([]document.TaxRate, len(in.Rates)), categories: own,
		shipping: before.ShippingCategory}
	if in.Categories != nil {
		p.categories = checkCategories(c, in.Categories, own)
	}
	p.vatID, p.reverse = before.VatID, before.ReverseCharge
	if in.VatID != nil {
		p.vatID = CheckVATID(c, "vat_id", in.VatID)
	}
	core.Opt(in.ReverseCharge, func(on bool) { p.reverse = on })
	if p.reverse {
		c.Required("vat_id", p.vatID != nil)
	}
	core.Opt(in.ShippingCategory, func(key string) { p.shipping = key })
	p.checkCategory(c, "shipping_category", p.shipping)
	kept := make([]string, len(old))
	for i, r := range old {
		kept[i] = r.Country
	}
	for i, r := range in.Rates {
		p.rates[i] = checkTax(c, "rates/"+strconv.Itoa(i)+"/", r, kept)
		p.checkCategory(c, "rates/"+strconv.Itoa(i)+"/category", p.rates[i].Category)
	}
	checkPlaces(c, p.rates)
	return p, c.Err()
}

// CheckVATID checks a VAT id and returns it in its official form; nil for none.
func CheckVATID(c *core.Check, name string, text *string) *string {
	if text == nil || *text == "" {
		return nil
	}
	id, _, ok := country.VATID(*text)
	if !ok {
		c.Add(name, fault.InvalidFormat, "This is not a VAT id of a country of the European Union.")
	}
	return &id
}

// ConsultVIES asks whether the VAT id of a buyer from another country was issued. It returns the number
// of the consultation, nil if only the form of the id is known to be right. The fault has the given name.
func (r *Resolver) ConsultVIES(ctx context.Context, name, id string) (*string, error) {
	t, err := r.taxSettings(ctx)
	if err != nil || r.VIES.Base == "" || !t.ReverseCharge || t.VatID == nil || id[:2] == (*t.VatID)[:2] {
		return nil, core.Explain("tax settings", err)
	}
	number, err := r.VIES.Check(ctx, id, *t.VatID)
	switch {
	case errors.Is(err, vies.ErrUnknown):
		c := &core.Check{}
		c.Add(name, fault.InvalidFormat, "VIES, the register of the European Union, does not know this VAT id.")
		return nil, c.Err()
	case err != nil:
		r.Logger.WarnContext(ctx, "a VAT id is judged by its form alone", slog.Any("error", err))
		return nil, nil
	}
	return &number, nil
}

// checkPlaces checks that a place has each tax once for a category, and not too many.
func checkPlaces(c *core.Check, rates []document.TaxRate) {
	type tax struct{ place, name, category string }
	seen, count := map[tax]bool{}, map[tax]int{}
	for i, r := range rates {
		of, all := tax{placeOf(r), r.Name, r.Category}, tax{place: placeOf(r), category: r.Category}
		if count[all]++; count[all] > limit.TaxesOfPlace {
			c.Add("rates/"+strconv.Itoa(i)+"/country", fault.TooLong, "A place can have at most "+
				strconv.Itoa(limit.TaxesOfPlace)+" taxes of one category.")
		}
		if seen[of] {
			c.Add("rates/"+strconv.Itoa(i)+"/country", fault.Taken,
				"Another rate of this name and category covers this place.")
		}
		seen[of] = true
	}
}

// checkCategories validates the store's own categories. One that exists may get another name and
// cannot be removed, since products refer to it.
func checkCategories(c *core.Check, in []*document.TaxCategory, before []document.TaxCategory) []document.TaxCategory {
	if !checkCount(c, "categories", len(in), limit.TaxCategories) {
		return nil
	}
	list, seen := make([]document.TaxCategory, len(in)), map[string]bool{}
	for i, t := range in {
		list[i] = *t
		at := "categories/" + strconv.Itoa(i) + "/"
		switch {
		case len(t.Key) > limit.TaxCategory || !categoryKey.MatchString(t.Key):
			c.Add(at+"key", fault.InvalidFormat, "Use 1 to 40 lowercase letters, digits and underscores.")
		case seen[t.Key] || slices.Contains(state.TaxCategories, t.Key):
			c.Add(at+"key", fault.Taken, "Another category has this key.")
		}
		seen[t.Key] = true
		c.Line(at+"name", t.Name, limit.Label)
	}
	for _, t := range before {
		if !seen[t.Key] {
			c.Add("categories", fault.Required, "The category "+t.Key+" cannot be removed.")
		}
	}
	return list
}

var categoryKey = regexp.MustCompile(`^[a-z0-9_]+$`)

// checkCategory checks that the store has a category.
func (p *taxPlan) checkCategory(c *core.Check, name, key string) {
	if !slices.Contains(state.TaxCategories, key) &&
		!slices.ContainsFunc(p.categories, func(t document.TaxCategory) bool { return t.Key == key }) {
		c.Add(name, fault.UnknownValue, "The store has no such tax category.")
	}
}

// checkTax validates one rate. An ISO 3166-2 region is stored by its code, however it was written;
// others, such as a customs enclave, by name.
func checkTax(c *core.Check, at string, r *model.TaxRateInput, kept []string) document.TaxRate {
	rate := document.TaxRate{Country: c.AssignedCountry(at+"country", r.Country, kept...), Region: r.Region,
		Name: r.Name, Category: cmp.Or(r.Category, state.TaxStandard),
		Relation: cmp.Or(r.Relation, state.TaxReplaces), Shipping: r.Shipping}
	c.Line(at+"name", r.Name, limit.Label)
	switch {
	case r.Rate != nil && r.BasisPoints != nil:
		c.Add(at+"basis_points", fault.OutOfRange, "A rate has percent or basis points, not both.")
	case r.Rate != nil:
		n, ok := document.ParsePercent(*r.Rate)
		if !ok {
			c.Add(at+"rate", fault.InvalidFormat, "Use percent with at most 4 decimals, such as 8.875.")
		}
		c.Within(at+"rate", n, 0, price.Million)
		rate.PerMillion, rate.BasisPoints = n, n/document.PerBasisPoint
	case r.BasisPoints != nil:
		c.Within(at+"basis_points", *r.BasisPoints, 0, limit.BasisPoints)
		rate.PerMillion, rate.BasisPoints = *r.BasisPoints*document.PerBasisPoint, *r.BasisPoints
	default:
		c.Required(at+"rate", false)
	}
	core.Opt(r.Region, func(s string) {
		c.Line(at+"region", s, limit.Line)
		if known, ok := country.Find(rate.Country, s); ok {
			rate.Region = &known.Code
		}
	})
	return rate
}
