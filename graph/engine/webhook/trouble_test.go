package webhook_test

import (
	"context"
	"log/slog"
	"net"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
)

// While this machine can open no connection, nothing is attempted and no endpoint fails. The
// operator is notified, and waiting deliveries are sent afterwards.
func TestSenderTrouble(t *testing.T) {
	t.Parallel() // it waits
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		var out atomic.Bool
		out.Store(true)
		client := attempt.New(attempt.Config{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if out.Load() {
				return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.EMFILE}
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		}})
		log := new(journal)
		shop := open(t, s, log.keep(slog.LevelInfo), func(c *webhook.Config) { c.Client = client })
		read := figures(t, shop.engine)
		r := receive(t, nil)
		shop.endpoint(r.URL, event.ProductUpdated)
		if text := shop.engine.SenderTrouble(); text != "" {
			t.Errorf("before: %q", text)
		}
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		until(t, "two attempts that did not begin", func() bool {
			return read()["sender_troubles_total descriptors"] >= 2
		})
		if text := shop.engine.SenderTrouble(); text != "webhooks cannot be sent: no file descriptor is left" {
			t.Errorf("meanwhile: %q", text)
		}
		const message = "webhooks wait: this machine cannot begin an attempt; no receiver is counted as failing"
		if lines := log.lines(t, message); len(lines) != 1 || lines[0]["trouble"] != "descriptors" {
			t.Errorf("the log says %v", lines)
		}
		c := shop.s.DB(shop.ctx)
		if n := c.Attempt.Query().CountX(shop.ctx); n != 0 {
			t.Errorf("%d attempts were logged", n)
		}
		if q := c.WebhookQueue.Query().OnlyX(shop.ctx); q.FailingSince != nil || q.Streak != 0 {
			t.Errorf("it fails since %v, streak %d", q.FailingSince, q.Streak)
		}
		out.Store(false)
		until(t, "the event", func() bool { return r.accepted() == 1 && shop.engine.SenderTrouble() == "" })
		r.mu.Lock()
		defer r.mu.Unlock()
		if number := r.got[0].header.Get("X-Service-Attempt"); len(r.got) != 1 || number != "1" {
			t.Errorf("%d requests, the first is attempt %s", len(r.got), number)
		}
	})
}

func TestCapacity(t *testing.T) {
	const mega, unknown = 1 << 20, 0
	for _, tc := range []struct {
		files, memory uint64
		serving, only int
	}{
		{unknown, unknown, 10_000, 10_000}, {1 << 20, 64 << 30, 10_000, 10_000}, {64, 64 << 30, 16, 32},
		{16, 64 << 30, 4, 4}, {1024, 64 << 30, 496, 992}, {4096, unknown, 2032, 4064},
		{1 << 20, 1024 * mega, 8192, 8192}, {1 << 20, 200 * mega, 1600, 1600}, {1 << 20, mega, 64, 64},
	} {
		const open = 12
		serving := webhook.CapacityOf(tc.files, open, tc.memory, true).Attempts
		only := webhook.CapacityOf(tc.files, open, tc.memory, false).Attempts
		if serving != tc.serving || only != tc.only {
			t.Errorf("%d files and %d bytes: %d beside requests and %d without, want %d and %d", tc.files, tc.memory,
				serving, only, tc.serving, tc.only)
		}
	}
	if got := webhook.MeasureCapacity(true); got.Attempts < 4 || got.Attempts > 10_000 {
		t.Errorf("here: %+v", got)
	}
}
