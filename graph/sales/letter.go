package sales

import (
	"context"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/graph/link"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/notify"
	"github.com/storefront-go/storefront/graph/ordermail"
	"github.com/storefront-go/storefront/graph/selling"
)

// tell writes the mails that a shopper gets of what happened to their order, in the
// transaction in which it does. Only whoever bought at the storefront gets any: others,
// such as those of an import, may have heard of it elsewhere.
func (m Mutation) tell(ctx context.Context, o *model.Order, events []event.Type, tracking []string) error {
	if o.CartID == nil || o.Email == nil || !m.Notifier.Sends() {
		return nil
	}
	for _, t := range events {
		if !ordermail.Tells(t) {
			continue
		}
		if err := m.mail(ctx, o, t, tracking); err != nil {
			return fmt.Errorf("write to a shopper: %w", err)
		}
	}
	return nil
}

// mail writes one mail; a test store writes to no shopper.
func (m Mutation) mail(ctx context.Context, o *model.Order, t event.Type, tracking []string) error {
	s, err := m.CurrentStore(ctx)
	if err != nil || s.Test { // who buys in a test store may be nobody, or somebody else
		return err
	}
	about := ordermail.Order{Order: o.Order, Shop: s.Name, Tracking: tracking,
		URL: m.StoreOrigin(s.Handle) + link.OrderRoot + m.Links.OrderToken(o.StoreID, o.ID)}
	for _, l := range o.Lines {
		about.Lines = append(about.Lines, l.OrderLine)
	}
	if about.Instructions, err = m.instructions(ctx, o.Order); err != nil {
		return err
	}
	words, err := ordermail.Compose(t, about)
	if err != nil {
		return err
	}
	return m.Notifier.Send(ctx, m.Client(ctx), notify.Letter{To: *o.Email, Of: o.StoreID, From: s.Name,
		Subject: words.Subject, Body: words.Text, HTML: words.HTML})
}

// instructions are those of the way in which an order is paid, as they are now.
func (m Mutation) instructions(ctx context.Context, o *db.Order) (string, error) {
	if o.PaymentMethod == nil {
		return "", nil
	}
	methods, err := selling.New(m.Core).CartMethods(ctx)
	for _, method := range methods {
		if method.Kind == *o.PaymentMethod {
			return method.Instructions, nil
		}
	}
	return "", err
}

// tracked is where a shipment is, as far as anybody said.
func tracked(in model.FulfillInput) (lines []string) {
	var words []string
	for _, s := range []*string{in.Carrier, in.TrackingNumber} {
		if s != nil {
			words = append(words, *s)
		}
	}
	if len(words) > 0 {
		lines = append(lines, strings.Join(words, " "))
	}
	if in.TrackingURL != nil {
		lines = append(lines, *in.TrackingURL)
	}
	return lines
}

// news are the events of a change that a shopper may hear of. That the rest of an order was
// refunded makes it fulfilled, too, but nothing was sent then.
func (e *orderEdit) news() (types []event.Type) {
	for _, entry := range e.Events {
		sent := entry.Type == event.OrderFulfilled || entry.Type == event.OrderPartiallyFulfilled
		if !sent || e.shipment != nil {
			types = append(types, entry.Type)
		}
	}
	return types
}
