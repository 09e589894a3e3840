package cart

import (
	"context"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// Contact describes the person who orders.
type Contact struct {
	Email string
	Phone string // may be ""
	// Country is an ISO 3166-1 alpha-2 code. It is required if [View.AsksCountry]; otherwise "" keeps the
	// present one.
	Country string
	// Region is required if the tax of the country depends on it.
	Region string
	VATID  string // may be ""
	// Billing is nil if it is the shipping address, or if there is none.
	Billing *document.AddressFields
	Gift    string // the message of a gift; may be ""
	// Remind says that the shopper wants a reminder if they leave the cart.
	Remind bool
}

// billing begins the names of the members of a billing address in faults.
const billing = "billing_"

// SetDetails sets who orders, and the shipping address in the form of its country, with all required
// members; nil for either keeps it. If the country of the address changes, it removes the chosen shipping
// rate.
func (c *Carts) SetDetails(ctx context.Context, token string, by *Contact, to *document.AddressFields) error {
	v, err := c.View(ctx, token)
	if err != nil {
		return err
	}
	if v == nil {
		return fault.Missing("cart")
	}
	check := &core.Check{}
	var contact *contactEdit
	if by != nil {
		if (by.Billing != nil || by.Gift != "") && !v.Extended {
			return fault.State(fault.InvalidTransition, "The upgrade is not finished (storefront migrate finalize).")
		}
		contact = checkContact(check, v, *by)
	}
	if to != nil {
		to = new(*to)
		v.checkAddress(check, "", to)
	}
	if err := check.Err(); err != nil {
		return err
	}
	if err := c.consult(ctx, v, contact); err != nil {
		return err
	}
	if contact != nil && contact.remind && v.Reminds {
		if contact.remind, err = c.mayAsk(ctx); err != nil {
			return core.Explain("cart", err)
		}
	}
	return c.mustEdit(ctx, token, func(_ context.Context, row *db.Cart, u *db.CartUpdate) error {
		if contact != nil {
			if row.ReachedAt == nil {
				u.SetReachedAt(micros.Now())
			}
			contact.set(u)
			contact.arm(v, row, u)
		}
		if to == nil {
			return nil
		}
		before, err := row.Address.Fields()
		if err != nil {
			return err
		}
		if before == nil || before.Country != to.Country {
			u.ClearRateID()
		}
		u.SetAddress(document.NewAddress(to))
		return nil
	})
}

// contactEdit is a contact that was checked.
type contactEdit struct {
	email, phone, gift  string
	vatID, consultation *string
	place               price.Place
	billing             *document.AddressFields
	remind              bool
}

func checkContact(check *core.Check, v *View, by Contact) *contactEdit {
	e := &contactEdit{email: check.Email("email", core.CleanInput(by.Email)), phone: core.CleanInput(by.Phone),
		gift: core.CleanInput(by.Gift), remind: by.Remind}
	if e.phone != "" {
		check.Line("phone", e.phone, limit.Label)
	}
	if e.gift != "" {
		check.Long("gift", e.gift, limit.GiftMessage)
	}
	e.vatID = selling.CheckVATID(check, "vat_id", new(core.CleanInput(by.VATID)))
	e.place = checkPlace(check, v, by)
	if by.Billing != nil {
		e.billing = new(*by.Billing)
		v.checkAddress(check, billing, e.billing)
	}
	return e
}

// consult asks VIES about a VAT id that it was not asked about before.
func (c *Carts) consult(ctx context.Context, v *View, e *contactEdit) (err error) {
	if e == nil || e.vatID == nil {
		return nil
	}
	if e.consultation = v.VATConsultation; e.consultation == nil || v.VATID != *e.vatID {
		e.consultation, err = c.selling.ConsultVIES(ctx, "vat_id", *e.vatID)
	}
	return err
}

func (e *contactEdit) set(u *db.CartUpdate) {
	u.SetEmail(e.email).ClearPhone().ClearGift().ClearBillingAddress().ClearVatID().ClearVatConsultation()
	if e.phone != "" {
		u.SetPhone(e.phone)
	}
	if e.gift != "" {
		u.SetGift(e.gift)
	}
	if e.billing != nil {
		u.SetBillingAddress(document.NewAddress(e.billing))
	}
	if e.vatID != nil {
		u.SetVatID(*e.vatID).SetNillableVatConsultation(e.consultation)
	}
	if e.place.Country != "" {
		u.SetCountry(e.place.Country).SetRegion(e.place.Region)
	}
}

// checkPlace checks the shopper's country and region as far as the tax depends on them.
func checkPlace(check *core.Check, v *View, by Contact) (p price.Place) {
	asks := v.AsksCountry()
	if p.Country = strings.TrimSpace(by.Country); p.Country == "" {
		if asks {
			check.Required("country", false)
		}
		return p
	}
	p.Country = check.AssignedCountry("country", p.Country)
	if asks && v.Regional(p.Country) {
		p.Region = orEmpty(v.Form(p.Country).region(check, "region", p.Country, &by.Region))
	}
	return p
}

// checkAddress checks and normalizes an address whose members have names that begin with under.
func (v *View) checkAddress(c *core.Check, under string, a *document.AddressFields) {
	v.checkMembers(c, under, a, true)
}

// checkMembers is [View.checkAddress] for an address that may be incomplete unless whole.
func (v *View) checkMembers(c *core.Check, under string, a *document.AddressFields, whole bool) {
	a.Country = c.AssignedCountry(under+"country", strings.TrimSpace(a.Country))
	f := v.Form(a.Country)
	if under != "" {
		f = formOf(a.Country, price.Tax{}) // no tax depends on it
	}
	if !whole {
		f.Region, f.PostalCode = min(f.Region, country.Optional), min(f.PostalCode, country.Optional)
	}
	a.Name = part(c, under+"name", a.Name, whole, limit.Line)
	a.Company = part(c, under+"company", a.Company, false, limit.Line)
	a.Line1 = orEmpty(part(c, under+"line1", &a.Line1, whole, limit.Line))
	a.Line2 = part(c, under+"line2", a.Line2, false, limit.Line)
	a.City = orEmpty(part(c, under+"city", &a.City, whole, limit.Line))
	a.Region = f.region(c, under+"region", a.Country, a.Region)
	a.PostalCode = f.postal(c, under+"postal_code", a.Country, a.PostalCode)
	a.Phone = part(c, under+"phone", a.Phone, false, limit.Label)
}

// incomplete reports whether the address of a session misses members. The pages store none that does.
func (v *View) incomplete() bool {
	if v.Session == nil || v.Address == nil {
		return false
	}
	check, a := &core.Check{}, *v.Address
	v.checkAddress(check, "", &a)
	return check.Err() != nil
}

// part checks a member of an address and returns it trimmed; nil if it is empty.
func part(c *core.Check, name string, v *string, needed bool, most int) *string {
	if v != nil {
		if trimmed := core.CleanInput(*v); trimmed != "" {
			c.Line(name, trimmed, most)
			return &trimmed
		}
	}
	if needed {
		c.Required(name, false)
	}
	return nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// SetDelivery chooses a shipping rate among the present offers, and a payment method among those that the
// store accepts now; nil for either keeps it.
func (c *Carts) SetDelivery(ctx context.Context, token string, rate *string, method *state.PaymentMethod) error {
	v, err := c.View(ctx, token)
	if err != nil {
		return err
	}
	if v == nil {
		return fault.Missing("cart")
	}
	check := &core.Check{}
	if rate != nil && !slices.ContainsFunc(v.Rates, func(o selling.Offer) bool { return o.ID == *rate }) {
		check.Add("rate", fault.UnknownValue, "This option is no longer available.")
	}
	offered := func(m document.PaymentMethod) bool { return m.Kind == *method }
	if method != nil && !slices.ContainsFunc(v.Methods, offered) {
		check.Add("payment", fault.UnknownValue, "This option is no longer available.")
	}
	if err := check.Err(); err != nil {
		return err
	}
	return c.mustEdit(ctx, token, func(_ context.Context, _ *db.Cart, u *db.CartUpdate) error {
		core.Opt(rate, func(s string) { u.SetRateID(s) })
		core.Opt(method, func(m state.PaymentMethod) { u.SetPayment(m) })
		return nil
	})
}
