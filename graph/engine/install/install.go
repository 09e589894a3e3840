// Package install keeps the themes of all stores: it processes their archives,
// keeps packages and assets once each, offers the samples, and removes what no
// theme needs any more.
package install

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/work"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

// Config is what the keeper needs.
type Config struct {
	Store *ent.Store
	Blobs *blob.Store
	// Samples are offered in the marketplace, and new stores begin with the first;
	// by default [sample.All].
	Samples []sample.Sample
	// Notifier notifies people of themes that could not be processed; nil writes on the
	// dashboard alone.
	Notifier *notify.Notifier
	// Preview returns the address of a store's storefront as a theme would show it,
	// for events. graph.New sets it, since the core alone knows; nil for none.
	Preview func(store *db.Store, theme xid.ID) string
	Logger  *slog.Logger
}

// Keeper installs themes. Any number of processes may have one.
type Keeper struct {
	Config
	// judging has room for one archive: judging one takes much of a core and many
	// times the archive's memory.
	judging chan struct{}
	woken   chan struct{}
	guard   work.Guard
	mender  *lease.Mender
	// samples are the samples as a new store gets them, read once.
	samples func() ([]prepared, error)
}

// New makes a keeper. [Keeper.Round] and [Keeper.Sweep] do its work.
func New(c Config) (*Keeper, error) {
	if c.Store == nil || c.Blobs == nil {
		return nil, errors.New("install: a store and a blob store are needed")
	}
	if c.Samples == nil {
		c.Samples = sample.All()
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	k := &Keeper{Config: c, judging: make(chan struct{}, 1), woken: make(chan struct{}, 1),
		mender: newMender(c.Store)}
	k.samples = sync.OnceValues(func() ([]prepared, error) { return prepare(k.Samples) })
	return k, nil
}

// Woken receives when there is an archive to process: the next round should come
// now.
func (k *Keeper) Woken() <-chan struct{} { return k.woken }

// Panics returns how many there have been in the processing of themes.
func (k *Keeper) Panics() uint64 { return k.guard.Panics() }

func (k *Keeper) wake() {
	select {
	case k.woken <- struct{}{}:
	default: // somebody is woken already
	}
}

// Judge is [theme.Read], for one archive at a time: others wait, and give up when
// ctx ends. Call it outside of transactions, where one that waits keeps nobody
// else waiting.
func (k *Keeper) Judge(ctx context.Context, archive []byte) (*theme.Package, error) {
	select {
	case k.judging <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-k.judging }()
	return theme.Read(archive)
}
