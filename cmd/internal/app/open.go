package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/cmd/internal/backup"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/erase"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/vies"
)

// Base is what every command that touches data needs.
type Base struct {
	Store *ent.Store
	// Process identifies this process in the fleet and as an owner of leases.
	Process  xid.ID
	Ring     *keyring.Ring
	Keys     *apikey.Keeper
	Sessions *session.Keeper
	Blobs    *blob.Store
	// Domains are the settings of the own domains of stores.
	Domains Domains
	// ServiceMail is the address of the service if stores may send emails from their own, or "".
	ServiceMail string
	// Notifier writes notices; nil if they appear only on the dashboard.
	Notifier *notify.Notifier
	Limits   limit.Values
	// Erasures redacts customers from stored and outgoing data; nil if nothing is sent.
	Erasures *erase.Engine
	// VIES checks VAT ids of shoppers; nil judges them by their form alone.
	VIES *vies.Client
}

// Opening says how to open.
type Opening struct {
	Storage
	Limits
	// Migrate applies pending migrations on every engine, not on SQLite alone.
	Migrate bool
	// WaitFor is how long to wait for a database server that is down, such as one that starts at
	// the same time. A wrong password or name is an error at once.
	WaitFor time.Duration
	// Relaxed lets SQLite lose the last moments in a power cut, which is acceptable for demos.
	Relaxed bool
	Logger  *slog.Logger
}

// Open opens the database at its newest schema and loads the root secret, which the first call
// creates. A MySQL database with pending migrations is refused: the operator decides when the
// schema changes.
func Open(ctx context.Context, o Opening) (*Base, error) {
	s, err := OpenStore(ctx, o)
	if err != nil {
		return nil, err
	}
	b, err := open(ctx, s, o)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return b, nil
}

func open(ctx context.Context, s *ent.Store, o Opening) (*Base, error) {
	if err := prepareSchema(ctx, s, o); err != nil {
		return nil, err
	}
	ring, err := o.Ring()
	if err != nil {
		return nil, err
	}
	limits, err := o.Limits.values()
	if err != nil {
		return nil, err
	}
	sessions, err := session.NewKeeper(session.Config{Store: s, Devices: ring.MACs(keyring.Cookies), Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	blobs, err := blob.Open(ctx, o.Blobs, filepath.Join(o.Data, "blobs"))
	if err != nil {
		return nil, fmt.Errorf("--blobs: %w", err)
	}
	return &Base{Store: s, Process: xid.New(), Ring: ring, Keys: apikey.NewKeeper(s), Sessions: sessions, Blobs: blobs,
		Limits: limits}, nil
}

// OpenStore opens the database as it is.
func OpenStore(ctx context.Context, o Opening) (*ent.Store, error) {
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	if err := backup.CheckFolder(o.Data); err != nil {
		return nil, err
	}
	if path := o.SQLitePath(); path != "" {
		// SQLite would make it readable by everyone; its log files copy the mode.
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("make the database file: %w", err)
		}
		f.Close()
	}
	c := ent.Config{Database: o.Address(), FullSync: !o.Relaxed, Logger: o.Logger}
	if o.WaitFor == 0 || o.SQLitePath() != "" {
		return ent.Open(ctx, c)
	}
	return await(ctx, o, func() (*ent.Store, error) { return ent.Open(ctx, c) })
}

// How long servers and dispatchers wait for the database, how often they try, and how many tries
// pass between two log lines.
const (
	patience = time.Minute
	lookEach = time.Second
	sayEach  = 5
)

func await(ctx context.Context, o Opening, open func() (*ent.Store, error)) (*ent.Store, error) {
	end := time.NewTimer(o.WaitFor)
	defer end.Stop()
	for tries := 0; ; tries++ {
		s, err := open()
		if !ent.IsDown(err) {
			return s, err
		}
		if tries%sayEach == 0 {
			o.Logger.WarnContext(ctx, "the database is down: retrying", "error", err)
		}
		select {
		case <-time.After(lookEach):
		case <-end.C:
			return nil, err
		case <-ctx.Done():
			return nil, err
		}
	}
}

// prepareSchema applies the migrations that may be applied, and refuses an older schema.
func prepareSchema(ctx context.Context, s *ent.Store, o Opening) error {
	st, err := migrate.Check(ctx, s)
	if err != nil {
		return err
	}
	if len(st.Unknown) > 0 {
		return fmt.Errorf("the database has migrations or data formats that this program does not know (%s): a newer "+
			"version of the program was here, run that one",
			strings.Join(st.Unknown, ", "))
	}
	if len(st.Newer) > 0 && o.Logger != nil {
		o.Logger.WarnContext(ctx, "a newer version of the program was here", "migrations", st.Newer)
	}
	if len(st.Pending) == 0 {
		return nil
	}
	if s.Dialect() != dialect.SQLite && !o.Migrate {
		return pendingError(st)
	}
	n, err := migrate.Apply(ctx, s)
	if err != nil {
		return err
	}
	if o.Logger != nil && n > 0 {
		o.Logger.InfoContext(ctx, "migrations applied", "count", n)
	}
	return nil
}

func pendingError(st migrate.Status) error {
	text := fmt.Sprintf("%d migrations are pending (%s): run `storefront migrate apply`, or start with --migrate",
		len(st.Pending), strings.Join(st.Pending, ", "))
	if st.Failed != "" {
		text += "; the first of them stopped half-way: " + st.Failed
	}
	return errors.New(text)
}

// Ring loads the root secret from the environment or the data folder, which gets one if necessary.
func (s Storage) Ring() (*keyring.Ring, error) {
	if s.SecretKey == "" {
		return keyring.LoadOrCreate(s.Data)
	}
	r, err := keyring.Parse(s.SecretKey)
	if err != nil {
		return nil, fmt.Errorf("STOREFRONT_SECRET_KEY: %w", err)
	}
	return r, nil
}

// Core creates the operations for stores at the given addresses.
func (b *Base) Core(a Addresses, hooks *webhook.Engine, m Marketplace, log *slog.Logger) (*graph.Resolver, error) {
	exports, err := export.New(export.Config{Store: b.Store, Process: b.Process, Blobs: b.Blobs,
		Notifier: b.Notifier, Limits: b.Limits,
		StoreOrigin: func(handle string) string { return core.OriginOf(a.API, a.StoreHost(handle)) }, Logger: log})
	if err != nil {
		return nil, err
	}
	themes, err := install.New(install.Config{Store: b.Store, Blobs: b.Blobs, Notifier: b.Notifier, Logger: log})
	if err != nil {
		return nil, err
	}
	pictures, err := images.New(images.Config{Store: b.Store, Blobs: b.Blobs, Limits: b.Limits,
		Logger: log})
	if err != nil {
		return nil, err
	}
	factors, err := factor.New(factor.Config{Store: b.Store, Ring: b.Ring, APIHost: a.API, Notifier: b.Notifier,
		Limits: b.Limits, Logger: log})
	if err != nil {
		return nil, err
	}
	domains, err := b.domains(a, log)
	if err != nil {
		return nil, err
	}
	return graph.New(graph.Config{
		Config: core.Config{Store: b.Store, Pages: page.New(b.Ring), HostOf: a.StoreHost, APIHost: a.API,
			Limits: b.Limits, Logger: log},
		Engines: graph.Engines{Keys: b.Keys, Sessions: b.Sessions, Factors: factors, Links: link.New(b.Ring),
			Webhooks: hooks, Exports: exports, Erasures: b.Erasures, Themes: themes, Images: pictures,
			Domains:  domains,
			Payments: payment.NewDesk(b.Ring, payment.NewStripe("")), Notifier: b.Notifier, VIES: b.VIES},
		Reviewer: m.reviews})
}

// Close closes the database and the blob store.
func (b *Base) Close() error { return errors.Join(b.Blobs.Close(), b.Store.Close()) }
