package cart

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

const (
	// remindBatch bounds one round of [Carts.Remind].
	remindBatch = 50
	// remindPause is when a reminder that failed is tried again.
	remindPause = 15 * time.Minute
)

// reminds reports whether a store reminds shoppers of their carts. A test store writes to no shopper.
func (c *Carts) reminds(s *db.Store) bool {
	return s.RemindHours != nil && !s.Test && c.sales.Notifier.Sends()
}

// arm decides when a reminder of a cart with an address is considered, and records whether the shopper
// asked for one.
func (e *contactEdit) arm(v *View, row *db.Cart, u *db.CartUpdate) {
	if !v.Reminds || row.RemindedAt != nil {
		u.SetRemind(false).ClearDueAt()
		return
	}
	u.SetRemind(e.remind).SetDueAt(micros.Now().Add(time.Duration(*v.store.RemindHours) * time.Hour))
}

// mayAsk reports whether a shopper may ask for a reminder: nobody fills many carts with the addresses of
// strangers.
func (c *Carts) mayAsk(ctx context.Context) (bool, error) {
	network, counted := ratelimit.Network(viewer.OriginOf(ctx).Client)
	if !counted {
		return true, nil
	}
	wait, err := ratelimit.Take(ctx, c.Store, ratelimit.Key("reminders of a network", network.String()),
		ratelimit.Per(limit.NetworkMails, time.Hour))
	return wait == 0, err
}

// Remind emails the shoppers whose carts are due for a reminder, and returns how many it emailed. Each
// cart gets at most one reminder, however many processes run.
func (c *Carts) Remind(ctx context.Context) (total int, err error) {
	return c.Store.SumShards(ctx, c.remindDue)
}

// remindDue is [Carts.Remind] on one shard.
func (c *Carts) remindDue(ctx context.Context) (total int, err error) {
	for n := remindBatch; n == remindBatch; {
		q := c.Store.Seek(ctx).Cart.Query().Where(dbcart.BucketIn(bucket.All()...))
		q.Modify(lease.Due(remindBatch))
		rows, failed := q.Load(viewer.Everywhere(ctx))
		if failed != nil {
			return total, errors.Join(err, fmt.Errorf("find carts to remind of: %w", failed))
		}
		n = len(rows)
		for _, row := range rows {
			sent, failed := c.remindOne(viewer.Operator(ctx, row.StoreID), row)
			if failed != nil { // the others go on
				err = errors.Join(err, fmt.Errorf("remind of a cart: %w", failed))
			}
			if sent {
				total++
			}
		}
	}
	return total, err
}

// remindOne claims a due cart, unless another process has it, and reminds its shopper if that is still
// wanted.
func (c *Carts) remindOne(ctx context.Context, row *db.Cart) (sent bool, err error) {
	queue := lease.Queue{Store: c.Store, Table: dbcart.Table, Owner: dbcart.FieldStoreID, Tries: dbcart.FieldTries}
	mine, err := queue.Claim(ctx, row.StoreID, row.ID, row.Tries, remindPause)
	if err != nil || !mine {
		return false, err
	}
	err = c.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		sent = false
		due, to, err := c.reminderOf(ctx, row)
		if err != nil {
			return nil, err
		}
		// A cart that was changed or ordered meanwhile is considered again, or never.
		u := c.Client(ctx).Cart.Update().Where(dbcart.ID(row.ID), dbcart.Version(row.Version), dbcart.OrderIDIsNil(),
			dbcart.RemindedAtIsNil(), dbcart.Tries(row.Tries+1))
		now := micros.Now()
		switch {
		case due > now:
			return nil, u.SetDueAt(due).Exec(ctx)
		case to == nil:
			return nil, u.ClearDueAt().Exec(ctx)
		}
		n, err := u.ClearDueAt().SetRemindedAt(now).Save(ctx)
		if err != nil || n == 0 {
			return nil, err
		}
		sent = true
		return nil, c.sales.Mutation().SendReminder(ctx, *to)
	})
	return sent && err == nil, err
}

// reminderOf returns the reminder of a cart, nil if there is none, or when it is due if that is later
// than now: the shopper has changed the cart.
func (c *Carts) reminderOf(ctx context.Context, row *db.Cart) (due micros.Time, r *sales.Reminder, err error) {
	s, err := c.CurrentStore(ctx)
	if err != nil || row.Email == nil || row.OrderID != nil || row.RemindedAt != nil || !c.reminds(s) {
		return 0, nil, err
	}
	now := micros.Now()
	if due = row.UpdatedAt.Add(time.Duration(*s.RemindHours) * time.Hour); due > now {
		return due, nil, nil
	}
	front, err := s.Storefront.Fields()
	if err != nil || s.Status != state.StoreOpen || front.Paused(now) != nil {
		return 0, nil, err
	}
	buyer, wanted, err := c.wantsReminder(ctx, row)
	if err != nil || !wanted {
		return 0, nil, err
	}
	r = &sales.Reminder{To: *row.Email, Customer: buyer, Cart: row.ID}
	r.Lines, err = c.remindedLines(ctx, row)
	if len(r.Lines) == 0 {
		return 0, nil, err
	}
	return 0, r, err
}

// wantsReminder reports whether the shopper of a cart consented to a reminder: in this checkout, or to
// marketing emails of the store, and did not order or unsubscribe since. It returns the customer of the
// address, if there is one.
func (c *Carts) wantsReminder(ctx context.Context, row *db.Cart) (buyer xid.ID, wanted bool, err error) {
	stopped, err := notify.MarketingStopped(ctx, c.Client(ctx), *row.Email)
	if err != nil || stopped {
		return xid.Nil, false, err
	}
	rows, err := c.Client(ctx).Customer.Query().Where(customer.Email(strings.ToLower(*row.Email))).Load(ctx)
	if err != nil || len(rows) == 0 {
		return xid.Nil, row.Remind, err
	}
	p := rows[0]
	switch {
	case p.Status != state.CustomerGuest && p.Status != state.CustomerActive,
		p.EmailMarketing == state.EmailUnsubscribed,
		p.LastOrderAt != nil && row.ReachedAt != nil && *p.LastOrderAt >= *row.ReachedAt:
		return p.ID, false, nil
	}
	return p.ID, row.Remind || p.EmailMarketing == state.EmailSubscribed, nil
}

// remindedLines returns the lines of a cart that can still be bought.
func (c *Carts) remindedLines(ctx context.Context, row *db.Cart) (list []*db.OrderLine, err error) {
	v, err := c.view(ctx, row)
	if err != nil {
		return nil, err
	}
	for _, l := range v.Lines {
		if l.Gone {
			continue
		}
		line := &db.OrderLine{Title: l.Title, Quantity: l.Quantity, UnitPriceMinor: l.UnitMinor()}
		if l.Options != "" {
			line.Options = document.NewTags([]string{l.Options})
		}
		list = append(list, line)
	}
	return list, nil
}

// Left returns the cart of a reminder, nil if it was ordered or has expired.
func (c *Carts) Left(ctx context.Context, id xid.ID) (*View, error) {
	rows, err := c.Client(ctx).Cart.Query().Where(dbcart.ID(id), dbcart.ExpiresAtGT(micros.Now()),
		dbcart.OrderIDIsNil()).Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, core.Explain("cart", err)
	}
	v, err := c.view(ctx, rows[0])
	if err == nil {
		err = c.loadImages(ctx, v.Lines)
	}
	return v, core.Explain("cart", err)
}
