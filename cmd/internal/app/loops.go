package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/apikey"
	"github.com/storefront-go/storefront/graph/idem"
	"github.com/storefront-go/storefront/graph/outbox"
	"github.com/storefront-go/storefront/graph/work"
)

// Intervals of the background loops.
const (
	usedEvery  = time.Minute // contract, section 7: last_used_at at most once a minute
	purgeEvery = time.Hour
)

// newLoops makes what runs beside the requests. They start in this order and
// stop in reverse.
func newLoops(s *ent.Store, keys *apikey.Keeper, claims *idem.Keeper, log *slog.Logger) (*work.Group, error) {
	g := new(work.Group)
	for _, c := range []work.Config{
		{Name: "last_use", Interval: usedEvery, Run: keys.WriteUsed},
		{Name: "purge_idempotency", Interval: purgeEvery, Timeout: purgeEvery, Run: counted(log, "idempotency keys", claims.Purge)},
		{Name: "purge_events", Interval: purgeEvery, Timeout: purgeEvery, Run: counted(log, "events",
			func(ctx context.Context) (int, error) { return outbox.Purge(ctx, s) })},
	} {
		c.Logger = log
		if _, err := g.Add(c); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// counted logs how many rows a purge deleted.
func counted(log *slog.Logger, what string, purge func(context.Context) (int, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		n, err := purge(ctx)
		if n > 0 {
			log.InfoContext(ctx, "purged", "what", what, "rows", n)
		}
		return err
	}
}
