package selling

import (
	"context"
	"fmt"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/taxsettings"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/country"
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
		rows = []*db.TaxSettings{{StoreID: store, ID: store, Rates: document.NewTaxRates(nil)}}
	}
	return &model.TaxSettings{TaxSettings: rows[0]}, nil
}

// TaxSettingsUpdate replaces the tax settings of the viewer's store.
func (m Mutation) TaxSettingsUpdate(
	ctx context.Context, expectedVersion int64, in model.TaxSettingsInput,
) (*model.TaxSettingsPayload, error) {
	id := xid.Store.Format(viewer.From(ctx).Store)
	t, err := core.Change(ctx, m.Core, m.taxes(), id, expectedVersion, "tax_settings.update",
		func(ctx context.Context, e *taxEdit) error {
			rates, err := checkTaxes(in, e.Row.Rates)
			if err != nil {
				return err
			}
			core.Replace(&e.Changed, &in.PricesIncludeTax, "prices_include_tax", &e.Row.PricesIncludeTax,
				e.Update.SetPricesIncludeTax)
			core.MemberDoc(&e.Changed, document.NewTaxRates(rates), true, "rates", &e.Row.Rates, e.Update.SetRates, nil)
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

// checkTaxes validates rates, one per place, and returns them in stored form. Countries that the
// rates before name may stay.
func checkTaxes(in model.TaxSettingsInput, before document.TaxRates) ([]document.TaxRate, error) {
	c := &core.Check{}
	if !checkCount(c, "rates", len(in.Rates), limit.TaxRates) {
		return nil, c.Err()
	}
	old, err := before.List()
	if err != nil {
		return nil, err
	}
	kept := make([]string, len(old))
	for i, r := range old {
		kept[i] = r.Country
	}
	rates, seen := make([]document.TaxRate, len(in.Rates)), map[string]bool{}
	for i, r := range in.Rates {
		rates[i] = checkTax(c, "rates/"+strconv.Itoa(i)+"/", r, kept)
		place := rates[i].Country + "/"
		core.Opt(rates[i].Region, func(s string) { place += country.Key(rates[i].Country, s) })
		if seen[place] {
			c.Add("rates/"+strconv.Itoa(i)+"/country", fault.Taken, "Another rate covers this place.")
		}
		seen[place] = true
	}
	return rates, c.Err()
}

// checkTax validates one rate. An ISO 3166-2 region is stored by its code, however it was written;
// others, such as a customs enclave, by name.
func checkTax(c *core.Check, at string, r *model.TaxRateInput, kept []string) document.TaxRate {
	rate := document.TaxRate{Country: c.AssignedCountry(at+"country", r.Country, kept...), Region: r.Region,
		Name: r.Name, BasisPoints: r.BasisPoints, Shipping: r.Shipping}
	c.Line(at+"name", r.Name, limit.Label)
	c.Within(at+"basis_points", r.BasisPoints, 0, limit.BasisPoints)
	core.Opt(r.Region, func(s string) {
		c.Line(at+"region", s, limit.Line)
		if known, ok := country.Find(rate.Country, s); ok {
			rate.Region = &known.Code
		}
	})
	return rate
}
