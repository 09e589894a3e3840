package selling

import (
	"context"

	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/model"
)

// Countries returns the codes of all countries.
func (Query) Countries(context.Context) ([]string, error) { return country.Codes(), nil }

// Country returns a country with the regions that its addresses name, nil for an unknown code.
func (Query) Country(_ context.Context, code string) (*model.Country, error) {
	if !country.Assigned(code) {
		return nil, nil
	}
	c := &model.Country{Code: code, Regions: []*model.Region{}}
	for _, r := range country.Regions(code) {
		c.Regions = append(c.Regions, &model.Region{Code: r.Code, Name: r.Name, Written: r.Written("en")})
	}
	return c, nil
}
