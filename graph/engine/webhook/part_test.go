package webhook_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// endpoints registers n endpoints for changes of products, in the order of their ids.
func (s *shop) endpoints(n int, url string) []xid.ID {
	s.t.Helper()
	ids := make([]xid.ID, n)
	for i := range ids {
		ids[i] = xid.New()
	}
	slices.SortFunc(ids, xid.ID.Compare)
	secret := webhook.NewSecret()
	for some := range slices.Chunk(ids, 500) {
		s.tx(func(ctx context.Context) error {
			c := s.s.DB(ctx)
			rows, queues := make([]*db.WebhookEndpointCreate, len(some)), make([]*db.WebhookQueueCreate, len(some))
			for i, id := range some {
				rows[i] = c.WebhookEndpoint.Create().SetID(id).SetURL(url).SetEvents(string(event.ProductUpdated)).
					SetStatus(state.EndpointActive).SetSecret(vault.Seal(id, secret)).
					SetSecretHint(webhook.Hint(secret)).SetUpdatedAt(micros.Now())
				queues[i] = c.WebhookQueue.Create().SetID(id).SetBucket(bucket.Of(s.store)).SetDueAt(micros.Max)
			}
			if err := c.WebhookEndpoint.CreateBulk(rows...).Exec(ctx); err != nil {
				return err
			}
			return c.WebhookQueue.CreateBulk(queues...).Exec(ctx)
		})
	}
	return ids
}

// dealt returns the events of each endpoint in the order of their delivery.
func (s *shop) dealt() map[xid.ID][]xid.ID {
	s.t.Helper()
	of := map[xid.ID][]xid.ID{}
	for _, d := range s.s.DB(s.ctx).Delivery.Query().Order(db.Asc(delivery.FieldEndpointID, delivery.FieldSequence)).
		AllX(s.ctx) {
		of[d.EndpointID] = append(of[d.EndpointID], d.EventID)
	}
	return of
}

// pending returns the events in the outbox.
func (s *shop) pending() []xid.ID {
	s.t.Helper()
	return s.s.DB(s.ctx).Outbox.Query().Order(db.Asc("id")).IDsX(s.ctx)
}

// round runs one round of a relay.
func round(t *testing.T, r *webhook.Relay) (more bool, made int) {
	t.Helper()
	more, made, err := r.Round(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return more, made
}

// dealAll runs rounds until the outbox is empty, and returns their number.
func dealAll(t *testing.T, r *webhook.Relay) (rounds int) {
	t.Helper()
	for more := true; more; rounds++ {
		var made int
		if more, made = round(t, r); made > webhook.MaxFanOut {
			t.Errorf("%d deliveries in one transaction", made)
		}
		if rounds > 10_000 {
			t.Fatal("the outbox is never empty")
		}
	}
	return rounds
}

// TestManyEndpoints: an event goes to more endpoints than fit into one statement, and stores with
// few endpoints do not wait for that.
func TestManyEndpoints(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		many, few := open(t, s), make([]*shop, 12)
		ids := many.endpoints(6000, "http://receiver.example/")
		p := product{id: xid.New()}
		for range 5 {
			many.change(&p)
		}
		events := many.pending()
		r := webhook.NewRelay(many.engine)
		round(t, r)
		for i := range few {
			few[i] = open(t, s)
			few[i].endpoints(1, "http://receiver.example/")
			few[i].change(&product{id: xid.New()})
		}
		for rounds := 0; slices.ContainsFunc(few, func(f *shop) bool { return len(f.pending()) > 0 }); rounds++ {
			if round(t, r); rounds > 3 {
				t.Fatal("stores with few endpoints wait for the one with many")
			}
		}
		if len(many.pending()) != 5 {
			t.Error("it was fanned out in one round")
		}
		dealAll(t, r)
		of := many.dealt()
		for _, id := range ids {
			if !slices.Equal(of[id], events) {
				t.Fatalf("%v got %v, want %v", id, of[id], events)
			}
		}
		if len(of) != len(ids) {
			t.Errorf("%d endpoints got events, want %d", len(of), len(ids))
		}
	})
}

// TestChangedWhileDealt: endpoints change between two parts of an event.
func TestChangedWhileDealt(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		ids := shop.endpoints(600, "http://receiver.example/")
		row := func(id xid.ID) *db.WebhookEndpoint { return s.DB(shop.ctx).WebhookEndpoint.GetX(shop.ctx, id) }
		p := product{id: xid.New()}
		shop.change(&p)
		first := shop.pending()[0]
		r := webhook.NewRelay(shop.engine)
		round(t, r)
		held, waits := row(ids[0]), row(ids[len(ids)-1])
		for _, e := range []*db.WebhookEndpoint{held, waits} {
			shop.turn(e, state.EndpointDisabled, shop.engine.Hold)
		}
		gone := ids[len(ids)-2]
		shop.tx(func(ctx context.Context) error {
			if err := s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(gone)).SetDeletedAt(micros.Now()).
				Exec(ctx); err != nil {
				return err
			}
			return shop.engine.Cancel(ctx, gone)
		})
		later := shop.endpoint("http://receiver.example/", event.ProductUpdated)
		shop.change(&p)
		second := shop.pending()[1]
		dealAll(t, r)
		of := shop.dealt()
		for id, want := range map[xid.ID][]xid.ID{held.ID: {first}, waits.ID: nil, gone: nil, later.ID: {second},
			ids[1]: {first, second}, ids[len(ids)-3]: {first, second}} {
			if !slices.Equal(of[id], want) {
				t.Errorf("%v got %v, want %v", id, of[id], want)
			}
		}
		for e, want := range map[*db.WebhookEndpoint]xid.ID{held: second, waits: first} {
			if q := shop.queueOf(e); q.MissedFrom == nil || *q.MissedFrom != want {
				t.Errorf("missed from %v, want %v", q.MissedFrom, want)
			}
		}
	})
}

// TestPassedOverInAPart: an endpoint that reads the log was passed over by the first part of an
// event, which is still in the outbox for the others.
func TestPassedOverInAPart(t *testing.T) {
	eachWatched(t, func(t *testing.T, opened func(func(ent.Statement)) *ent.Store) {
		var relays atomic.Bool
		relays.Store(true)
		caughtUp := make(chan struct{})
		s := opened(func(q ent.Statement) {
			if !q.InTx && !relays.Load() && strings.HasPrefix(q.Query, "SELECT o.bucket") {
				<-caughtUp
			}
		})
		shop := open(t, s)
		r, p := receive(t, nil), product{id: xid.New()}
		e := shop.endpoint(r.URL, event.ProductUpdated)
		shop.endpoints(600, "http://169.254.169.254/")
		shop.change(&p)
		shop.turn(e, state.EndpointActive, func(ctx context.Context, id xid.ID) error {
			return shop.engine.ResumeFrom(ctx, id, p.at)
		})
		relay := webhook.NewRelay(shop.engine)
		if _, made := round(t, relay); made == 0 || len(shop.pending()) != 1 {
			t.Fatalf("%d deliveries, and %d events are left", made, len(shop.pending()))
		}
		relays.Store(false)
		shop.engine.Start(t.Context())
		until(t, "the end of the log", func() bool { return shop.queueOf(e).MissedFrom == nil })
		close(caughtUp)
		shop.relayed()
		r.exactly(t, 1)
	})
}

// TestRelaysAtOnce: two processes relay the events of one store as they arrive. Every endpoint
// receives each of them once, those of a resource in order.
func TestRelaysAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		ids := shop.endpoints(400, "http://receiver.example/")
		var writers, relays sync.WaitGroup
		wrote := make(chan struct{})
		for _, e := range []*webhook.Engine{shop.engine, engine(t, s)} {
			r := webhook.NewRelay(e)
			relays.Go(func() {
				for ended := false; ; {
					more, _, err := r.Round(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					if ended && !more {
						return
					}
					select {
					case <-wrote:
						ended = true
					default:
					}
				}
			})
		}
		ps := products(4)
		for i := range ps {
			writers.Go(func() {
				for range 10 {
					shop.change(&ps[i])
				}
			})
		}
		writers.Wait()
		close(wrote)
		relays.Wait()
		if n := len(shop.pending()); n != 0 {
			t.Fatalf("%d events are left", n)
		}
		resource := map[xid.ID]*db.Event{}
		for _, e := range s.DB(shop.ctx).Event.Query().AllX(shop.ctx) {
			resource[e.ID] = e
		}
		of := shop.dealt()
		for _, id := range ids {
			last := map[xid.ID]int64{}
			for _, e := range of[id] {
				if e := resource[e]; e.Sequence != last[e.ResourceID]+1 {
					t.Fatalf("%v got %d after %d", id, e.Sequence, last[e.ResourceID])
				}
				last[resource[e].ResourceID]++
			}
			if len(of[id]) != len(resource) {
				t.Fatalf("%v got %d of %d", id, len(of[id]), len(resource))
			}
		}
	})
}

// TestSlowRelay: a process that read the outbox long ago does not reset how far an event was fanned
// out, even if no endpoint of its page wants the event.
func TestSlowRelay(t *testing.T) {
	eachWatched(t, func(t *testing.T, opened func(func(ent.Statement)) *ent.Store) {
		var slow atomic.Bool
		reads, dealt := make(chan struct{}), make(chan struct{})
		s := opened(func(q ent.Statement) {
			if strings.Contains(q.Query, "SELECT e.store_id") && slow.CompareAndSwap(true, false) {
				close(reads)
				<-dealt
			}
		})
		shop := open(t, s)
		ids := shop.endpoints(1000, "http://receiver.example/")
		shop.tx(func(ctx context.Context) error {
			return s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.IDLT(ids[300])).
				SetEvents(string(event.ProductCreated)).Exec(ctx)
		})
		shop.change(&product{id: xid.New()})
		slow.Store(true)
		var late sync.WaitGroup
		late.Go(func() {
			if _, made, err := webhook.NewRelay(engine(t, s)).Round(t.Context()); made != 0 || err != nil {
				t.Errorf("%d deliveries, %v", made, err)
			}
		})
		<-reads
		r := webhook.NewRelay(shop.engine)
		for made := 0; made == 0; _, made = round(t, r) {
		}
		close(dealt)
		late.Wait()
		dealAll(t, r)
		if n := s.DB(shop.ctx).Delivery.Query().CountX(shop.ctx); n != 700 {
			t.Errorf("%d deliveries, want 700", n)
		}
	})
}
