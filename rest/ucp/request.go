package ucp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/domain/cart"
)

// checkoutInput is the body that creates or changes a session. Members that are absent keep what the
// session has. Members of other extensions are ignored.
type checkoutInput struct {
	Currency  string `json:"currency"`
	LineItems []struct {
		Item struct {
			ID string `json:"id"`
		} `json:"item"`
		Quantity int64 `json:"quantity"`
	} `json:"line_items"`
	Buyer       *buyer `json:"buyer"`
	Fulfillment *struct {
		Methods []methodInput `json:"methods"`
	} `json:"fulfillment"`
	Discounts *struct {
		Codes []string `json:"codes"`
	} `json:"discounts"`
}

// buyer is who buys.
type buyer struct {
	FirstName string          `json:"first_name,omitempty"`
	LastName  string          `json:"last_name,omitempty"`
	FullName  string          `json:"full_name,omitempty"`
	Email     string          `json:"email,omitempty"`
	Phone     string          `json:"phone_number,omitempty"`
	Consent   map[string]bool `json:"consent,omitempty"`
}

// methodInput is a wanted way of fulfillment. One address and one rate hold for the whole order.
type methodInput struct {
	Type         string        `json:"type"`
	Destinations []destination `json:"destinations"`
	Chosen       *string       `json:"selected_destination_id"`
	Groups       []struct {
		Chosen *string `json:"selected_option_id"`
	} `json:"groups"`
}

// destination is a postal address in the form of the protocol.
type destination struct {
	ID         string `json:"id,omitempty"`
	FirstName  string `json:"first_name,omitempty"`
	LastName   string `json:"last_name,omitempty"`
	FullName   string `json:"full_name,omitempty"`
	Street     string `json:"street_address,omitempty"`
	Extended   string `json:"extended_address,omitempty"`
	Locality   string `json:"address_locality,omitempty"`
	Region     string `json:"address_region,omitempty"`
	PostalCode string `json:"postal_code,omitempty"`
	Country    string `json:"address_country,omitempty"`
	Phone      string `json:"phone_number,omitempty"`
}

// wish returns what the body asks for.
func (c *call) wish(in checkoutInput) (w cart.Wish, err error) {
	if in.Currency != "" && in.Currency != c.shop.Currency {
		return w, invalid("This shop sells in " + c.shop.Currency + ".")
	}
	if in.LineItems != nil {
		if w.Lines, err = c.lines(in); err != nil {
			return w, err
		}
	}
	if b := in.Buyer; b != nil {
		w.Buyer = &cart.SessionBuyer{FirstName: b.FirstName, LastName: b.LastName, Email: strings.TrimSpace(b.Email),
			Phone: strings.TrimSpace(b.Phone), Consent: b.Consent}
		if b.FirstName == "" && b.LastName == "" {
			w.Buyer.FirstName = b.FullName
		}
	}
	if in.Discounts != nil {
		w.Codes = append([]string{}, in.Discounts.Codes...)
	}
	if in.Fulfillment != nil && len(in.Fulfillment.Methods) > 0 {
		in.Fulfillment.Methods[0].fill(&w)
	}
	return w, nil
}

// lines resolves the products.
func (c *call) lines(in checkoutInput) ([]cart.Amount, error) {
	if len(in.LineItems) == 0 || len(in.LineItems) > limit.CartLines {
		return nil, invalid("A checkout needs at least one line item, and has a maximum number of them.")
	}
	ids := make([]string, len(in.LineItems))
	for i, l := range in.LineItems {
		if ids[i] = l.Item.ID; l.Quantity < 1 {
			return nil, invalid("A quantity is at least 1.")
		}
	}
	refs, err := c.Carts.References(c.ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]cart.Amount, len(ids))
	for i, id := range ids {
		ref, ok := refs[id]
		if !ok {
			return nil, noProduct()
		}
		list[i] = cart.Amount{ProductRef: ref, Quantity: min(in.LineItems[i].Quantity, limit.CartQuantity+1)}
	}
	return list, nil
}

// noProduct is the answer to a product that is unknown or not sold, whichever it is.
func noProduct() error { return &refusal{400, "product_not_found", "Product not found."} }

// fill sets the address and the rate. A sole address is the chosen one.
func (m methodInput) fill(w *cart.Wish) {
	if m.Destinations != nil {
		w.Destinations = []document.Destination{}
		for _, d := range m.Destinations {
			w.Destinations = append(w.Destinations, d.stored())
		}
		if len(m.Destinations) == 1 && m.Chosen == nil {
			w.Chosen = &w.Destinations[0].ID
		}
	}
	if m.Chosen != nil {
		w.Chosen = m.Chosen
	}
	if i := slices.IndexFunc(m.Groups, func(g struct {
		Chosen *string `json:"selected_option_id"`
	}) bool {
		return g.Chosen != nil
	}); i >= 0 {
		w.Rate = m.Groups[i].Chosen
	}
}

// stored returns the address as a session keeps it, with an id.
func (d destination) stored() document.Destination {
	const idLen = 20
	name := strings.TrimSpace(cmp.Or(d.FullName, d.FirstName+" "+d.LastName))
	return document.Destination{ID: cmp.Or(d.ID, "dest_"+digest.NewToken()[:idLen]), FirstName: d.FirstName,
		LastName: d.LastName, Address: document.AddressFields{Name: orNil(name), Line1: d.Street,
			Line2: orNil(d.Extended), City: d.Locality, Region: orNil(d.Region), PostalCode: orNil(d.PostalCode),
			Country: d.Country, Phone: orNil(d.Phone)}}
}

// destinationOf returns a stored address in the form of the protocol.
func destinationOf(id, first, last string, a *document.AddressFields) destination {
	return destination{ID: id, FirstName: first, LastName: last, FullName: text(a.Name), Street: a.Line1,
		Extended: text(a.Line2), Locality: a.City, Region: text(a.Region), PostalCode: text(a.PostalCode),
		Country: a.Country, Phone: text(a.Phone)}
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
