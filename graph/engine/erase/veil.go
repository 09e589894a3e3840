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
	// remember is how long a process knows of a redaction: longer than a body waits in
	// its memory, since a delivery is given up after 24 h.
	remember = 48 * time.Hour
	// overlap is how far back the watch looks beyond its last look: longer than a
	// transaction takes to commit.
	overlap = time.Minute
)

// veil is the customers who were redacted lately, as far as this process knows. The
// zero veil covers nobody.
type veil struct {
	mu     sync.RWMutex
	gone   map[xid.ID]map[xid.ID]time.Time // by store and customer: until when they are remembered
	looked micros.Time                     // the begin of the last look
}

func (v *veil) covers(store xid.ID) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.gone[store]) > 0
}

func (v *veil) has(store, customer xid.ID) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	_, ok := v.gone[store][customer]
	return ok
}

func (v *veil) add(store, customer xid.ID, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gone == nil {
		v.gone = map[xid.ID]map[xid.ID]time.Time{}
	}
	if v.gone[store] == nil {
		v.gone[store] = map[xid.ID]time.Time{}
	}
	v.gone[store][customer] = now.Add(remember)
}

// since returns from when on redactions have to be looked for, and forgets old ones.
func (v *veil) since(now time.Time) micros.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	for store, customers := range v.gone {
		maps.DeleteFunc(customers, func(_ xid.ID, until time.Time) bool { return until.Before(now) })
		if len(customers) == 0 {
			delete(v.gone, store)
		}
	}
	if v.looked == 0 {
		return 0 // all that are left to do
	}
	return v.looked.Add(-overlap)
}

// Watch learns of the redactions that other processes began. Until its first round
// nothing may be sent.
func (e *Engine) Watch(ctx context.Context) error {
	now := time.Now()
	since := e.veil.since(now)
	rows, err := ent.Gather(ctx, e.Store, func(ctx context.Context) ([]*db.Redaction, error) {
		return e.Store.Seek(ctx).Redaction.Query().
			Where(redaction.BucketIn(bucket.All()...), redaction.BegunAtGTE(since)).
			Select(redaction.FieldStoreID, redaction.FieldID).All(viewer.Everywhere(ctx))
	})
	if err != nil {
		return fmt.Errorf("watch redactions: %w", err)
	}
	for _, row := range rows {
		e.veil.add(row.StoreID, row.ID, now)
	}
	e.veil.mu.Lock()
	defer e.veil.mu.Unlock()
	e.veil.looked = micros.Of(now)
	return nil
}
