package notify

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbmail "github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

const (
	// batch is how many emails are read at once.
	batch = 50
	// MaxWaiting is where [Sender.Waiting] stops counting.
	MaxWaiting = 1000
)

func (s *Sender) due(ctx context.Context) ([]*db.Mail, error) {
	query := s.Store.Seek(ctx).Mail.Query().Where(dbmail.BucketIn(bucket.All()...))
	query.Modify(lease.Due(batch))
	rows, err := query.Load(viewer.Everywhere(ctx))
	return rows, fault.Wrap("find due mail", err)
}

// Waiting returns how many emails are not sent yet, at most [MaxWaiting].
func (s *Sender) Waiting(ctx context.Context) (int, error) {
	n, err := s.Store.SumShards(ctx, func(ctx context.Context) (int, error) {
		ids, err := s.Store.Seek(ctx).Mail.Query().Where(dbmail.BucketIn(bucket.All()...)).Limit(MaxWaiting).
			IDs(viewer.Everywhere(ctx))
		return len(ids), err
	})
	return min(n, MaxWaiting), fault.Wrap("count waiting mail", err)
}

func (s *Sender) keep(held *lease.Held, row *db.Mail) {
	held.Keep(func(ctx context.Context) error {
		return s.queue.Delay(ctx, row.StoreID, row.ID, row.Attempts+1, terms.Length)
	}, func(err error) {
		s.log(row).Warn("the claim on a mail could not be renewed", "error", err)
	})
}

func (s *Sender) postpone(ctx context.Context, row *db.Mail, wait time.Duration) error {
	err := s.queue.Delay(ctx, row.StoreID, row.ID, row.Attempts+1, wait)
	if errors.Is(err, lease.ErrLost) {
		return nil
	}
	return fault.Wrap("postpone mail", err)
}

// remove ends an email. The history of its order records how.
func (s *Sender) remove(ctx context.Context, row *db.Mail, action, why string) error {
	return fault.Wrap("remove mail", s.Store.InTx(viewer.Operator(ctx, row.StoreID), func(ctx context.Context) error {
		_, err := end(ctx, s.Store.DB(ctx), row, action, why)
		return err
	}))
}

// end deletes a claimed email and writes how it ended to the history of its order. It returns false
// if another sender has the email.
func end(ctx context.Context, c *db.Client, row *db.Mail, action, why string) (bool, error) {
	n, err := c.Mail.Delete().Where(dbmail.ID(row.ID), dbmail.Attempts(row.Attempts+1)).Exec(ctx)
	if err != nil || n == 0 || row.OrderID == nil {
		return n > 0, err
	}
	if row.Email != nil {
		why = strings.TrimSuffix(string(*row.Email)+": "+why, ": ")
	}
	return true, audit.Write(ctx, c, action, xid.Order, *row.OrderID, clip(why, limit.Line))
}
