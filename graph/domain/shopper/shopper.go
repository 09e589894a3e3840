// Package shopper holds the operations on accounts of shoppers: they sign in to one store with an
// emailed code or a passkey, see their orders, and keep their addresses and their consent there.
package shopper

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/shoppersession"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// Lifetimes of a session.
const (
	// Life is the maximum age of a session.
	Life = 90 * 24 * time.Hour
	// idle is how long a session may be unused.
	idle = 30 * 24 * time.Hour
	// seenEvery is how often the last use is recorded at most.
	seenEvery = time.Hour
)

// ErrDisabled says that the store has disabled the customer who signs in.
var ErrDisabled = errors.New("the customer is disabled")

// errChanged says that another transaction changed the customer's row first.
var errChanged = fault.VersionMismatch

// Shoppers holds the operations. Its methods use the store of the viewer of ctx, a
// [viewer.Shopper].
type Shoppers struct {
	*core.Core
	sales    *sales.Resolver
	notifier *notify.Notifier
}

// New returns the operations. Without a notifier nobody can sign in.
func New(c *core.Core, s *sales.Resolver, n *notify.Notifier) *Shoppers { return &Shoppers{c, s, n} }

// Available reports whether shoppers can sign in: the program sends emails.
func (s *Shoppers) Available() bool { return s.notifier.Sends() }

// Account is a signed-in shopper.
type Account struct {
	Customer *db.Customer
	// Email is the address that the shopper proved.
	Email string
	// Session is the id of the session.
	Session xid.ID
}

// Account returns the account of a session's token, nil if there is none. It ends with the customer:
// when the store disables or redacts them, or gives them another email address.
func (s *Shoppers) Account(ctx context.Context, token string) (*Account, error) {
	row, err := s.session(ctx, token)
	if err != nil || row == nil {
		return nil, core.Explain("account", err)
	}
	c, err := s.holder(ctx, row.CustomerID, row.Email)
	if err != nil || c == nil {
		return nil, core.Explain("account", err)
	}
	if now := micros.Now(); row.SeenAt.Add(seenEvery) < now {
		err = s.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
			u := s.Client(ctx).ShopperSession.Update().Where(shoppersession.ID(row.ID)).SetSeenAt(now)
			return nil, u.SetNillableAddress(viewer.OriginOf(ctx).Address()).Exec(ctx)
		})
	}
	return &Account{Customer: c, Email: row.Email, Session: row.ID}, err
}

// session returns the unexpired session of a token, or nil.
func (s *Shoppers) session(ctx context.Context, token string) (*db.ShopperSession, error) {
	sum, ok := digest.OfToken(token)
	if !ok {
		return nil, nil
	}
	now := micros.Now()
	rows, err := s.Client(ctx).ShopperSession.Query().Where(shoppersession.Token(sum),
		shoppersession.ExpiresAtGT(now), shoppersession.SeenAtGT(now.Add(-idle))).Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// holder returns the customer if they may use an account and have the proved address, else nil.
func (s *Shoppers) holder(ctx context.Context, id xid.ID, email string) (*db.Customer, error) {
	rows, err := s.Client(ctx).Customer.Query().Where(customer.ID(id), customer.StatusEQ(state.CustomerActive)).
		Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	c := rows[0]
	if c.Email == nil || !slices.Contains(mailbox.Forms(email), *c.Email) {
		return nil, nil
	}
	return c, nil
}

// open creates a session for the customer of a proved address, in the transaction of ctx, and ends
// the browser's previous one, so that nobody can plant a session in a browser.
func (s *Shoppers) open(ctx context.Context, email, token, former string) error {
	c, err := s.sales.Mutation().SignedIn(ctx, email)
	if err != nil {
		return err
	}
	if c.Status != state.CustomerActive {
		return ErrDisabled
	}
	sum, _ := digest.OfToken(token)
	if old, ok := digest.OfToken(former); ok {
		_, err := s.Client(ctx).ShopperSession.Delete().Where(shoppersession.Token(old)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	from, now := viewer.OriginOf(ctx), micros.Now()
	row := s.Client(ctx).ShopperSession.Create().SetToken(sum).SetBucket(bucket.Of(viewer.From(ctx).Store)).
		SetCustomerID(c.ID).SetEmail(email).SetAgent("").SetNillableAddress(from.Address()).
		SetSeenAt(now).SetExpiresAt(now.Add(Life))
	core.Opt(from.Program(), func(name string) { row.SetAgent(name) })
	return fault.Wrap("begin a session", row.Exec(ctx))
}

// Sessions returns the sessions of an account, newest first.
func (s *Shoppers) Sessions(ctx context.Context, a *Account) ([]*db.ShopperSession, error) {
	now := micros.Now()
	rows, err := s.Client(ctx).ShopperSession.Query().Where(shoppersession.CustomerID(a.Customer.ID),
		shoppersession.Email(a.Email), shoppersession.ExpiresAtGT(now), shoppersession.SeenAtGT(now.Add(-idle))).
		Load(ctx)
	slices.SortFunc(rows, func(x, y *db.ShopperSession) int { return y.ID.Compare(x.ID) })
	return rows, core.Explain("account", err)
}

// End ends the session of an account with an id, as text, or all of its sessions if it is "".
func (s *Shoppers) End(ctx context.Context, a *Account, id string) error {
	rows, err := s.Sessions(ctx, a)
	if err != nil {
		return err
	}
	var ids []xid.ID
	for _, row := range rows {
		if id == "" || row.ID.String() == id {
			ids = append(ids, row.ID)
		}
	}
	return s.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		_, err := s.Client(ctx).ShopperSession.Delete().Where(shoppersession.IDIn(ids...)).Exec(ctx)
		return nil, err
	})
}

// again runs a change of a customer, anew if another transaction changed the row first, for example
// with an order.
func again(do func() error) (err error) {
	for range 3 {
		if err = do(); !fault.IsState(err, errChanged) {
			return err
		}
	}
	return err
}

// openStore returns the viewer's store unless it is closed: pages notice that up to a second later.
func (s *Shoppers) openStore(ctx context.Context) (*db.Store, error) {
	shop, err := s.CurrentStore(ctx)
	if err == nil && shop.Status != state.StoreOpen {
		err = fault.Missing("store")
	}
	return shop, core.Explain("store", err)
}
