package cart

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/cartline"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/change"
)

// Bounds of a session.
const (
	maxDestinations = 5
	maxCodes        = 5
	maxPurposes     = 10
	maxSession      = 48 << 10 // bytes
)

// Wish is what a program wants its session to hold. Nil members keep what the session has.
type Wish struct {
	// Lines are all lines. Of two with the same product, the quantities add up.
	Lines []Amount
	Buyer *SessionBuyer
	// Destinations replaces the addresses if it is not nil, and Chosen names the one to ship to.
	Destinations []document.Destination
	Chosen       *string
	// Rate is the wanted shipping rate. One that is not offered is left out.
	Rate *string
	// Codes are discount codes. The first one that this shopper can use counts.
	Codes []string
}

// SessionBuyer is who buys, as the program says. Every text may be "".
type SessionBuyer struct {
	FirstName, LastName, Email, Phone string
	Consent                           map[string]bool
}

// BeginSession creates a cart for a program, with an id and the token that belongs to it.
func (c *Carts) BeginSession(ctx context.Context, id xid.ID, token string, w Wish) error {
	if !c.Store.Uses(ent.CustomFields) { // the previous release would take incomplete addresses for complete ones
		return fault.State(fault.InvalidTransition, "The upgrade is not finished (storefront migrate finalize).")
	}
	sum, _ := digest.OfToken(token)
	return c.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		now := micros.Now()
		err := c.Client(ctx).Cart.Create().SetID(id).SetToken(sum).SetBucket(bucket.Of(viewer.From(ctx).Store)).
			SetUpdatedAt(now).SetExpiresAt(expiry(now)).SetSession(document.NewSession(document.SessionFields{})).
			Exec(ctx)
		if err != nil {
			return nil, fault.Wrap("begin a session", err)
		}
		return nil, c.ChangeSession(ctx, token, w)
	})
}

// ChangeSession changes a session in one transaction: everything or nothing. It returns
// [fault.OutOfStock] for more than the stock, NotFound for products that are not sold, and
// [fault.InvalidTransition] for a session that was canceled.
func (c *Carts) ChangeSession(ctx context.Context, token string, w Wish) error {
	if err := w.check(); err != nil {
		return err
	}
	return c.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		var s *document.SessionFields
		err := c.mustEdit(ctx, token, func(ctx context.Context, row *db.Cart, u *db.CartUpdate) (err error) {
			if s, err = openSession(row); err != nil {
				return err
			}
			if w.Lines != nil {
				err = c.setLines(ctx, row, u, w.Lines)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if err := c.setParties(ctx, token, s, w); err != nil {
			return nil, err
		}
		if err := c.setTerms(ctx, token, s, w); err != nil {
			return nil, err
		}
		return nil, c.record(ctx, token, s)
	})
}

// openSession returns what a program said in a session that it can still change.
func openSession(row *db.Cart) (*document.SessionFields, error) {
	s, err := row.Session.Fields()
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return nil, fault.Missing("cart")
	case s.Canceled:
		return nil, fault.State(fault.InvalidTransition, "The checkout was canceled.")
	case s.HandedOver: // a change could redirect what the shopper is about to pay
		return nil, fault.State(fault.InvalidTransition, "The shopper continues this checkout on the pages of the shop.")
	}
	return s, nil
}

// check checks what the program wrote, as far as nothing else does.
func (w Wish) check() error {
	check := &core.Check{}
	if b := w.Buyer; b != nil {
		line(check, "first_name", b.FirstName)
		line(check, "last_name", b.LastName)
		check.Within("consent", int64(len(b.Consent)), 0, maxPurposes)
		for purpose := range b.Consent {
			line(check, "consent", purpose)
		}
	}
	check.Within("destinations", int64(len(w.Destinations)), 0, maxDestinations)
	for _, d := range w.Destinations {
		line(check, "id", d.ID)
		line(check, "first_name", d.FirstName)
		line(check, "last_name", d.LastName)
	}
	check.Within("codes", int64(len(w.Codes)), 0, maxCodes)
	for _, code := range w.Codes {
		line(check, "codes", code)
	}
	return check.Err()
}

func line(check *core.Check, name, text string) {
	if text != "" {
		check.Line(name, text, limit.Line)
	}
}

// setLines makes the lines the cart's. The cart's row must be locked.
func (c *Carts) setLines(ctx context.Context, row *db.Cart, u *db.CartUpdate, list []Amount) error {
	store, err := c.CurrentStore(ctx)
	if err != nil {
		return core.Explain("store", err)
	}
	items, _, err := c.items(ctx, store, core.Map(list, func(a Amount) ProductRef { return a.ProductRef }))
	if err != nil {
		return core.Explain("product", err)
	}
	wanted, order := map[xid.ID]int64{}, []Amount(nil)
	for _, a := range list {
		if items[a.ProductRef] == nil {
			return fault.Missing("product")
		}
		if wanted[a.variant()] == 0 {
			order = append(order, a)
		}
		wanted[a.variant()] += a.Quantity
	}
	rows, err := c.Client(ctx).CartLine.Query().Where(cartline.CartID(row.ID)).Load(ctx)
	if err != nil {
		return err
	}
	for _, l := range rows {
		if wanted[l.VariantID] == 0 {
			if err := c.setLine(ctx, row, u, Amount{ProductRef: ProductRef{l.ProductID, l.VariantID}}); err != nil {
				return err
			}
			row.LinesCount--
		}
	}
	for _, a := range order {
		a.Quantity = wanted[a.variant()]
		if err := c.setAmount(ctx, row, u, items[a.ProductRef], a, rows); err != nil {
			return err
		}
	}
	return nil
}

// setAmount sets the quantity of a line, or adds the line.
func (c *Carts) setAmount(
	ctx context.Context, row *db.Cart, u *db.CartUpdate, g *item, a Amount, present []*db.CartLine,
) error {
	if g.short(a.Quantity) != nil {
		return fault.State(fault.OutOfStock, "Insufficient stock of "+g.product.Title+".")
	}
	check := &core.Check{}
	if check.Within("quantity", a.Quantity, 1, limit.CartQuantity); check.Err() != nil {
		return check.Err()
	}
	if slices.ContainsFunc(present, func(l *db.CartLine) bool { return l.VariantID == a.variant() }) {
		return c.setLine(ctx, row, u, a)
	}
	return c.put(ctx, row, u, g, a.Quantity)
}

// setParties sets who buys and where the order goes, as far as the program says.
func (c *Carts) setParties(ctx context.Context, token string, s *document.SessionFields, w Wish) error {
	v, err := c.View(ctx, token)
	if err != nil {
		return err
	}
	if w.Destinations != nil {
		s.Destinations, s.Chosen = w.Destinations, ""
	}
	if w.Chosen != nil {
		s.Chosen = *w.Chosen
	}
	if b := w.Buyer; b != nil {
		s.FirstName, s.LastName, s.Email, s.Phone = b.FirstName, b.LastName, b.Email, b.Phone
		if b.Consent != nil {
			s.Consent = b.Consent
		}
	}
	to, err := v.destination(s)
	if err != nil {
		return err
	}
	if s.Email != "" && (s.Email != v.Email || s.Phone != v.Phone) {
		by := Contact{Email: s.Email, Phone: s.Phone, Country: v.Country, Region: v.Region}
		if to != nil && by.Country == "" {
			by.Country = to.Country
			core.Opt(to.Region, func(r string) { by.Region = r })
		}
		if err := c.SetDetails(ctx, token, &by, nil); err != nil {
			return err
		}
	}
	if to == nil || w.Destinations == nil && w.Chosen == nil {
		return nil
	}
	return c.mustEdit(ctx, token, func(_ context.Context, _ *db.Cart, u *db.CartUpdate) error {
		if v.Address == nil || v.Address.Country != to.Country {
			u.ClearRateID()
		}
		u.SetAddress(document.NewAddress(to))
		return nil
	})
}

// destination checks and normalizes the addresses of a session, and returns the chosen one or nil.
func (v *View) destination(s *document.SessionFields) (chosen *document.AddressFields, err error) {
	check := &core.Check{}
	for i := range s.Destinations {
		d := &s.Destinations[i]
		name := strings.TrimSpace(cmp.Or(strings.TrimSpace(d.FirstName+" "+d.LastName), s.FirstName+" "+s.LastName))
		to := d.Address
		if to.Name == nil && name != "" {
			to.Name = &name
		}
		v.checkMembers(check, "", &to, false)
		if d.Address = to; d.ID == s.Chosen {
			chosen = &to
		}
	}
	return chosen, check.Err()
}

// setTerms sets the discount code and the shipping rate, as far as the program says.
func (c *Carts) setTerms(ctx context.Context, token string, s *document.SessionFields, w Wish) error {
	if w.Codes != nil {
		s.Codes = w.Codes
		err := c.mustEdit(ctx, token, func(ctx context.Context, row *db.Cart, u *db.CartUpdate) error {
			u.ClearCode()
			for _, code := range w.Codes {
				d, err := c.selling.DiscountByCode(ctx, code, buyer(row))
				if err != nil {
					return err
				}
				if d != nil {
					u.SetCode(d.Code)
					break
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if w.Rate == nil {
		return nil
	}
	v, err := c.View(ctx, token)
	if err != nil || !slices.ContainsFunc(v.Rates, func(o selling.Offer) bool { return o.ID == *w.Rate }) {
		return err
	}
	return c.SetDelivery(ctx, token, w.Rate, nil)
}

// record stores what the program said, and the total that it is going to see.
func (c *Carts) record(ctx context.Context, token string, s *document.SessionFields) error {
	v, err := c.View(ctx, token)
	if err != nil {
		return err
	}
	s.TotalMinor = v.Sums.TotalMinor
	stored := document.NewSession(*s)
	if len(stored) > maxSession {
		return fault.New(fault.PayloadTooLarge, "The buyer and the addresses are too long.")
	}
	return c.mustEdit(ctx, token, func(_ context.Context, _ *db.Cart, u *db.CartUpdate) error {
		u.SetSession(stored)
		return nil
	})
}

// CancelSession ends a session, which then cannot be changed nor ordered.
func (c *Carts) CancelSession(ctx context.Context, token string) error {
	return c.editSession(ctx, token, func(s *document.SessionFields) { s.Canceled = true })
}

// HandOver notes that the shopper opened a session on the pages, and forgets what the program said about
// them: the cart has it, and the shopper may change it. It reports whether there is a session.
func (c *Carts) HandOver(ctx context.Context, token string) (bool, error) {
	v, err := c.View(ctx, token)
	switch {
	case err != nil, v == nil, v.Session == nil:
		return false, err
	case v.Session.HandedOver, !v.Order.IsNil():
		return true, nil
	}
	err = c.editSession(ctx, token, func(s *document.SessionFields) {
		*s = document.SessionFields{Codes: s.Codes, TotalMinor: s.TotalMinor, HandedOver: true}
	})
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return false, nil
	}
	return err == nil, err
}

// SessionSeen notes the total that the program sees.
func (c *Carts) SessionSeen(ctx context.Context, token string, totalMinor int64) error {
	return c.editSession(ctx, token, func(s *document.SessionFields) { s.TotalMinor = totalMinor })
}

func (c *Carts) editSession(ctx context.Context, token string, f func(*document.SessionFields)) error {
	return c.mustEdit(ctx, token, func(_ context.Context, row *db.Cart, u *db.CartUpdate) error {
		s, err := openSession(row)
		if err != nil {
			return err
		}
		f(s)
		u.SetSession(document.NewSession(*s))
		return nil
	})
}

// References returns the products and variants that ids name: public ids, or the reference of a product
// in another system. It leaves out what does not exist.
func (c *Carts) References(ctx context.Context, ids []string) (map[string]ProductRef, error) {
	found, names, some := map[string]ProductRef{}, []string(nil), map[xid.ID]string{}
	for _, id := range ids {
		if product, err := xid.Product.Parse(id); err == nil {
			found[id] = ProductRef{Product: product}
		} else if v, err := xid.Variant.Parse(id); err == nil {
			some[v], found[id] = id, ProductRef{v, v} // a product without options is its own variant
		} else if len(id) <= limit.Bytes(limit.Line) {
			names = append(names, id)
		}
	}
	if len(some) > 0 {
		rows, err := c.Client(ctx).Variant.Query().Where(variant.IDIn(slices.Collect(maps.Keys(some))...)).
			Select(variant.FieldID, variant.FieldProductID).All(ctx)
		if err != nil {
			return nil, core.Explain("product", err)
		}
		for _, row := range rows {
			found[some[row.ID]] = ProductRef{row.ProductID, row.ID}
		}
	}
	if len(names) == 0 {
		return found, nil
	}
	rows, err := c.Client(ctx).Product.Query().Where(product.ExternalReferenceIn(names...)).
		Select(product.FieldID, product.FieldExternalReference).All(ctx)
	if err != nil {
		return nil, core.Explain("product", err)
	}
	for _, row := range rows {
		found[*row.ExternalReference] = ProductRef{Product: row.ID}
	}
	return found, nil
}

// SessionToken returns the one of several tokens that a session has, or "" if it has none.
func (c *Carts) SessionToken(ctx context.Context, id xid.ID, tokens []string) (string, error) {
	rows, err := c.Client(ctx).Cart.Query().Where(dbcart.ID(id), dbcart.SessionNotNil()).Load(ctx)
	if err != nil || len(rows) == 0 {
		return "", core.Explain("cart", err)
	}
	for _, token := range tokens {
		if sum, ok := digest.OfToken(token); ok && sum == rows[0].Token {
			return token, nil
		}
	}
	return "", nil
}
