package domain

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/domainhost"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// maxHosts bounds the cached hosts, with and without a store.
	maxHosts = 10_000
	// fresh is how long a look-up is valid: changes take effect within it in all processes.
	fresh = 2 * time.Second
	// stale is how long a host that was found is used while the database is down.
	stale = 30 * time.Second
	// findTime bounds the statements of a look-up.
	findTime = 5 * time.Second
	// missRate and missBurst bound the look-ups per second of hosts that are not known to have a
	// store, since anyone can ask for any number of names.
	missRate, missBurst = 100, 1000
)

// entry is the result of a look-up; without a handle, no store has the host.
type entry struct {
	store  xid.ID
	handle string
	at     time.Time
}

// HandleOf returns the handle of the store that has a host, as a Host header names it. It is the
// judge of all: what is served at a host, and which certificates there are.
func (e *Engine) HandleOf(ctx context.Context, host string) (handle string, ok bool, err error) {
	found, err := e.find(ctx, bare(host))
	return found.handle, found.handle != "", err
}

func (e *Engine) find(ctx context.Context, host string) (entry, error) {
	if !plausible(host) || e.operators(host) {
		return entry{}, nil
	}
	last, had := e.found.Get(host)
	if had && time.Since(last.at) < fresh {
		return last, nil
	}
	if none, ok := e.absent.Get(host); !had && ok && time.Since(none.at) < fresh {
		return none, nil
	}
	if !had && !e.misses.Take(struct{}{}).OK {
		return entry{}, fault.New(fault.Unavailable, "Too many unknown hosts. Try again in a moment.")
	}
	now, err := e.looking.Do(ctx, host, findTime, func(ctx context.Context) (entry, error) {
		return e.lookUp(ctx, host)
	})
	switch {
	case err != nil && had && time.Since(last.at) < stale:
		return last, nil
	case err != nil:
		return entry{}, err
	case now.handle == "":
		e.found.Remove(host)
		e.absent.Add(host, now)
	default:
		e.found.Add(host, now)
	}
	return now, nil
}

func (e *Engine) lookUp(ctx context.Context, host string) (entry, error) {
	at := time.Now()
	ctx = viewer.Everywhere(ctx)
	rows, err := e.Store.DB(ctx).DomainHost.Query().Where(domainhost.ID(host)).All(ctx)
	if err != nil || len(rows) == 0 {
		return entry{at: at}, fault.Wrap("look up a host", err)
	}
	there := viewer.Visitor(ctx, rows[0].StoreID)
	s, err := ent.Only(e.Store.DB(there).Store.Query().Where(store.ID(rows[0].StoreID)).Load(there))
	if err != nil {
		return entry{}, fmt.Errorf("read the store of a host: %w", err)
	}
	return entry{store: s.ID, handle: s.Handle, at: at}, nil
}
