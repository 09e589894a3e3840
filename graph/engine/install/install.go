// Package install manages the themes of all stores: it processes their archives, stores each
// package and asset once, offers the sample themes, and removes what no theme uses any more.
package install

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/work"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

// Config holds the dependencies of a [Keeper].
type Config struct {
	Store *ent.Store
	Blobs *blob.Store
	// Samples are offered in the marketplace, and new stores start with the first one; [sample.All]
	// by default.
	Samples []sample.Sample
	// Notifier reports themes that failed. A nil notifier writes to the dashboard only.
	Notifier *notify.Notifier
	// Preview returns the URL of a store's storefront with a theme, for events. graph.New sets it,
	// because only the core knows it. It may be nil.
	Preview func(store *db.Store, theme xid.ID) string
	Logger  *slog.Logger
}

// Keeper installs themes. Any number of processes may run one.
type Keeper struct {
	Config
	// judging has room for one archive: validating one takes much of a core and many times the
	// archive's memory.
	judging  chan struct{}
	wakeups  chan struct{}
	guard    work.Guard
	queue    lease.Queue
	repairer *lease.ClockRepair
	// samples returns the samples as new stores get them. They are read once.
	samples func() ([]prepared, error)
}

// New returns a keeper. [Keeper.Round] and [Keeper.Sweep] do its work.
func New(c Config) (*Keeper, error) {
	if c.Store == nil || c.Blobs == nil {
		return nil, errors.New("install: a store and a blob store are needed")
	}
	if c.Samples == nil {
		c.Samples = sample.All()
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	k := &Keeper{Config: c, judging: make(chan struct{}, 1), wakeups: make(chan struct{}, 1),
		queue: lease.Queue{Store: c.Store, Table: dbtheme.Table, Owner: dbtheme.FieldStoreID,
			Tries: dbtheme.FieldTries}}
	k.repairer = k.queue.Repair(terms, pause, maxTries)
	k.samples = sync.OnceValues(func() ([]prepared, error) { return prepare(k.Samples) })
	return k, nil
}

// Wakeups receives when there is an archive to process, so that the next round starts at once.
func (k *Keeper) Wakeups() <-chan struct{} { return k.wakeups }

// Panics returns how often the processing of themes has panicked since the start.
func (k *Keeper) Panics() uint64 { return k.guard.Panics() }

func (k *Keeper) wake() {
	select {
	case k.wakeups <- struct{}{}:
	default: // already signaled
	}
}

// Read is [theme.Read] for one archive at a time: callers wait for their turn, and give up when
// ctx ends. Do not call it in a transaction, which would hold its locks while it waits.
func (k *Keeper) Read(ctx context.Context, archive []byte) (*theme.Package, error) {
	select {
	case k.judging <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-k.judging }()
	return theme.Read(archive)
}
