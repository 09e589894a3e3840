package rest

import (
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// listCustomers is GET /customers.
func (a *API) listCustomers(c *call) error {
	q := &c.query
	filter := model.CustomerFilter{Email: q.text("email", limit.EmailFilter), Tag: q.text("tag", limit.Label),
		UpdatedFrom: q.time("updated_from")}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Customers(c.ctx, q.limit, q.cursor, &filter, nil, nil)
	if err != nil {
		return err
	}
	list(c, page, func(b []byte, m *model.Customer) []byte { return wire.AppendCustomer(b, m.Customer, m.Currency) })
	return nil
}

// list answers with one page: {"data": [...], "next_cursor": ...}. The page ends early if the next
// row would exceed the size limit of an answer.
func list[T any](c *call, page *model.Connection[T], item func([]byte, T) []byte) {
	c.takePage()
	b := c.out
	b = append(b, `{"data":[`...)
	for i, node := range page.Nodes {
		if i > 0 {
			b = append(b, ',')
		}
		before := len(b)
		if b = item(b, node); len(b) > limit.Answer && i > 0 {
			b, page.Next = b[:before-1], page.Sign(page.Nodes[i-1])
			break
		}
	}
	b = append(b, `],"next_cursor":`...)
	if page.Next == "" {
		b = append(b, `null}`...)
	} else {
		b = append(b, '"')
		b = append(b, page.Next...)
		b = append(b, `"}`...)
	}
	c.out = b
}
