package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbmail "github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

const (
	// batch is how many emails are read at once.
	batch = 50
	// MaxWaiting is where [Sender.Waiting] stops counting.
	MaxWaiting = 1000
)

// due returns the due emails, the longest overdue first.
func (s *Sender) due(ctx context.Context) ([]*db.Mail, error) {
	query := s.Store.Seek(ctx).Mail.Query().Where(dbmail.BucketIn(bucket.All()...))
	query.Modify(lease.Due(batch))
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

// keep renews the claim on an email.
func (s *Sender) keep(held *lease.Held, row *db.Mail) {
	held.Keep(func(ctx context.Context) error {
		return s.queue.Delay(ctx, row.StoreID, row.ID, row.Attempts+1, terms.Length)
	}, func(err error) {
		s.log(row).Warn("the claim on a mail could not be renewed", "error", err)
	})
}

// postpone ends a claim and sets the time until the next attempt.
func (s *Sender) postpone(ctx context.Context, row *db.Mail, wait time.Duration) error {
	err := s.queue.Delay(ctx, row.StoreID, row.ID, row.Attempts+1, wait)
	if errors.Is(err, lease.ErrLost) {
		return nil
	}
	return wrap("postpone mail", err)
}

// remove deletes an email that this sender has claimed.
func (s *Sender) remove(ctx context.Context, row *db.Mail) error {
	return wrap("remove mail", s.Store.InTx(viewer.Operator(ctx, row.StoreID), func(ctx context.Context) error {
		_, err := s.Store.DB(ctx).Mail.Delete().Where(dbmail.ID(row.ID), dbmail.Attempts(row.Attempts+1)).Exec(ctx)
		return err
	}))
}
