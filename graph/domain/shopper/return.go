package shopper

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/model"
)

// Returnable reads what of an order its shopper can return.
func (s *Shoppers) Returnable(ctx context.Context, o *db.Order, lines []*db.OrderLine) (*sales.Returnable, error) {
	of, err := s.sales.Returnable(ctx, o, lines)
	return of, core.Explain("order", err)
}

// Return creates a return that the shopper of an order asks for, with photos. name is who withdraws from the
// contract. The error is a [pixel.Fault] if a photo is refused.
func (s *Shoppers) Return(ctx context.Context, order xid.ID, way sales.ReturnWay, name string, in model.ReturnInput,
	photos ...[]byte,
) error {
	if in.Note != nil {
		in.Note = new(core.CleanInput(*in.Note))
	}
	kept, err := s.keepPhotos(ctx, order, photos)
	if err != nil {
		return err
	}
	if _, err = s.sales.Mutation().OrderReturnRequest(ctx, order, way, core.CleanInput(name), in, kept...); err != nil {
		s.sales.DiscardPhotos(ctx, kept)
	}
	return core.Explain("order", err)
}

// photosPerHour are the photos of an order that are decoded within an hour.
const photosPerHour = 50

// keepPhotos stores photos, which cost much to decode, within the rate of an order.
func (s *Shoppers) keepPhotos(ctx context.Context, order xid.ID, photos [][]byte) ([]*images.Upload, error) {
	if len(photos) > limit.Photos {
		return nil, images.ErrPhoto
	}
	for range photos {
		wait, err := ratelimit.Take(ctx, s.Store, ratelimit.Key("photos of an order", order.String()),
			ratelimit.Per(photosPerHour, time.Hour))
		if err != nil {
			return nil, err
		}
		if wait > 0 {
			return nil, &fault.Error{Kind: fault.RateLimited, Detail: "Too many photos. Try again later.",
				RetryAfter: wait}
		}
	}
	return s.sales.KeepPhotos(ctx, photos)
}

// ReturnLabel returns the uploaded label of a return of an order and its bytes.
func (s *Shoppers) ReturnLabel(ctx context.Context, order, id xid.ID) (*db.ReturnFile, []byte, error) {
	return s.sales.ReturnLabel(ctx, order, id)
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
