package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbmail "github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

const (
	// batch is how many emails are read at once.
	batch = 50
	// MaxWaiting is where [Sender.Waiting] stops counting.
	MaxWaiting = 1000
)

// due returns the due emails, the longest overdue first. It locks nothing: senders claim one email
// at a time.
func (s *Sender) due(ctx context.Context) ([]*db.Mail, error) {
	query := s.Store.Seek(ctx).Mail.Query().Where(dbmail.BucketIn(bucket.All()...))
	query.Modify(func(sel *sql.Selector) {
		due := sel.C(dbmail.FieldDueAt)
		sel.Where(sql.ExprP(due + " <= " + string(lease.Now(sel.Dialect())))).OrderBy(due).Limit(batch)
	})
	rows, err := query.Load(viewer.Everywhere(ctx))
	if err != nil {
		return nil, fmt.Errorf("find due mail: %w", err)
	}
	return rows, nil
}

// Waiting returns how many emails are not sent yet, at most [MaxWaiting].
func (s *Sender) Waiting(ctx context.Context) (int, error) {
	n, err := s.Store.SumShards(ctx, func(ctx context.Context) (int, error) {
		ids, err := s.Store.Seek(ctx).Mail.Query().Where(dbmail.BucketIn(bucket.All()...)).Limit(MaxWaiting).
			IDs(viewer.Everywhere(ctx))
		return len(ids), err
	})
	if err != nil {
		return 0, fmt.Errorf("count waiting mail: %w", err)
	}
	return min(n, MaxWaiting), nil
}

// newRepairer returns what finds emails that a changed clock delays.
func newRepairer(s *ent.Store) *lease.ClockRepair {
	longest := make([]time.Duration, 8) // all later pauses have the last length
	for n := 1; n < len(longest); n++ {
		longest[n] = max(terms.Length, pause(n))
	}
	return &lease.ClockRepair{Terms: terms, Store: s, Table: dbmail.Table, Token: dbmail.FieldAttempts,
		New:   dbmail.FieldAttempts + " = 0",
		Ahead: func(now lease.Clock) string { return lease.Beyond(now, dbmail.FieldAttempts, longest) }}
}

// setLease sets the end of the lease on an email, by the clock of leases. The email is due again
// then.
func setLease(u *sql.UpdateBuilder) {
	u.Set(dbmail.FieldDueAt, sql.Expr(lease.Now(u.Dialect()).In(terms.Length)))
}

// claim claims an email as it was read. Of concurrent senders one gets it. A claim that is not
// renewed expires, and the email is due again.
func (s *Sender) claim(ctx context.Context, row *db.Mail) (mine bool, err error) {
	err = s.change(ctx, row, func(ctx context.Context, c *db.Client) error {
		n, err := c.Mail.Update().Where(dbmail.ID(row.ID), dbmail.Attempts(row.Attempts)).
			AddAttempts(1).Modify(setLease).Save(ctx)
		mine = n == 1
		return err
	})
	return mine, wrap("claim mail", err)
}

// keep renews the claim on an email.
func (s *Sender) keep(held *lease.Held, row *db.Mail) {
	held.Keep(func(ctx context.Context) error {
		return s.put(ctx, row, func(u *db.MailUpdate) { u.Modify(setLease) })
	}, func(err error) {
		s.log(row).Warn("the claim on a mail could not be renewed", "error", err)
	})
}

// postpone ends a claim and sets the time of the next attempt.
func (s *Sender) postpone(ctx context.Context, row *db.Mail, next micros.Time) error {
	err := s.put(ctx, row, func(u *db.MailUpdate) { u.SetDueAt(next) })
	if errors.Is(err, lease.ErrLost) {
		return nil
	}
	return wrap("postpone mail", err)
}

// put updates an email that this sender has claimed. It returns [lease.ErrLost] if the claim is
// lost.
func (s *Sender) put(ctx context.Context, row *db.Mail, set func(*db.MailUpdate)) error {
	return s.change(ctx, row, func(ctx context.Context, c *db.Client) error {
		u := c.Mail.Update().Where(dbmail.ID(row.ID), dbmail.Attempts(row.Attempts+1))
		set(u)
		n, err := u.Save(ctx)
		if err == nil && n == 0 {
			err = lease.ErrLost
		}
		return err
	})
}

// remove deletes an email that this sender has claimed.
func (s *Sender) remove(ctx context.Context, row *db.Mail) error {
	return wrap("remove mail", s.change(ctx, row, func(ctx context.Context, c *db.Client) error {
		_, err := c.Mail.Delete().Where(dbmail.ID(row.ID), dbmail.Attempts(row.Attempts+1)).Exec(ctx)
		return err
	}))
}

// change writes as the operator of the email's store.
func (s *Sender) change(ctx context.Context, row *db.Mail, f func(context.Context, *db.Client) error) error {
	return s.Store.InTx(viewer.Operator(ctx, row.StoreID),
		func(ctx context.Context) error { return f(ctx, s.Store.DB(ctx)) })
}
