package sales

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderNotice says which notice the store's staff get about a new order.
type OrderNotice int

// Kinds of notices.
const (
	NoNotice   OrderNotice = iota // no notice: the store has had enough of them
	OneOrder                      // a notice of this order
	ManyOrders                    // a notice of many orders, which names this one
)

// quietBytes bounds the memory for the stores whose notices pause.
const (
	quietBytes = 1 << 20
	quietSize  = 64
)

// NewOrderNotice counts a new order of the viewer's store and returns which notice it gets: each of up
// to [limit.OrderNews] orders an hour gets one, and then once an hour a notice says that there are
// more. Call it outside the transaction of the order. While a store's notices pause, its orders are
// not counted, so a busy store pays nothing.
func (r *Resolver) NewOrderNotice(ctx context.Context) (OrderNotice, error) {
	store := viewer.From(ctx).Store
	if test, err := r.TestStore(ctx); err != nil || test {
		return NoNotice, err
	}
	if until, ok := r.quiet.Get(store); ok && micros.Now() < until {
		return NoNotice, nil
	}
	wait, err := r.countNews(ctx, "news of an order", limit.OrderNews)
	if err != nil || wait == 0 {
		return OneOrder, err
	}
	r.quiet.Put(store, micros.Now().Add(wait), quietSize)
	if wait, err = r.countNews(ctx, "news of many orders", 1); err != nil || wait > 0 {
		return NoNotice, err
	}
	return ManyOrders, nil
}

func (r *Resolver) countNews(ctx context.Context, what string, most int64) (time.Duration, error) {
	return ratelimit.Take(ctx, r.Store, ratelimit.Key(what, viewer.From(ctx).Store.String()),
		ratelimit.Per(most, time.Hour))
}

// announce writes the notice of a new order and its emails to staff, in the transaction of the
// order.
func (m Mutation) announce(ctx context.Context, o *model.Order, kind OrderNotice) error {
	if kind == NoNotice {
		return nil
	}
	notice := notify.Notice{Level: state.NotificationInfo, Kind: xid.Order, ID: o.ID,
		Topic: state.AlertOrder,
		Title: "New order #" + strconv.FormatInt(o.Number, 10), Body: summary(o)}
	if kind == ManyOrders {
		notice.Title = "Many new orders, the latest #" + strconv.FormatInt(o.Number, 10)
		notice.Body = "More than " + strconv.Itoa(limit.OrderNews) + " orders came in within an hour. Emails about " +
			"each order are paused until orders slow down. The dashboard lists all orders."
	}
	return m.Notifier.Append(viewer.Operator(ctx, o.StoreID), m.Store, notice)
}

// announceMoney writes the notices of payments and refunds, in the transaction of the change. Who
// made it gets no email.
func (m Mutation) announceMoney(ctx context.Context, e *orderEdit, events []event.Type) error {
	number, amount := strconv.FormatInt(e.Number, 10), phrase.In(state.English).Money(e.details.amount, e.Currency)
	for _, kind := range events {
		notice := notify.Notice{Level: state.NotificationInfo, Kind: xid.Order, ID: e.ID}
		switch kind {
		case event.OrderPaid, event.OrderPartiallyPaid:
			notice.Topic, notice.Title = state.AlertPayment, "Payment for order #"+number
			notice.Body = amount + " was paid. "
		case event.OrderRefunded:
			notice.Topic, notice.Title = state.AlertRefund, "Refund of order #"+number
			notice.Body = amount + " was refunded. "
		default:
			continue
		}
		notice.Body += "The order is " + core.Words(e.FinancialStatus) + "."
		if v := viewer.From(ctx); v.IsPerson() {
			notice.Except = v.Actor
		}
		if err := m.Notifier.Append(viewer.Operator(ctx, e.StoreID), m.Store, notice); err != nil {
			return err
		}
	}
	return nil
}

// summaryLines is how many lines of an order its notice lists.
const summaryLines = 10

// summary lists what was ordered, without anything about the shopper.
func summary(o *model.Order) string {
	texts := phrase.In(state.English)
	var b strings.Builder
	for i, l := range o.Lines {
		if i == summaryLines {
			b.WriteString("… and " + strconv.Itoa(len(o.Lines)-i) + " more lines\n")
			break
		}
		b.WriteString(strconv.FormatInt(l.Quantity, 10) + " × " + clipped(l.Title) + "\n")
	}
	b.WriteString("\nTotal: " + texts.Money(o.TotalMinor, o.Currency))
	if o.PaidAt != nil {
		return b.String() + ", paid"
	}
	return b.String() + ", not paid yet"
}

// titleLen is the longest title in a notice, in characters.
const titleLen = 100

func clipped(title string) string {
	if runes := []rune(title); len(runes) > titleLen {
		return string(runes[:titleLen]) + "…"
	}
	return title
}
