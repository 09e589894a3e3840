// Package images stores product images: those that merchants upload, with their scaled
// widths, and copies of images that products name by URL, so that no browser requests
// them from another host.
//
// An upload is stripped of metadata and stored. Its widths are created when the first of
// them is requested.
//
// A URL is fetched once, by this service, when its image is first viewed, and by one
// process at a time. The copy is validated and kept in the blob store. A failed fetch is
// recorded in the database and retried after a minute, then after twice as long each
// time, up to a day.
package images

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbpicture "github.com/storefront-go/storefront/ent/db/picture"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/cache"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

const (
	// maxFetching is how many pictures this process fetches at once, since each may take
	// 20 MB of memory, and maxOfStore how many of them for one store.
	maxFetching = 4
	maxOfStore  = 2
	// flightLimit bounds all that a request for a picture waits for: a place, another
	// process, the fetch.
	flightLimit = 45 * time.Second
	// claimTime is after how long somebody else may fetch what a process that was
	// killed left: longer than fetching and keeping takes.
	claimTime = time.Minute
	// lookEvery is how often somebody looks whether another process has ended.
	lookEvery = 250 * time.Millisecond
	// firstPause is how long a failure is remembered, and maxPause the longest after
	// several.
	firstPause = time.Minute
	maxPause   = 24 * time.Hour
)

// Config is what the keeper needs.
type Config struct {
	Store *ent.Store
	Blobs *blob.Store
	// Egress says which addresses are allowed: its zero value is the public internet.
	// Only https is asked, whatever it says.
	Egress egress.Policy
	// RootCAs sign the certificates of the hosts; nil are those of the system.
	RootCAs *x509.CertPool
	// Limits are those that the operator set for all stores.
	Limits limit.Values
	Logger *slog.Logger
}

// Keeper keeps the pictures of all stores. Any number of processes may have one.
type Keeper struct {
	Config
	client    *http.Client
	fetchTime time.Duration
	flights   cache.Group[flight, *db.Picture]
	places    chan struct{}
	fetching  *lines
	fetches   *prometheus.CounterVec
	makes     cache.Group[xid.ID, struct{}]
	decodes   *decoder // of merchants
	scales    *decoder // for shoppers, whom no upload keeps waiting
}

// flight names what is fetched.
type flight struct{ store, id xid.ID }

// New makes a keeper.
func New(c Config) (*Keeper, error) {
	if c.Store == nil || c.Blobs == nil {
		return nil, errors.New("picture: a store and a blob store are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	k := &Keeper{Config: c, fetchTime: fetchTime, places: make(chan struct{}, maxFetching),
		fetching: newLines(maxOfStore), fetches: newCounter(),
		decodes: newDecoder(pixel.MaxWeight, 1), scales: newDecoder(pixel.MaxWeight/2, 2)}
	k.client = k.newClient()
	return k, nil
}

// Register adds the keeper's metrics.
func (k *Keeper) Register(reg prometheus.Registerer) error { return reg.Register(k.fetches) }

// IDOf is the id of the picture at an address: the first 16 bytes of its SHA-256.
func IDOf(address string) xid.ID {
	sum := sha256.Sum256([]byte(address))
	return xid.ID(sum[:16])
}

// Key is where the bytes of a picture lie in the blob store. No other bytes ever lie
// there.
func Key(p *db.Picture) string {
	return keyOf(p.StoreID, p.ObjectID)
}

// Find returns a picture of the viewer's store that is kept; nil for none.
func (k *Keeper) Find(ctx context.Context, id xid.ID) (*db.Picture, error) {
	row, err := k.row(ctx, id)
	if err != nil || row == nil || row.State != state.PictureKept {
		return nil, err
	}
	return row, nil
}

// Get returns the picture at an address, and fetches it first if it is not kept. The
// caller knows that a product of the viewer's store has this address. What cannot be
// fetched is NotFound; where too many are being fetched, the fault is Unavailable.
func (k *Keeper) Get(ctx context.Context, address string) (*db.Picture, error) {
	at := flight{viewer.From(ctx).Store, IDOf(address)}
	row, err := k.flights.Do(ctx, at, flightLimit, func(ctx context.Context) (*db.Picture, error) {
		return k.bring(viewer.Operator(ctx, at.store), at.id, address)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &fault.Error{Kind: fault.Unavailable, Detail: "The picture is not here yet.",
			RetryAfter: time.Second, Err: err}
	}
	return row, err
}

// bring returns the picture once it is kept, by this process or by another one.
func (k *Keeper) bring(ctx context.Context, id xid.ID, address string) (*db.Picture, error) {
	for {
		row, err := k.row(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case row == nil, row.State != state.PictureKept && row.DueAt <= micros.Now():
			if row, err = k.try(ctx, row, id, address); row != nil || err != nil {
				return row, err
			}
		case row.State == state.PictureKept:
			return row, nil
		case row.State == state.PictureRefused:
			return nil, fault.Missing("picture")
		}
		if err := pause(ctx, lookEvery); err != nil {
			return nil, err
		}
	}
}

// try takes a place and fetches, unless somebody else was quicker: then there is
// neither a picture nor an error.
func (k *Keeper) try(ctx context.Context, row *db.Picture, id xid.ID, address string) (*db.Picture, error) {
	leave, err := k.place(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	row, err = k.claim(ctx, row, id)
	if row == nil || err != nil {
		return nil, err
	}
	return k.fetch(ctx, row, address)
}

// place waits for one of the places in which pictures are fetched, first for one of the
// store's.
func (k *Keeper) place(ctx context.Context) (leave func(), err error) {
	part, err := k.fetching.enter(ctx, viewer.From(ctx).Store)
	if err != nil {
		return nil, err
	}
	select {
	case k.places <- struct{}{}:
		return func() { <-k.places; part() }, nil
	case <-ctx.Done():
		part()
		return nil, ctx.Err()
	}
}

// pause waits for a while, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// row reads what is known of a picture; nil for nothing.
func (k *Keeper) row(ctx context.Context, id xid.ID) (*db.Picture, error) {
	rows, err := k.Store.DB(ctx).Picture.Query().Where(dbpicture.ID(id)).Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read picture: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return rows[0], nil
}
