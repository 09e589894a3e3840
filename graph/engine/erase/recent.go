package erase

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/redaction"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// remember is how long a process remembers a redaction. It is longer than a body stays in
	// memory: a delivery is given up after 24 h.
	remember = 48 * time.Hour
	// overlap is how far each read of [Engine.Watch] reaches back before the previous one. It is
	// longer than a transaction takes to commit.
	overlap = time.Minute
)

// redactedSet is the set of recently redacted customers that this process knows of.
type redactedSet struct {
	mu     sync.RWMutex
	until  map[xid.ID]map[xid.ID]time.Time // expiry by store and customer
	looked micros.Time                     // when the last read began
}

func (r *redactedSet) covers(store xid.ID) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.until[store]) > 0
}

func (r *redactedSet) has(store, customer xid.ID) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, ok := r.until[store][customer]
	return ok
}

func (r *redactedSet) add(store, customer xid.ID, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil {
		r.until = map[xid.ID]map[xid.ID]time.Time{}
	}
	if r.until[store] == nil {
		r.until[store] = map[xid.ID]time.Time{}
	}
	r.until[store][customer] = now.Add(remember)
}

// since returns the begin of the next read, and drops expired entries.
func (r *redactedSet) since(now time.Time) micros.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	for store, customers := range r.until {
		maps.DeleteFunc(customers, func(_ xid.ID, end time.Time) bool { return end.Before(now) })
		if len(customers) == 0 {
			delete(r.until, store)
		}
	}
	if r.looked == 0 {
		return 0 // every redaction whose row exists
	}
	return r.looked.Add(-overlap)
}

// Watch reads the redactions that other processes have begun. Nothing may be sent before its first
// call has returned.
func (e *Engine) Watch(ctx context.Context) error {
	now := time.Now()
	since := e.recent.since(now)
	rows, err := ent.Gather(ctx, e.Store, func(ctx context.Context) ([]*db.Redaction, error) {
		return e.Store.Seek(ctx).Redaction.Query().
			Where(redaction.BucketIn(bucket.All()...), redaction.BegunAtGTE(since)).
			Select(redaction.FieldStoreID, redaction.FieldID).All(viewer.Everywhere(ctx))
	})
	if err != nil {
		return fmt.Errorf("watch redactions: %w", err)
	}
	for _, row := range rows {
		e.recent.add(row.StoreID, row.ID, now)
	}
	e.recent.mu.Lock()
	defer e.recent.mu.Unlock()
	e.recent.looked = micros.Of(now)
	return nil
}
