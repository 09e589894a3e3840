package domain_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbdomain "github.com/storefront-go/storefront/ent/db/domain"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/domain"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// names answers look-ups from a table of TXT records. A name with the value "down" fails.
type names struct {
	mu   sync.Mutex
	txts map[string]string
}

func (n *names) set(d *db.Domain, value string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.txts[domain.TXTName(d)+"."] = value
}

func (n *names) LookupTXT(_ context.Context, name string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch text := n.txts[name]; text {
	case "":
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	case "down":
		return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	default:
		return strings.Split(text, " "), nil
	}
}

func (n *names) LookupCNAME(_ context.Context, host string) (string, error) { return host, nil }

func newEngine(t testing.TB, s *ent.Store, r domain.Resolver) *domain.Engine {
	return newCertifier(t, s, r, domain.Authority{})
}

func newCertifier(t testing.TB, s *ent.Store, r domain.Resolver, a domain.Authority) *domain.Engine {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("domains ", 5))
	if err != nil {
		t.Fatal(err)
	}
	e, err := domain.New(domain.Config{Store: s, Ring: ring, Resolver: r, Authority: a,
		Logger:   slog.New(slog.NewTextHandler(t.Output(), nil)),
		HostOf:   func(handle string) string { return handle + ".shops.test:8443" },
		Reserved: []string{"api.service.example", "shops.test"}, ServiceMail: "Notices@service.example"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// merchant is a store with one domain.
type merchant struct {
	t     *testing.T
	ctx   context.Context
	s     *ent.Store
	store *db.Store
	id    xid.ID
}

func newMerchant(t *testing.T, s *ent.Store, host string) *merchant {
	t.Helper()
	ctx, row := storetest.Merchant(t, s)
	m := &merchant{t: t, ctx: ctx, s: s, store: row, id: xid.New()}
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Domain.Create().SetID(m.id).SetBucket(bucket.Of(row.ID)).SetHost(host).SetToken("of-" + row.Handle).
			SetDueAt(0).SetPreferred(true).Exec(ctx)
	})
	return m
}

func (m *merchant) tx(f func(ctx context.Context, c *db.Client) error) {
	m.t.Helper()
	if err := m.s.InTx(m.ctx, func(ctx context.Context) error { return f(ctx, m.s.DB(ctx)) }); err != nil {
		m.t.Fatal(err)
	}
}

func (m *merchant) domain() *db.Domain {
	m.t.Helper()
	d, err := m.s.DB(m.ctx).Domain.Query().Where(dbdomain.ID(m.id)).Only(m.ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	return d
}

// checked makes the domain due, runs a round and returns the domain.
func (m *merchant) checked(e *domain.Engine) *db.Domain {
	m.t.Helper()
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Domain.Update().Where(dbdomain.ID(m.id)).SetDueAt(0).Exec(ctx)
	})
	if err := e.Round(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	return m.domain()
}

// arrives returns the domain at which visitors arrive, or "".
func (m *merchant) arrives() string {
	m.t.Helper()
	s, err := m.s.DB(m.ctx).Store.Query().Where(store.ID(m.store.ID)).Only(m.ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	if s.Domain == nil {
		return ""
	}
	return *s.Domain
}

// has fails the test unless a host leads to a store, for an engine without cached look-ups.
func has(t *testing.T, s *ent.Store, host, want string) {
	t.Helper()
	got, ok, err := newEngine(t, s, nil).HandleOf(t.Context(), host)
	if err != nil || got != want || ok != (want != "") {
		t.Errorf("%s leads to %q, %v, want %q", host, got, err, want)
	}
}

// Two stores want a host. The first to prove it has it until its proof is gone for a day; then the
// other connects it. Answers that never came count for nothing.
func TestRound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		const host = "www.example.com"
		dns := &names{txts: map[string]string{}}
		e := newEngine(t, s, dns)
		a, b := newMerchant(t, s, host), newMerchant(t, s, host)
		if d := a.checked(e); d.ProvedAt != nil || d.Problem == nil || d.CheckedAt == nil {
			t.Errorf("without a record: %v", d)
		}
		has(t, s, host, "")
		first, second := domain.TXTValue(a.domain()), domain.TXTValue(b.domain())
		dns.set(a.domain(), second+" "+first)
		if d := b.checked(e); d.ProvedAt == nil || d.Problem != nil || b.arrives() != host {
			t.Errorf("after the proof: %v, visitors arrive at %q", d, b.arrives())
		}
		if d := a.checked(e); d.ProvedAt != nil || d.Problem == nil || !strings.Contains(*d.Problem, "Another store") {
			t.Errorf("the second to prove it: %v", d)
		}
		has(t, s, "WWW.example.com.:8443", b.store.Handle)

		dns.set(a.domain(), "down")
		if d := b.checked(e); d.Missed != 0 || d.Problem == nil || d.ProvedAt == nil {
			t.Errorf("while DNS is down: %v", d)
		}
		dns.set(a.domain(), first)
		for i := 1; i < domain.MaxMissed; i++ {
			if d := b.checked(e); d.Missed != i || d.ProvedAt == nil {
				t.Fatalf("after %d checks without proof: %v", i, d)
			}
		}
		if b.arrives() != host || a.checked(e).ProvedAt != nil {
			t.Error("the store lost its domain too early")
		}
		if d := b.checked(e); d.ProvedAt != nil || b.arrives() != "" {
			t.Errorf("a day after the proof is gone: %v, visitors arrive at %q", d, b.arrives())
		}
		has(t, s, host, "")
		if d := a.checked(e); d.ProvedAt == nil || a.arrives() != host {
			t.Errorf("the other store: %v", d)
		}
		has(t, s, host, a.store.Handle)
		notices, err := s.DB(b.ctx).Notification.Query().Count(b.ctx)
		if err != nil || notices != 2 {
			t.Errorf("%d notices, %v", notices, err)
		}
	})
}

// A removed domain whose check is under way is not connected.
func TestRemovedMeanwhile(t *testing.T) {
	s := storetest.Open(t)
	m := newMerchant(t, s, "www.example.com")
	d := m.domain()
	dns := &meanwhile{names: &names{txts: map[string]string{}}, then: func() {
		m.tx(func(ctx context.Context, c *db.Client) error {
			_, err := c.Domain.Delete().Where(dbdomain.ID(m.id)).Exec(ctx)
			return err
		})
	}}
	dns.set(d, domain.TXTValue(d))
	if err := newEngine(t, s, dns).Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	has(t, s, "www.example.com", "")
}

type meanwhile struct {
	*names
	then func()
}

func (m *meanwhile) LookupTXT(ctx context.Context, name string) ([]string, error) {
	m.then()
	return m.names.LookupTXT(ctx, name)
}

// Look-ups are cached, also those of hosts without a store, and hosts that can have none cost
// nothing.
func TestFindCaches(t *testing.T) {
	s := storetest.Open(t)
	m := newMerchant(t, s, "www.example.com")
	d := m.domain()
	dns := &names{txts: map[string]string{}}
	dns.set(d, domain.TXTValue(d))
	e := newEngine(t, s, dns)
	m.checked(e)
	for host, most := range map[string]uint64{"www.example.com": 2, "none.example.com": 1, "localhost": 0, "1.2.3.4": 0,
		"tea.shops.test": 0, "": 0, strings.Repeat("a", 300) + ".example": 0} {
		before := s.Statements()
		for range 50 {
			if _, _, err := e.HandleOf(t.Context(), host); err != nil {
				t.Fatal(err)
			}
		}
		if n := s.Statements() - before; n > most {
			t.Errorf("%q: %d statements", host, n)
		}
	}
}

// With an authority, visitors arrive only where there is a certificate. A failed order says why and
// waits.
func TestOrderFails(t *testing.T) {
	s := storetest.Open(t)
	m := newMerchant(t, s, "www.example.com")
	d := m.domain()
	dns := &names{txts: map[string]string{}}
	dns.set(d, domain.TXTValue(d))
	asked := 0
	ca := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusForbidden)
		w.Write([]byte(`{"type": "urn:ietf:params:acme:error:unauthorized", "detail": "no"}`))
	}))
	t.Cleanup(ca.Close)
	e := newCertifier(t, s, dns, domain.Authority{Directory: ca.URL})
	d = m.checked(e)
	if d.ProvedAt == nil || d.CertificateProblem == nil || d.CertificateFailures != 1 || d.CertificateDue == nil ||
		m.arrives() != "" || asked == 0 {
		t.Errorf("%v after %d requests, visitors arrive at %q", d, asked, m.arrives())
	}
	before := asked
	if d = m.checked(e); asked != before || d.CertificateFailures != 1 {
		t.Errorf("%d more requests, %v", asked-before, d)
	}
}

// The port without TLS redirects to hosts that are served, and to no others.
func TestPlain(t *testing.T) {
	s := storetest.Open(t)
	m := newMerchant(t, s, "www.example.com")
	d := m.domain()
	dns := &names{txts: map[string]string{}}
	dns.set(d, domain.TXTValue(d))
	e := newCertifier(t, s, dns, domain.Authority{Directory: "https://ca.invalid/dir"})
	m.checked(newEngine(t, s, dns))
	long := "http://evil.example/.well-known/acme-challenge/" + strings.Repeat("a", 257)
	for address, want := range map[string]string{
		"http://www.example.com/a?b=c":                            "https://www.example.com:8443/a?b=c",
		"http://api.service.example:80/":                          "https://api.service.example:8443/",
		"http://tea.shops.test//evil.example":                     "https://tea.shops.test:8443//evil.example",
		"http://evil.example/":                                    "404",
		"http://evil.example/.well-known/acme-challenge/tok-en_1": "tok-en_1.",
		"http://evil.example/.well-known/acme-challenge/a.b":      "404",
		"http://www.example.com/.well-known/<b>":                  "https://www.example.com:8443/.well-known/",
		long:                                                      "404",
	} {
		w := httptest.NewRecorder()
		e.Plain().ServeHTTP(w, httptest.NewRequest(http.MethodGet, strings.ReplaceAll(address, "<b>", "%3Cb%3E"), nil))
		got := w.Header().Get("Location")
		switch w.Code {
		case http.StatusNotFound:
			got = "404"
		case http.StatusOK:
			got = w.Body.String()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
