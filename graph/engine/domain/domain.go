// Package domain connects the hosts that stores bring: it proves them by DNS, finds the store of a
// host, and orders their certificates. It also proves the addresses that stores send emails from.
//
// Each domain is a row that is due for its next check. One process at a time works on it, under a
// lease whose token every write names. A proved host has an entry in a directory with a unique key,
// which alone decides what store answers there and which certificates are ordered.
package domain

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbdomain "github.com/storefront-go/storefront/ent/db/domain"
	"github.com/storefront-go/storefront/ent/db/mailsender"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/work"
	"github.com/storefront-go/storefront/graph/lib/cache"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// Resolver is the part of [net.Resolver] that proves domains.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
	LookupCNAME(ctx context.Context, host string) (string, error)
}

// Authority is the certificate authority and how to reach it.
type Authority struct {
	// Directory is the URL of its ACME directory (RFC 8555, section 7.1.1).
	Directory string
	// Email is where it sends warnings; "" for nowhere.
	Email string
	// Roots verify the authority itself; nil for the system's.
	Roots *x509.CertPool
}

// Config is the configuration of an [Engine].
type Config struct {
	Store *ent.Store
	Ring  *keyring.Ring
	// HostOf returns the built-in host of a store by its handle.
	HostOf func(handle string) string
	// Reserved are hosts of the operator: no store may bring them or what is below them.
	Reserved []string
	// ServiceMail is the address that the service sends emails from; "" if stores must not send from
	// addresses of their own.
	ServiceMail string
	// Resolver is the system's by default.
	Resolver Resolver
	// Authority issues certificates; without a directory a proxy provides them.
	Authority Authority
	// Notifier informs the people of a store; nil if notices appear only on the dashboard.
	Notifier *notify.Notifier
	Logger   *slog.Logger
}

// Engine works on the domains of all stores.
type Engine struct {
	Config
	queue      lease.Queue // of domains
	senders    lease.Queue
	guard      work.Guard
	wakeups    chan struct{}
	sealer     *keyring.Sealer
	senderKeys *keyring.Sealer
	acme       *authority // nil if the engine orders no certificates

	found, absent *lru.Cache[string, entry] // by host
	looking       cache.Group[string, entry]
	misses        *ratelimit.Limiter[struct{}]
	loaded        *lru.Cache[string, served] // by host
	loading       cache.Group[string, *tls.Certificate]
}

// New creates an engine. [Engine.Round] does its work.
func New(c Config) (*Engine, error) {
	if c.Store == nil || c.Ring == nil || c.HostOf == nil {
		return nil, errors.New("domain: a store, a ring and HostOf are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Resolver == nil {
		c.Resolver = net.DefaultResolver
	}
	e := &Engine{Config: c, wakeups: make(chan struct{}, 1), sealer: c.Ring.Sealer("certificates"),
		senderKeys: c.Ring.Sealer("email senders"),
		queue: lease.Queue{Store: c.Store, Table: dbdomain.Table, Owner: dbdomain.FieldStoreID,
			Tries: dbdomain.FieldTries},
		senders: lease.Queue{Store: c.Store, Table: mailsender.Table, Owner: mailsender.FieldStoreID,
			Tries: mailsender.FieldTries}}
	e.found, _ = lru.New[string, entry](maxHosts) // only a size below one is an error
	e.absent, _ = lru.New[string, entry](maxHosts)
	e.loaded, _ = lru.New[string, served](maxCertificates)
	var err error
	if e.misses, err = ratelimit.New[struct{}](ratelimit.Config{Rate: missRate, Burst: missBurst}); err != nil {
		return nil, fmt.Errorf("domain: %w", err)
	}
	if c.Authority.Directory != "" {
		e.acme = newAuthority(c.Authority, c.Ring)
	}
	return e, nil
}

// Wakeups starts a round at once, see [Engine.Wake].
func (e *Engine) Wakeups() <-chan struct{} { return e.wakeups }

// Wake makes the next round start now. Call it after the commit that makes a domain due.
func (e *Engine) Wake() {
	select {
	case e.wakeups <- struct{}{}:
	default:
	}
}

// Certifies reports whether the engine orders certificates.
func (e *Engine) Certifies() bool { return e.acme != nil }

// expiring is how long before its end a certificate is no longer relied on, which leaves time for
// the next check.
const expiring = 2 * time.Hour

// Serves reports whether visitors can use a domain: the store has it, and there is a certificate
// unless a proxy provides them.
func (e *Engine) Serves(d *db.Domain) bool {
	return d.ProvedAt != nil &&
		(e.acme == nil || d.CertificateUntil != nil && *d.CertificateUntil > micros.Now().Add(expiring))
}

// Arrive writes at which host the visitors of the viewer's store arrive: the preferred domain, if
// it can be used, or else the built-in host. Call it in each transaction that changes a domain, once
// the store's row is locked.
func (e *Engine) Arrive(ctx context.Context) error {
	rows, err := e.Store.DB(ctx).Domain.Query().Where(dbdomain.Preferred(true)).Load(ctx)
	if err != nil {
		return fmt.Errorf("read the preferred domain: %w", err)
	}
	u := e.Store.DB(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store)).AddStorefrontRevision(1)
	if len(rows) == 1 && e.Serves(rows[0]) {
		u.Where(store.Or(store.DomainIsNil(), store.DomainNEQ(rows[0].Host))).SetDomain(rows[0].Host)
	} else {
		u.Where(store.DomainNotNil()).ClearDomain()
	}
	if err := u.Exec(ctx); err != nil {
		return fmt.Errorf("set where visitors arrive: %w", err)
	}
	return nil
}

// hold locks the row of the viewer's store until the commit, so that of concurrent changes each sees
// the domains that the one before left.
func (e *Engine) hold(ctx context.Context) error {
	query := e.Store.DB(ctx).Store.Query().Where(store.ID(viewer.From(ctx).Store))
	query.Modify(ent.ForUpdate)
	_, err := query.Load(ctx)
	return fault.Wrap("lock a store", err)
}
