package core

import (
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/model"
)

// CheckAddress validates an address and returns it in stored form, with its country in upper case.
// It returns nil for an absent address.
func CheckAddress(c *Check, name string, in *model.AddressInput) *document.AddressFields {
	if in == nil {
		return nil
	}
	part := func(member string, v *string, limit int) *string {
		Opt(v, func(s string) { c.Line(name+"/"+member, s, limit) })
		return v
	}
	return &document.AddressFields{
		Name:       part("name", in.Name, limit.Line),
		Company:    part("company", in.Company, limit.Line),
		Line1:      *part("line1", &in.Line1, limit.Line),
		Line2:      part("line2", in.Line2, limit.Line),
		City:       *part("city", &in.City, limit.Line),
		Region:     part("region", in.Region, limit.Line),
		PostalCode: part("postal_code", in.PostalCode, limit.PostalCode),
		Country:    c.Country(name+"/country", in.Country),
		Phone:      part("phone", in.Phone, limit.Label),
	}
}
