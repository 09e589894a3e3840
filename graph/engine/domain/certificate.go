package domain

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/acme"

	"github.com/storefront-go/storefront/ent/db"
	dbdomain "github.com/storefront-go/storefront/ent/db/domain"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

const (
	// maxCertificates bounds the certificates in memory.
	maxCertificates = 2000
	// reload is how long a certificate is used without reading it again, and reloadNone how long
	// the lack of one is believed.
	reload, reloadNone = time.Minute, 2 * time.Second
	// maxProblem is the length of the text of a problem, in characters.
	maxProblem = 500
)

// orderRate bounds the orders of all processes together: at most 280 within 3 hours, of which Let's
// Encrypt accepts 300.
var orderRate = ratelimit.Per(140, 3*time.Hour)

// waits are the pauses after failed orders. An authority bounds the failures of each host.
var waits = []time.Duration{10 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour}

// backoff returns the pause after another failed order.
func backoff(failures int) time.Duration { return waits[min(failures, len(waits)-1)] }

// order orders a certificate and writes it, or why there is none. [Engine.record] has counted the
// attempt.
func (e *Engine) order(ctx context.Context, row *db.Domain) error {
	wait, err := ratelimit.Take(ctx, e.Store, ratelimit.Key("acme", "orders"), orderRate)
	if err != nil {
		return err
	}
	if wait > 0 {
		return e.postpone(ctx, row, row.CertificateFailures, wait, "Too many certificates are ordered at the moment.")
	}
	text, leaf, err := e.acme.obtain(ctx, row.Host)
	if err != nil {
		e.Logger.WarnContext(ctx, "a certificate was not issued", "host", row.Host, "error", err)
		after, _ := acme.RateLimit(err)
		wait := max(after, backoff(row.CertificateFailures))
		return e.postpone(ctx, row, row.CertificateFailures+1, wait, explain(err))
	}
	if err := e.keep(ctx, row, text, leaf); err != nil {
		return err
	}
	e.loaded.Remove(row.Host)
	e.Logger.InfoContext(ctx, "certificate issued", "host", row.Host, "until", leaf.NotAfter)
	return nil
}

// keep stores the key and the chain of a domain that is still the store's. It needs no lease: a valid
// certificate is not lost because someone had the domain checked while it was issued.
func (e *Engine) keep(ctx context.Context, row *db.Domain, text []byte, leaf *x509.Certificate) error {
	due := leaf.NotBefore.Add(leaf.NotAfter.Sub(leaf.NotBefore) * 2 / 3)
	return e.Store.InTx(ctx, func(ctx context.Context) error {
		if err := e.hold(ctx); err != nil {
			return err
		}
		err := e.Store.DB(ctx).Domain.Update().Where(dbdomain.ID(row.ID), dbdomain.ProvedAtNotNil()).
			SetCertificate(e.sealer.Seal(text, row.ID[:])).SetCertificateUntil(micros.Of(leaf.NotAfter)).
			SetCertificateDue(micros.Of(due)).SetCertificateFailures(0).ClearCertificateProblem().Exec(ctx)
		if err != nil {
			return fmt.Errorf("store a certificate: %w", err)
		}
		return e.Arrive(ctx)
	})
}

func (e *Engine) postpone(ctx context.Context, row *db.Domain, failures int, wait time.Duration, why string) error {
	if utf8.RuneCountInString(why) > maxProblem {
		why = string([]rune(why)[:maxProblem-1]) + "…"
	}
	row.CertificateDue = new(micros.Now().Add(wait))
	return e.Store.InTx(ctx, func(ctx context.Context) error {
		u := e.Store.DB(ctx).Domain.Update().SetCertificateDue(*row.CertificateDue).SetCertificateFailures(failures).
			SetCertificateProblem(why)
		return e.write(ctx, row, u, pause(row, proof{proved: true}))
	})
}

// served is a certificate in memory; nil if the host has none.
type served struct {
	*tls.Certificate
	at time.Time
}

// Certificate implements [tls.Config.GetCertificate] for the domains of stores. It returns nil for
// other hosts, which makes the server use its own certificate.
func (e *Engine) Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	host, ctx := bare(hello.ServerName), hello.Context()
	if e.acme == nil {
		return nil, nil
	}
	found, err := e.find(ctx, host)
	switch {
	case err != nil:
		e.Logger.DebugContext(ctx, "the host of a connection cannot be looked up", "host", host, "error", err)
		return nil, nil
	case found.handle == "":
		return nil, nil
	}
	last, ok := e.loaded.Get(host)
	age := time.Since(last.at)
	if ok && (age < reloadNone || age < reload && last.Certificate != nil) {
		return last.Certificate, nil
	}
	c, err := e.loading.Do(ctx, host, findTime, func(ctx context.Context) (*tls.Certificate, error) {
		return e.load(viewer.Operator(ctx, found.store), host)
	})
	if err != nil {
		e.Logger.WarnContext(ctx, "a certificate cannot be read", "host", host, "error", err)
		return last.Certificate, nil
	}
	e.loaded.Add(host, served{c, time.Now()})
	return c, nil
}

// load reads the certificate of a domain of the viewer's store; nil if it has none.
func (e *Engine) load(ctx context.Context, host string) (*tls.Certificate, error) {
	rows, err := e.Store.DB(ctx).Domain.Query().Where(dbdomain.Host(host)).Load(ctx)
	if err != nil || len(rows) == 0 || len(rows[0].Certificate) == 0 {
		return nil, fault.Wrap("read a certificate", err)
	}
	text, err := e.sealer.Open(rows[0].Certificate, rows[0].ID[:])
	if err != nil {
		return nil, fmt.Errorf("decrypt a certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(text, text)
	return &pair, fault.Wrap("parse a certificate", err)
}

// Plain answers what comes to the port without TLS: the tests of the authority, and for all else a
// redirect to TLS, if the host is the operator's or a store's.
func (e *Engine) Plain() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.acme != nil {
			if text, ok := e.acme.answer(r.URL.Path); ok {
				w.Header().Set("Content-Type", "text/plain")
				io.WriteString(w, text)
				return
			}
		}
		host := bare(r.Host)
		_, ok, err := e.HandleOf(r.Context(), host)
		switch {
		case err != nil:
			w.Header().Set("Retry-After", "5")
			http.Error(w, "Try again in a moment.", http.StatusServiceUnavailable)
		case !ok && !e.operators(host):
			http.Error(w, "Nothing is served at this host.", http.StatusNotFound)
		default:
			if _, port, err := net.SplitHostPort(e.HostOf("")); err == nil {
				host = net.JoinHostPort(host, port)
			}
			to := "https://" + host + r.URL.RequestURI()
			http.Redirect(w, r, to, http.StatusPermanentRedirect) //nolint:gosec // the host was checked above
		}
	})
}
