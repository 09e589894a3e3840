package shopper

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/note"
	"github.com/storefront-go/storefront/ent/db/orderreturn"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

const (
	// dataPage is how many orders are read at once.
	dataPage = 100
	// maxData bounds the orders of a file.
	maxData = 5000
)

// Data returns what the store knows about the person of an account, as JSON in the format of the API: the
// customer, the newest 5,000 orders with the notes of their checkouts and their returns, the sessions and the
// passkeys. What the staff noted for themselves, such as tags, is not part of it.
func (s *Shoppers) Data(ctx context.Context, a *Account) ([]byte, error) {
	shop, err := s.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	sessions, err := s.Sessions(ctx, a)
	if err != nil {
		return nil, err
	}
	passkeys, err := s.Passkeys(ctx, a)
	if err != nil {
		return nil, err
	}
	c := *a.Customer
	c.Note, c.Tags = nil, document.NewTags(nil)
	o := wire.Open(nil)
	o.Str("store", shop.Name)
	o.Time("created_at", micros.Now())
	o.Raw("customer", wire.AppendCustomer(nil, &c, shop.Currency))
	o.TimeOpt("email_marketing_at", c.EmailMarketingAt)
	o.StrOpt("email_marketing_source", (*string)(c.EmailMarketingSource))
	o.Raw("sessions", list(len(sessions), func(b []byte, i int) []byte { return appendSession(b, sessions[i]) }))
	o.Raw("passkeys", list(len(passkeys), func(b []byte, i int) []byte { return appendPasskey(b, passkeys[i]) }))
	if err := s.appendOrders(ctx, a, &o); err != nil {
		return nil, core.Explain("order", err)
	}
	return o.Close(), nil
}

// list returns a JSON array of n values.
func list(n int, add func(b []byte, i int) []byte) []byte {
	b := []byte{'['}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = add(b, i)
	}
	return append(b, ']')
}

func appendSession(b []byte, row *db.ShopperSession) []byte {
	o := wire.Open(b)
	o.Str("browser", row.Agent)
	o.StrOpt("ip_address", row.Address)
	o.Time("created_at", row.ID.Time())
	o.Time("seen_at", row.SeenAt)
	return o.Close()
}

func appendPasskey(b []byte, row *db.ShopperPasskey) []byte {
	o := wire.Open(b)
	o.Str("browser", row.Agent)
	o.Str("host", row.Host)
	o.Time("created_at", row.ID.Time())
	o.TimeOpt("used_at", row.UsedAt)
	return o.Close()
}

func appendReturn(b []byte, row *db.OrderReturn) []byte {
	o := wire.Open(b)
	o.Raw("return", wire.AppendReturn(nil, row))
	o.StrOpt("note", row.Note)
	o.StrOpt("name", row.Name)
	o.StrOpt("email", row.Email)
	return o.Close()
}

// appendOrders adds the orders of an account, with the notes and returns of the shopper.
func (s *Shoppers) appendOrders(ctx context.Context, a *Account, o *wire.Object) error {
	var orders []*db.Order
	var notes []*db.Note
	var returns []*db.OrderReturn
	lines := map[xid.ID][]*db.OrderLine{}
	for next, more := "", true; more && len(orders) < maxData; more = next != "" {
		page, after, err := s.orders(ctx, a, next, dataPage)
		if err != nil {
			return err
		}
		ids := make([]xid.ID, len(page))
		for i, row := range page {
			ids[i] = row.ID
		}
		of, err := s.sales.LinesOf(ctx, page)
		if err != nil {
			return err
		}
		for _, l := range of {
			lines[l.OrderID] = append(lines[l.OrderID], l)
		}
		written, err := s.Client(ctx).Note.Query().Where(note.OrderIDIn(ids...), note.AuthorTypeEQ(viewer.System),
			note.AuthorName(viewer.ShopperName)).Load(ctx)
		if err != nil {
			return err
		}
		asked, err := s.Client(ctx).OrderReturn.Query().Where(orderreturn.OrderIDIn(ids...),
			orderreturn.ByShopper(true)).Load(ctx)
		if err != nil {
			return err
		}
		orders, notes, returns = append(orders, page...), append(notes, written...), append(returns, asked...)
		next = after
	}
	o.Raw("orders", list(len(orders), func(b []byte, i int) []byte {
		row, own := *orders[i], lines[orders[i].ID]
		row.Tags = document.NewTags(nil)
		return wire.AppendOrder(b, &row, len(own), func(i int) *db.OrderLine { return own[i] })
	}))
	o.Raw("returns", list(len(returns), func(b []byte, i int) []byte { return appendReturn(b, returns[i]) }))
	o.Raw("notes", list(len(notes), func(b []byte, i int) []byte {
		return wire.AppendNote(b, notes[i], viewer.ShopperName)
	}))
	return nil
}
