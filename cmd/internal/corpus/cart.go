package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// ShippingMinor is the cost of shipping in a store of [Sell], whatever the order.
const ShippingMinor = 490

// cartLines is how many lines a cart of [Carts] has, each with one unit.
const cartLines = 3

// products is how many different products the carts contain.
const products = 2000

// Carts creates carts that are ready to be placed, with the email address of a customer.
type Carts struct {
	store *ent.Store
	shop  xid.ID
	rate  string
	made  int
	// items are products without options, with enough stock.
	items []item
}

type item struct {
	id    xid.ID
	price int64
}

// Ready is a cart that is ready to be placed.
type Ready struct {
	Token string
	Total int64
}

// Sell finds products of a store, which must ship to Germany at the given rate.
func Sell(ctx context.Context, s *ent.Store, shop xid.ID, rate string) (*Carts, error) {
	c := &Carts{store: s, shop: shop, rate: rate}
	rows, err := s.Raw().QueryContext(ctx, "SELECT id, price_minor FROM products WHERE store_id = ? AND "+
		"inventory_quantity > ? ORDER BY id LIMIT ?", shop[:], inStock/2, products)
	if err != nil {
		return nil, fmt.Errorf("find products: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var w item
		if err := rows.Scan(&w.id, &w.price); err != nil {
			return nil, fmt.Errorf("find products: %w", err)
		}
		c.items = append(c.items, w)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("find products: %w", err)
	}
	if len(c.items) < cartLines {
		return nil, errors.New("the store has too few products to sell")
	}
	return c, nil
}

// Make creates n carts.
func (c *Carts) Make(ctx context.Context, n int) (list []Ready, err error) {
	list = make([]Ready, n)
	return list, admin(ctx, c.store, "make carts", func(conn *sql.Conn) error {
		carts := newBulk(conn, "carts", "store_id", "id", "token", "bucket", "expires_at", "version", "updated_at",
			"lines_count", "email", "address", "rate_id", "payment", "reached_at")
		lines := newBulk(conn, "cart_lines", "store_id", "cart_id", "id", "product_id", "variant_id", "quantity",
			"price_minor", "added_at")
		for i := range list {
			if list[i], err = c.add(ctx, carts, lines); err != nil {
				return err
			}
		}
		return errors.Join(carts.flush(ctx), lines.flush(ctx))
	})
}

func (c *Carts) add(ctx context.Context, carts, lines *bulk) (Ready, error) {
	ready := Ready{Token: digest.NewToken(), Total: ShippingMinor}
	sum, _ := digest.OfToken(ready.Token)
	id := xid.New()
	now := id.Time()
	c.made++
	for i := range cartLines {
		w, line := c.items[(c.made*13+i)%len(c.items)], xid.New()
		ready.Total += w.price
		err := lines.add(ctx, c.shop[:], id[:], line[:], w.id[:], w.id[:], 1, w.price, int64(now)+int64(i))
		if err != nil {
			return ready, err
		}
	}
	email := fmt.Sprintf("buyer-%d@example.com", c.made%customers)
	return ready, carts.add(ctx, c.shop[:], id[:], sum[:], bucket.Of(c.shop), int64(now.Add(24*time.Hour)), 1,
		int64(now), cartLines, email, []byte(addressText), c.rate, string(state.PaymentTransfer), int64(now))
}
