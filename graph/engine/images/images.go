// Package images stores product images: those that merchants upload, with their scaled
// widths, and copies of images that products name by URL, so that no browser requests
// them from another host. It also stores the files that shoppers buy.
//
// An upload is stripped of metadata and stored. Its widths are created when the first of
// them is requested.
//
// A URL is fetched once, by this service, when its image is first viewed, and by one
// process at a time. The copy is validated and kept in the blob store. A failed fetch is
// recorded in the database and retried after a minute, then after twice as long each
// time, up to a day.
//
// A fetch is not claimed with graph/engine/lease: its token is the name of the object in the blob
// store, so that the bytes of a lost claim never replace those of another. Images are in no queue,
// and the first claim creates the row.
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
	// maxFetching is how many images this process fetches at once, since each may take 20 MB of
	// memory, and maxOfStore how many of them for one store.
	maxFetching = 4
	maxOfStore  = 2
	// flightLimit bounds the total wait of a request for an image: for a slot, for another process,
	// and for the fetch.
	flightLimit = 45 * time.Second
	// claimTime is when another process may take over the fetch of a killed one. It is longer than
	// fetching and storing takes.
	claimTime = time.Minute
	// pollEvery is how often a process checks whether another one has finished.
	pollEvery = 250 * time.Millisecond
	// firstPause is the pause after the first failure, and maxPause the longest one.
	firstPause = time.Minute
	maxPause   = 24 * time.Hour
)

// Config holds the dependencies of a [Keeper].
type Config struct {
	Store *ent.Store
	Blobs *blob.Store
	// Egress decides which addresses are allowed; its zero value allows the public internet. Only
	// https is used in any case.
	Egress egress.Policy
	// RootCAs verify the certificates of the hosts; nil for the system's.
	RootCAs *x509.CertPool
	// Limits are the operator's limits for all stores.
	Limits limit.Values
	Logger *slog.Logger
}

// Keeper stores the images of all stores. Any number of processes may run one.
type Keeper struct {
	Config
	client    *http.Client
	fetchTime time.Duration
	flights   cache.Group[flight, *db.Picture]
	fetching  *capacity
	fetches   *prometheus.CounterVec
	scaling   cache.Group[xid.ID, struct{}]
	decodes   *capacity // for merchants' uploads, by weight
	scales    *capacity // for shoppers, so that no upload delays them
}

type flight struct{ store, id xid.ID }

// New returns a keeper, or an error if a dependency is missing.
func New(c Config) (*Keeper, error) {
	if c.Store == nil || c.Blobs == nil {
		return nil, errors.New("images: a store and a blob store are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	k := &Keeper{Config: c, fetchTime: fetchTime, fetching: newCapacity(maxFetching, maxOfStore), fetches: newCounter(),
		decodes: newCapacity(pixel.MaxWeight, 1), scales: newCapacity(pixel.MaxWeight/2, 2)}
	k.client = k.newClient()
	return k, nil
}

// Register registers the keeper's metrics.
func (k *Keeper) Register(reg prometheus.Registerer) error { return reg.Register(k.fetches) }

// IDOf returns the id of the image at an address: the first 16 bytes of its SHA-256.
func IDOf(address string) xid.ID {
	sum := sha256.Sum256([]byte(address))
	return xid.ID(sum[:16])
}

// Key returns the key of an image in the blob store. Different bytes are never stored under the
// same key.
func Key(p *db.Picture) string {
	return keyOf(p.StoreID, p.ObjectID)
}

// Find returns a stored image of the viewer's store, or nil.
func (k *Keeper) Find(ctx context.Context, id xid.ID) (*db.Picture, error) {
	row, err := k.row(ctx, id)
	if err != nil || row == nil || row.State != state.PictureKept {
		return nil, err
	}
	return row, nil
}

// Get returns the image at an address, and fetches it first if it is not stored. The caller has
// checked that a product of the viewer's store has this address. An image that cannot be fetched is
// NotFound; if it takes too long, the fault is Unavailable.
func (k *Keeper) Get(ctx context.Context, address string) (*db.Picture, error) {
	at := flight{viewer.From(ctx).Store, IDOf(address)}
	row, err := k.flights.Do(ctx, at, flightLimit, func(ctx context.Context) (*db.Picture, error) {
		return k.await(viewer.Operator(ctx, at.store), at.id, address)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &fault.Error{Kind: fault.Unavailable, Detail: "The image is not available yet.",
			RetryAfter: time.Second, Err: err}
	}
	return row, err
}

// await returns the image once this or another process has stored it.
func (k *Keeper) await(ctx context.Context, id xid.ID, address string) (*db.Picture, error) {
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
			return nil, fault.Missing("image")
		}
		if err := pause(ctx, pollEvery); err != nil {
			return nil, err
		}
	}
}

// try waits for a slot and fetches, unless another process was first: then it returns neither an
// image nor an error.
func (k *Keeper) try(ctx context.Context, row *db.Picture, id xid.ID, address string) (*db.Picture, error) {
	leave, err := k.fetching.enter(ctx, viewer.From(ctx).Store, 1)
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

func (k *Keeper) row(ctx context.Context, id xid.ID) (*db.Picture, error) {
	rows, err := k.Store.DB(ctx).Picture.Query().Where(dbpicture.ID(id)).Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return rows[0], nil
}
