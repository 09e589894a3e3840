// Package cart holds the operations of shoppers: they fill a cart, enter contact and address, and
// order. A cart is also its checkout; it becomes at most one order.
package cart

import (
	"context"
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/cartline"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/change"
)

// Life is how long a cart is kept after its last change, in seconds.
const Life = 30 * 24 * 60 * 60

// Carts holds the operations on carts. Its methods use the store of the viewer of ctx, a
// [viewer.Shopper], and the cart of a token, which is in the shopper's cookie; "" if there is no
// cart yet.
type Carts struct {
	*core.Core
	sales   *sales.Resolver
	selling *selling.Resolver
}

// New returns the carts.
func New(c *core.Core, s *sales.Resolver, l *selling.Resolver) *Carts { return &Carts{c, s, l} }

// expiry returns when a cart that changes now expires.
func expiry(now micros.Time) micros.Time { return now + Life*1_000_000 }

// find returns the cart of a token unless it was ordered, or nil.
func (c *Carts) find(ctx context.Context, token string) (*db.Cart, error) {
	row, err := c.findAny(ctx, token)
	if err != nil || row == nil || row.OrderID != nil {
		return nil, err
	}
	return row, nil
}

// findAny returns the cart of a token, or nil.
func (c *Carts) findAny(ctx context.Context, token string) (*db.Cart, error) {
	sum, ok := digest.OfToken(token)
	if !ok {
		return nil, nil
	}
	rows, err := c.Client(ctx).Cart.Query().
		Where(dbcart.Token(sum), dbcart.ExpiresAtGT(micros.Now())).Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// edit changes the cart of a token in one transaction, and reports whether there is one. It writes
// the cart's row first, so concurrent changes of a cart run one after the other and none is lost.
func (c *Carts) edit(
	ctx context.Context, token string, f func(context.Context, *db.Cart, *db.CartUpdate) error,
) (found bool, err error) {
	sum, ok := digest.OfToken(token)
	if !ok {
		return false, nil
	}
	err = c.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		if found, err = c.lock(ctx, sum); !found || err != nil {
			return nil, err
		}
		row, err := c.find(ctx, token)
		if err != nil || row == nil {
			return nil, err
		}
		u := c.Client(ctx).Cart.Update().Where(dbcart.ID(row.ID))
		if err := f(ctx, row, u); err != nil {
			return nil, err
		}
		if m := u.Mutation(); len(m.Fields())+len(m.AddedFields())+len(m.ClearedFields()) == 0 {
			return nil, nil // only lines have changed
		}
		_, err = u.Save(ctx)
		return nil, err
	})
	return found, err
}

// lock writes the row of a cart that was not ordered, and reports whether there is one.
func (c *Carts) lock(ctx context.Context, sum digest.Sum) (bool, error) {
	now := micros.Now()
	n, err := c.Client(ctx).Cart.Update().
		Where(dbcart.Token(sum), dbcart.OrderIDIsNil(), dbcart.ExpiresAtGT(now)).
		AddVersion(1).SetUpdatedAt(now).SetExpiresAt(expiry(now)).Save(ctx)
	return n > 0, err
}

// mustEdit is edit for a cart that must exist.
func (c *Carts) mustEdit(
	ctx context.Context, token string, f func(context.Context, *db.Cart, *db.CartUpdate) error,
) error {
	found, err := c.edit(ctx, token, f)
	if err == nil && !found {
		err = fault.Missing("cart")
	}
	return err
}

// Add adds units of a product to the cart, which must name the variant if the product has options.
// It fails if the line would exceed [limit.CartQuantity]. It returns the token, which is new if
// there was no cart. If the cart is an order that awaits payment, it reopens the cart, see
// [Carts.Reopen].
func (c *Carts) Add(ctx context.Context, token string, of ProductRef, quantity int64) (string, error) {
	check := &core.Check{}
	check.Within("quantity", quantity, 1, limit.CartQuantity)
	if err := check.Err(); err != nil {
		return "", err
	}
	g, err := c.productItem(ctx, of)
	if err != nil {
		return "", err
	}
	return c.fill(ctx, token, func(ctx context.Context, row *db.Cart, u *db.CartUpdate) error {
		return c.put(ctx, row, u, g, quantity)
	})
}

// AddAll is [Carts.Add] for the lines of a former order, as far as they can be bought: it skips the
// others and reports whether there were any. It returns the former token if nothing can be bought.
func (c *Carts) AddAll(ctx context.Context, token string, list []Amount) (kept string, skipped bool, err error) {
	shop, err := c.CurrentStore(ctx)
	if err != nil {
		return "", false, core.Explain("store", err)
	}
	refs := make([]ProductRef, len(list))
	for i, l := range list {
		refs[i] = l.ProductRef
	}
	items, _, err := c.items(ctx, shop, refs)
	if err != nil {
		return "", false, core.Explain("product", err)
	}
	if len(items) == 0 {
		return token, true, nil
	}
	kept, err = c.fill(ctx, token, func(ctx context.Context, row *db.Cart, u *db.CartUpdate) error {
		skipped = false
		for _, l := range list {
			g := items[l.ProductRef]
			if g == nil {
				skipped = true
				continue
			}
			err := c.put(ctx, row, u, g, min(l.Quantity, limit.CartQuantity))
			if _, full := errors.AsType[*fault.Error](err); full {
				skipped = true
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	return kept, skipped, err
}

// fill changes the cart of a token, or a new one, and returns its token.
func (c *Carts) fill(
	ctx context.Context, token string, add func(context.Context, *db.Cart, *db.CartUpdate) error,
) (string, error) {
	found, err := c.edit(ctx, token, add)
	if found || err != nil {
		return token, err
	}
	if again, err := c.reopens(ctx, token); err != nil {
		return "", err
	} else if again {
		return token, c.mustEdit(ctx, token, add)
	}
	token = digest.NewToken()
	if err := c.begin(ctx, token); err != nil {
		return "", err
	}
	return token, c.mustEdit(ctx, token, add)
}

// begin creates an empty cart.
func (c *Carts) begin(ctx context.Context, token string) error {
	sum, _ := digest.OfToken(token)
	return c.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		now := micros.Now()
		err := c.Client(ctx).Cart.Create().SetToken(sum).SetBucket(bucket.Of(viewer.From(ctx).Store)).
			SetUpdatedAt(now).SetExpiresAt(expiry(now)).Exec(ctx)
		if err != nil {
			return nil, fmt.Errorf("begin a cart: %w", err)
		}
		return nil, nil
	})
}

// put adds units to a line, or adds a line. The cart's row must be locked.
func (c *Carts) put(ctx context.Context, row *db.Cart, u *db.CartUpdate, g *item, quantity int64) error {
	same := cartline.And(cartline.CartID(row.ID), cartline.ProductID(g.product.ID), cartline.VariantID(g.variant.ID))
	lines, err := c.Client(ctx).CartLine.Query().Where(same).Load(ctx)
	if err != nil {
		return err
	}
	if len(lines) > 0 {
		check, sum := &core.Check{}, lines[0].Quantity+quantity
		if check.Within("quantity", sum, 1, limit.CartQuantity); check.Err() != nil {
			return check.Err()
		}
		return c.Client(ctx).CartLine.Update().Where(same).SetQuantity(sum).Exec(ctx)
	}
	if row.LinesCount >= limit.CartLines {
		return fault.State(fault.LimitReached, "The cart is full. It has the maximum number of different products.")
	}
	row.LinesCount++
	u.AddLinesCount(1)
	return c.Client(ctx).CartLine.Create().SetCartID(row.ID).SetProductID(g.product.ID).SetVariantID(g.variant.ID).
		SetQuantity(quantity).SetPriceMinor(g.unit).SetAddedAt(micros.Now()).Exec(ctx)
}

// Edit is a change of a cart by its shopper.
type Edit struct {
	Lines []Amount
	// Note is the shopper's note for the order, "" for none; nil keeps the present one.
	Note *string
}

// Amount is the new quantity of a line; 0 removes the line.
type Amount struct {
	ProductRef
	Quantity int64
}

// Save changes a cart in one transaction and returns its discount code. It ignores lines that no
// longer exist.
func (c *Carts) Save(ctx context.Context, token string, in Edit) (code string, err error) {
	check := &core.Check{}
	for _, l := range in.Lines {
		check.Within("quantity", l.Quantity, 0, limit.CartQuantity)
	}
	if in.Note != nil && *in.Note != "" {
		check.Long("note", *in.Note, limit.CartNote)
	}
	if err := check.Err(); err != nil {
		return "", err
	}
	err = c.mustEdit(ctx, token, func(ctx context.Context, row *db.Cart, u *db.CartUpdate) error {
		code = ""
		core.Opt(row.Code, func(s string) { code = s })
		switch {
		case in.Note == nil:
		case *in.Note == "":
			u.ClearNote()
		default:
			u.SetNote(*in.Note)
		}
		for _, l := range in.Lines {
			if err := c.setLine(ctx, row, u, l); err != nil {
				return err
			}
		}
		return nil
	})
	return code, err
}

// setLine sets the quantity of a line. The cart's row must be locked.
func (c *Carts) setLine(ctx context.Context, row *db.Cart, u *db.CartUpdate, l Amount) error {
	same := cartline.And(cartline.CartID(row.ID), cartline.ProductID(l.Product), cartline.VariantID(l.variant()))
	if l.Quantity > 0 {
		return c.Client(ctx).CartLine.Update().Where(same).SetQuantity(l.Quantity).Exec(ctx)
	}
	n, err := c.Client(ctx).CartLine.Delete().Where(same).Exec(ctx)
	if n > 0 {
		u.AddLinesCount(-n)
	}
	return err
}

// SetLine is [Carts.Save] for one line.
func (c *Carts) SetLine(ctx context.Context, token string, of ProductRef, quantity int64) error {
	_, err := c.Save(ctx, token, Edit{Lines: []Amount{{of, quantity}}})
	return err
}

// SetNote is [Carts.Save] for the note.
func (c *Carts) SetNote(ctx context.Context, token, note string) error {
	_, err := c.Save(ctx, token, Edit{Note: &note})
	return err
}

// SetCode sets a discount code; "" removes it. A code that this shopper cannot use now is refused
// with [fault.DiscountUnavailable], whatever the reason.
func (c *Carts) SetCode(ctx context.Context, token, code string) error {
	return c.mustEdit(ctx, token, func(ctx context.Context, row *db.Cart, u *db.CartUpdate) error {
		if code == "" {
			u.ClearCode()
			return nil
		}
		d, err := c.selling.DiscountByCode(ctx, code, buyer(row))
		if err != nil {
			return err
		}
		if d == nil {
			return fault.State(fault.DiscountUnavailable, "The discount is not available.")
		}
		u.SetCode(d.Code)
		return nil
	})
}

// buyer returns what is known about the person who orders the cart.
func buyer(row *db.Cart) (by selling.Buyer) {
	core.Opt(row.Email, func(s string) { by.Email = s })
	return by
}
