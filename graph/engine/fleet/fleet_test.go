package fleet_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db/process"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/fleet"
)

func member(t *testing.T, s *ent.Store, role state.ProcessRole) *fleet.Member {
	t.Helper()
	m, err := fleet.New(fleet.Config{Store: s, ID: xid.New(), Role: role, Version: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

// age moves the last beat of a process into the past.
func age(t *testing.T, s *ent.Store, id xid.ID, by time.Duration) {
	t.Helper()
	now, err := s.QueueTime(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = s.InTx(t.Context(), func(ctx context.Context) error {
		return s.DB(ctx).Process.Update().Where(process.ID(id)).SetSeenAt(now.Add(-by)).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A process is alive while it beats, gone when its beats stop, deleted an hour later, and leaves no
// row after a regular shutdown.
func TestMembers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		one, two := member(t, s, state.ProcessServer), member(t, s, state.ProcessServer)
		other := member(t, s, state.ProcessDispatcher)
		is := func(when string, want map[string]bool, servers int64) {
			t.Helper()
			if err := one.Beat(t.Context()); err != nil {
				t.Fatal(err)
			}
			list, err := fleet.List(t.Context(), s)
			if err != nil || len(list) != len(want) {
				t.Fatalf("%s: %d processes, %v, want %d", when, len(list), err, len(want))
			}
			for _, p := range list {
				alive, ok := want[p.ID]
				if !ok || p.Alive != alive || p.Version != "v1.2.3" || p.Host == "" || p.PID == 0 {
					t.Errorf("%s: %+v, want alive: %t", when, p, alive)
				}
			}
			if n := one.Servers(); n != servers {
				t.Errorf("%s: %d servers are counted, want %d", when, n, servers)
			}
		}
		is("at first", map[string]bool{one.ID.String(): true, two.ID.String(): true, other.ID.String(): true}, 2)
		age(t, s, two.ID, 16*time.Second)
		is("after two stopped", map[string]bool{
			one.ID.String(): true, two.ID.String(): false, other.ID.String(): true,
		}, 1)
		age(t, s, two.ID, time.Hour+time.Minute)
		if n, err := fleet.Purge(t.Context(), s); n != 1 || err != nil {
			t.Errorf("purged %d, %v, want 1", n, err)
		}
		is("after an hour", map[string]bool{one.ID.String(): true, other.ID.String(): true}, 1)
		if err := other.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		is("after the dispatcher left", map[string]bool{one.ID.String(): true}, 1)
	})
}

// The view shows the holders of leases, and how much work waits and for how long.
func TestLook(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := member(t, s, state.ProcessServer)
		ctx, shop := storetest.Merchant(t, s)
		now, err := s.QueueTime(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b := bucket.Of(shop.ID)
		err = s.InTx(ctx, func(ctx context.Context) error {
			c := s.DB(ctx)
			event := xid.At(micros.Now().Add(-time.Minute))
			if err := c.Outbox.Create().SetBucket(b).SetID(event).Exec(ctx); err != nil {
				return err
			}
			for range 2 {
				if err := c.WebhookQueue.Create().SetBucket(b).SetLeaseOwner(m.ID).SetDueAt(now.Add(6 * time.Second)).
					SetLeaseUntil(now.Add(6 * time.Second)).Exec(ctx); err != nil {
					return err
				}
			}
			if err := c.WebhookQueue.Create().SetBucket(b).SetDueAt(now.Add(-5 * time.Second)).Exec(ctx); err != nil {
				return err
			}
			for _, step := range []state.RedactionStep{state.RedactResponses, state.RedactDone} {
				err := c.Redaction.Create().SetBucket(b).SetDueAt(now).SetBegunAt(now).SetStep(step).Exec(ctx)
				if err != nil {
					return err
				}
			}
			return c.Mail.Create().SetBucket(b).SetDueAt(micros.Now().Add(-time.Minute)).
				SetRecipient("ada@example.com").SetSubject("A secret subject").SetBody("body").Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		v, err := fleet.Inspect(t.Context(), s)
		if err != nil || len(v.Processes) != 1 || len(v.Shards) != 1 || len(v.Leases) != 1 {
			t.Fatalf("%+v, %v", v, err)
		}
		if l := v.Leases[0]; l.Owner != m.ID.String() || l.Kind != "queues" || l.Held != 2 {
			t.Errorf("leases: %+v", l)
		}
		within := func(name string, b fleet.Backlog, waiting int, seconds float64) {
			t.Helper()
			if b.Waiting != waiting || b.Oldest < seconds || b.Oldest > seconds+30 {
				t.Errorf("%s: %+v, want %d since %v s", name, b, waiting, seconds)
			}
		}
		within("outbox", v.Shards[0].Outbox, 1, 60)
		within("queues", v.Shards[0].Queues, 1, 5)
		within("mails", v.Shards[0].Jobs.Mails, 1, 60)
		within("deliveries", v.Shards[0].Deliveries, 0, 0)
		if n := v.Shards[0].Jobs.Redactions; n != 1 {
			t.Errorf("%d redactions are left, want the one that is not done", n)
		}
		text, err := json.Marshal(v)
		if err != nil || strings.Contains(string(text), "example.com") || strings.Contains(string(text), "secret") {
			t.Errorf("%s, %v", text, err)
		}
	})
}
