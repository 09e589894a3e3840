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
}

// SetContact sets the contact of the cart.
func (c *Carts) SetContact(ctx context.Context, token string, by Contact) error {
	check := &core.Check{}
	email, phone := check.Email("email", core.CleanInput(by.Email)), core.CleanInput(by.Phone)
	if phone != "" {
		check.Line("phone", phone, limit.Label)
	}
	vatID := selling.CheckVATID(check, "vat_id", new(core.CleanInput(by.VATID)))
	v, err := c.View(ctx, token)
	if err != nil {
		return err
	}
	place := checkPlace(check, v, by)
	if err := check.Err(); err != nil {
		return err
	}
	var consultation *string
	if vatID != nil && v != nil {
		if consultation = v.VATConsultation; consultation == nil || v.VATID != *vatID {
			if consultation, err = c.selling.ConsultVIES(ctx, *vatID); err != nil {
				return err
			}
		}
	}
	return c.mustEdit(ctx, token, func(_ context.Context, row *db.Cart, u *db.CartUpdate) error {
		if row.ReachedAt == nil {
			u.SetReachedAt(micros.Now())
		}
		u.SetEmail(email).ClearVatID().ClearVatConsultation()
		if vatID != nil {
			u.SetVatID(*vatID).SetNillableVatConsultation(consultation)
		}
		if place.Country != "" {
			u.SetCountry(place.Country).SetRegion(place.Region)
		}
		if phone == "" {
			u.ClearPhone()
			return nil
		}
		u.SetPhone(phone)
		return nil
	})
}

// checkPlace checks the shopper's country and region as far as the tax depends on them. v is nil if
// there is no cart.
func checkPlace(check *core.Check, v *View, by Contact) (p price.Place) {
	asks := v != nil && v.AsksCountry()
	if p.Country = strings.TrimSpace(by.Country); p.Country == "" {
		if asks {
			check.Required("country", false)
		}
		return p
	}
	p.Country = check.AssignedCountry("country", p.Country)
	if asks && v.Regional(p.Country) {
		p.Region = orEmpty(v.Form(p.Country).region(check, p.Country, &by.Region))
	}
	return p
}

// SetAddress sets the shipping address in the form of its country, with all required members. If
// the country changes, it removes the chosen shipping rate.
func (c *Carts) SetAddress(ctx context.Context, token string, a document.AddressFields) error {
	tax, err := c.selling.CartTax(ctx)
	if err != nil {
		return err
	}
	if err := checkAddress(&a, tax); err != nil {
		return err
	}
	return c.mustEdit(ctx, token, func(_ context.Context, row *db.Cart, u *db.CartUpdate) error {
		before, err := row.Address.Fields()
		if err != nil {
			return err
		}
		if before == nil || before.Country != a.Country {
			u.ClearRateID()
		}
		u.SetAddress(document.NewAddress(&a))
		return nil
	})
}

// checkAddress checks and normalizes an address.
func checkAddress(a *document.AddressFields, tax price.Tax) error {
	c := &core.Check{}
	a.Country = c.AssignedCountry("country", strings.TrimSpace(a.Country))
	f := formOf(a.Country, tax)
	a.Name = part(c, "name", a.Name, true, limit.Line)
	a.Company = part(c, "company", a.Company, false, limit.Line)
	a.Line1 = orEmpty(part(c, "line1", &a.Line1, true, limit.Line))
	a.Line2 = part(c, "line2", a.Line2, false, limit.Line)
	a.City = orEmpty(part(c, "city", &a.City, true, limit.Line))
	a.Region = f.region(c, a.Country, a.Region)
	a.PostalCode = f.postal(c, a.Country, a.PostalCode)
	a.Phone = part(c, "phone", a.Phone, false, limit.Label)
	return c.Err()
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

// SetRate chooses a shipping rate among the present offers.
func (c *Carts) SetRate(ctx context.Context, token, id string) error {
	v, err := c.View(ctx, token)
	if err != nil {
		return err
	}
	if v == nil || !slices.ContainsFunc(v.Rates, func(o selling.Offer) bool { return o.ID == id }) {
		return unknown("rate")
	}
	return c.mustEdit(ctx, token, func(_ context.Context, _ *db.Cart, u *db.CartUpdate) error {
		u.SetRateID(id)
		return nil
	})
}

// SetMethod chooses a payment method among those that the store accepts now.
func (c *Carts) SetMethod(ctx context.Context, token string, kind state.PaymentMethod) error {
	methods, err := c.selling.CartMethods(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(methods, func(m document.PaymentMethod) bool { return m.Kind == kind }) {
		return unknown("payment")
	}
	return c.mustEdit(ctx, token, func(_ context.Context, _ *db.Cart, u *db.CartUpdate) error {
		u.SetPayment(kind)
		return nil
	})
}

// unknown returns the fault for a choice that is not offered.
func unknown(member string) error {
	return fault.Invalid(fault.Field{Pointer: "#/" + member, Code: fault.UnknownValue,
		Detail: "This option is no longer available."})
}
