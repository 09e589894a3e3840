package rest

import (
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listCustomers(c *call) error {
	q := &c.query
	filter := model.CustomerFilter{Email: q.text("email", limit.EmailFilter), Tag: q.text("tag", limit.Label),
		UpdatedFrom: q.time("updated_from")}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Customers(c.ctx, q.limit, q.cursor, &filter, nil, nil)
	return list(c, page, err, func(b []byte, m *model.Customer) []byte {
		return wire.AppendCustomer(b, m.Customer, m.Currency)
	})
}
