package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	attempts "github.com/storefront-go/storefront/ent/db/attempt"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

func TestMain(m *testing.M) {
	storetest.Overlap(8)
	m.Run()
}

// vault is the vault of every engine in the tests.
var vault = func() webhook.Vault {
	ring, err := keyring.Parse("a secret of more than thirty-two characters")
	if err != nil {
		panic(err)
	}
	return webhook.NewVault(ring)
}()

// shop is one store with an engine.
type shop struct {
	t      testing.TB
	s      *ent.Store
	ctx    context.Context // of the store's operator
	store  xid.ID
	engine *webhook.Engine
}

// open creates a store and an engine that is not started.
func open(t testing.TB, s *ent.Store, set ...func(*webhook.Config)) *shop {
	t.Helper()
	ctx, store := storetest.Merchant(t, s)
	return &shop{t: t, s: s, ctx: ctx, store: store.ID, engine: engine(t, s, set...)}
}

// engine returns an engine that is not started.
func engine(t testing.TB, s *ent.Store, set ...func(*webhook.Config)) *webhook.Engine {
	t.Helper()
	c := webhook.Config{Store: s, Vault: vault, Egress: egress.Policy{AllowLoopback: true}, Poll: 20 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	for _, f := range set {
		f(&c)
	}
	e, err := webhook.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(e) })
	return e
}

func stop(e *webhook.Engine) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	e.Stop(ctx)
}

// endpoint registers an endpoint for some event types.
func (s *shop) endpoint(url string, types ...event.Type) *db.WebhookEndpoint {
	s.t.Helper()
	return s.register(xid.New(), url, types...)
}

// register is [shop.endpoint] with an id, which contains the time of the host.
func (s *shop) register(id xid.ID, url string, types ...event.Type) *db.WebhookEndpoint {
	s.t.Helper()
	var names strings.Builder
	for _, t := range slices.Sorted(slices.Values(types)) {
		names.WriteString(string(t) + " ")
	}
	var row *db.WebhookEndpoint
	s.tx(func(ctx context.Context) (err error) {
		secret := webhook.NewSecret()
		row, err = s.s.DB(ctx).WebhookEndpoint.Create().SetID(id).SetURL(url).SetEvents(names.String()).
			SetStatus(state.EndpointActive).SetSecret(vault.Seal(id, secret)).SetSecretHint(webhook.Hint(secret)).
			SetUpdatedAt(micros.Now()).Save(ctx)
		if err != nil {
			return err
		}
		return s.engine.Create(ctx, id)
	})
	return row
}

func (s *shop) tx(f func(context.Context) error) {
	s.t.Helper()
	if err := s.s.InTx(s.ctx, f); err != nil {
		s.t.Fatal(err)
	}
}

// product is a resource about which a test writes events.
type product struct {
	id       xid.ID
	sequence int64
	at       micros.Time
}

// change writes the next event of a product.
func (s *shop) change(p *product) {
	s.t.Helper()
	s.next(p, func(ctx context.Context, p *product) error { return s.changeIn(ctx, p) })
}

// next runs f in a transaction, which may run it again, and keeps the product of the last run.
func (s *shop) next(p *product, f func(context.Context, *product) error) {
	s.t.Helper()
	var next product
	s.tx(func(ctx context.Context) error {
		next = *p
		return f(ctx, &next)
	})
	*p = next
}

func (s *shop) changeIn(ctx context.Context, p *product) error {
	p.sequence++
	p.at = outbox.After(p.at)
	return outbox.Append(ctx, s.s.DB(ctx),
		outbox.Resource{Store: s.store, ID: p.id, Version: p.sequence, Sequence: p.sequence, At: p.at},
		outbox.Entry{Type: event.ProductUpdated, Changed: []string{"title"}, Object: []byte(`{"id":"x"}`)})
}

// receipt is a request that a receiver got.
type receipt struct {
	Event    string `json:"event_id"`
	Resource struct {
		ID string `json:"id"`
	} `json:"resource"`
	Sequence int64 `json:"sequence"`
	header   http.Header
	body     []byte
	status   int
	at       time.Time
}

// receiver is the server behind an endpoint; it records its requests.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []receipt
	answer func(receipt) int // 200 by default
}

func receive(t testing.TB, answer func(receipt) int) *receiver {
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP records a request and answers it.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	got := receipt{header: q.Header, body: body, status: 200, at: time.Now()}
	if err := json.Unmarshal(body, &got); err != nil {
		panic(fmt.Errorf("received %q: %w", body, err))
	}
	if r.answer != nil {
		got.status = r.answer(got)
	}
	r.mu.Lock()
	r.got = append(r.got, got)
	r.mu.Unlock()
	w.WriteHeader(got.status)
}

// accepted returns how many different events were answered with 2xx.
func (r *receiver) accepted() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	for _, g := range r.got {
		if g.status < 300 {
			seen[g.Event] = true
		}
	}
	return len(seen)
}

// last returns the body of the last request, "" before the first.
func (r *receiver) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.got) == 0 {
		return ""
	}
	return string(r.got[len(r.got)-1].body)
}

// attempts returns the number of requests.
func (r *receiver) attempts() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

// inOrder fails the test if an event arrived before an earlier one of its resource was accepted.
func (r *receiver) inOrder(t testing.TB) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	accepted := map[string]int64{}
	for _, g := range r.got {
		if g.Sequence > accepted[g.Resource.ID]+1 {
			t.Errorf("%s: sequence %d came after %d", g.Resource.ID, g.Sequence, accepted[g.Resource.ID])
		}
		if g.status < 300 {
			accepted[g.Resource.ID] = max(accepted[g.Resource.ID], g.Sequence)
		}
	}
}

// until waits until a condition holds.
func until(t testing.TB, what string, so func() bool) {
	t.Helper()
	limit := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-limit:
			t.Fatal("waited too long for " + what)
		case <-tick.C:
		}
	}
}

// serverTime returns the time of the queue clock.
func serverTime(t testing.TB, s *ent.Store) micros.Time {
	t.Helper()
	now, err := s.QueueTime(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// attemptOf selects the attempts of a delivery.
func attemptOf(d *db.DeliveryLog) []predicate.Attempt {
	return []predicate.Attempt{attempts.EndpointID(d.EndpointID), attempts.Sequence(d.Sequence)}
}

// decode decodes a request's body.
func decode(t testing.TB, r *http.Request, into any) {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		t.Errorf("read a delivery: %v", err)
	}
}
