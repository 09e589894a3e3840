package shopper

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/model"
)

// Returnable reads what of an order its shopper can return.
func (s *Shoppers) Returnable(ctx context.Context, o *db.Order, lines []*db.OrderLine) (*sales.Returnable, error) {
	of, err := s.sales.Returnable(ctx, o, lines)
	return of, core.Explain("order", err)
}

// Return creates a return that the shopper of an order asks for. name is who withdraws from the contract.
func (s *Shoppers) Return(
	ctx context.Context, order xid.ID, way sales.ReturnWay, name string, in model.ReturnInput,
) error {
	if in.Note != nil {
		in.Note = new(core.CleanInput(*in.Note))
	}
	_, err := s.sales.Mutation().OrderReturnRequest(ctx, order, way, core.CleanInput(name), in)
	return core.Explain("order", err)
}

// EmailOrder emails the link to an order to the address with which it was placed. Nothing that it does or
// returns depends on whether the store has such an order. It returns [fault.RateLimited] if the address, the
// network or the store has had enough emails.
func (s *Shoppers) EmailOrder(ctx context.Context, number, email string) error {
	check := &core.Check{}
	email = check.Email("email", core.CleanInput(email))
	wanted, err := strconv.ParseInt(strings.TrimPrefix(core.FoldDigits(strings.TrimSpace(number)), "#"), 10, 64)
	if err != nil {
		check.Add("number", "invalid_format", "This is not the number of an order.")
	}
	if err := check.Err(); err != nil {
		return err
	}
	shop, err := s.openStore(ctx)
	if err != nil {
		return err
	}
	proven, err := notify.Proven(ctx, s.Client(ctx), shop, s.Limits)
	if err != nil {
		return err
	}
	if err := s.charge(ctx, shop, email, proven); err != nil {
		return err
	}
	rows, err := s.Client(ctx).Order.Query().Where(order.Number(wanted)).Load(ctx)
	if err != nil {
		return core.Explain("order", err)
	}
	return s.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		for _, o := range rows {
			if o.Email == nil || !slices.Contains(mailbox.Forms(email), *o.Email) || shop.Test {
				continue
			}
			return nil, s.notifier.Send(ctx, s.Client(ctx), s.orderMail(shop, o, proven))
		}
		return nil, nil
	})
}

// orderMail returns the email with the link to an order, in the language of the order.
func (s *Shoppers) orderMail(shop *db.Store, o *db.Order, proven bool) notify.Email {
	language := shop.Language
	core.Opt(o.Language, func(l state.Language) { language = l })
	texts, number := phrase.In(language), strconv.FormatInt(o.Number, 10)
	address := s.ShopOrigin(shop.Handle, shop.Domain) + link.OrderRoot + s.sales.Links.OrderToken(o.StoreID, o.ID)
	mail := mailTo(shop, *o.Email, proven, func(name string) (subject, body string) {
		return texts.Say(phrase.LinkSubject, number, name), texts.Say(phrase.LinkText, number, name) + "\n\n" + address
	})
	mail.Order = o.ID
	return mail
}
