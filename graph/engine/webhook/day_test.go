package webhook_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// pipes is an in-memory network, on which synctest sees goroutines as blocked.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.done)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial connects to the listener.
func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours, nil
}

// faked is a shop in fake time whose receivers share one handler.
func faked(t *testing.T, h http.HandlerFunc, set ...func(*webhook.Config)) *shop {
	t.Helper()
	return open(t, storetest.Open(t), append([]func(*webhook.Config){inMemory(t, h)}, set...)...)
}

// inMemory makes an engine send to a handler through an in-memory network.
func inMemory(t *testing.T, h http.HandlerFunc) func(*webhook.Config) {
	t.Helper()
	network := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h}
	go server.Serve(network)
	client := attempt.New(attempt.Config{Dial: network.dial})
	t.Cleanup(func() { client.Close(); server.Close() })
	return func(c *webhook.Config) { c.Client, c.Poll = client, 10*time.Second }
}

// counting answers with a status and counts the requests, and how many came at once.
type counting struct {
	status                atomic.Int64
	attempts, now, atOnce atomic.Int64
	hang                  time.Duration
}

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.attempts.Add(1)
	n := c.now.Add(1)
	defer c.now.Add(-1)
	c.atOnce.Store(max(c.atOnce.Load(), n))
	if c.hang > 0 {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a closed connection only after this
		select {
		case <-time.After(c.hang):
		case <-r.Context().Done():
		}
	}
	w.WriteHeader(int(c.status.Load()))
}

// A day of failure: one delivery is tried 18 times, never twice at once. People are warned after 1,
// 6 and 12 hours and notified of the suspension, once each.
func TestDayOfFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		receiver := new(counting)
		receiver.status.Store(503)
		shop := faked(t, receiver.ServeHTTP)
		e := shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
		shop.endpoint("http://receiver.example/other", event.WebhookEndpointSuspended)
		began := time.Now()
		shop.engine.Start(t.Context())
		shop.change(&product{id: xid.New()})
		<-time.After(23 * time.Hour)
		if n := receiver.attempts.Load(); n != 17 {
			t.Errorf("%d attempts after 23 hours, want 17", n)
		}
		c := shop.s.DB(shop.ctx)
		if got := c.WebhookEndpoint.GetX(shop.ctx, e.ID).Status; got != state.EndpointActive {
			t.Errorf("the endpoint is %s after 23 hours", got)
		}
		<-time.After(2 * time.Hour)
		row := c.WebhookEndpoint.GetX(shop.ctx, e.ID)
		if row.Status != state.EndpointSuspended || row.StoppedReason == nil ||
			*row.StoppedReason != state.StoppedByFailure {
			t.Fatalf("the endpoint is %s after 25 hours: %v", row.Status, row.StoppedReason)
		}
		if at := row.StoppedAt.Time().Sub(began); at < 24*time.Hour || at > 24*time.Hour+30*time.Second {
			t.Errorf("suspended after %s", at)
		}
		// The other endpoint is notified, and fails too.
		failed := c.Attempt.Query().CountX(shop.ctx)
		if n := receiver.attempts.Load(); n < 18+10 || n != int64(failed) {
			t.Errorf("%d attempts, %d logged", n, failed)
		}
		if n := receiver.atOnce.Load(); n != 1 {
			t.Errorf("%d attempts at once", n)
		}
		checkNotices(t, shop, e.ID, 3, 1)
		checkAttempts(t, shop, e.ID)
	})
}

// checkNotices checks the numbers of warnings and of suspension notices.
func checkNotices(t *testing.T, s *shop, endpoint xid.ID, warnings, suspensions int) {
	t.Helper()
	got := map[state.NotificationLevel]int{}
	for _, n := range s.s.DB(s.ctx).Notification.Query().AllX(s.ctx) {
		if *n.ResourceID == endpoint {
			got[n.Level]++
		}
	}
	if got[state.NotificationWarning] != warnings || got[state.NotificationCritical] != suspensions {
		t.Errorf("notices: %v, want %d warnings and %d suspensions", got, warnings, suspensions)
	}
}

// checkAttempts checks that the delivery was tried 18 times, each at its time, up to two polls
// late.
func checkAttempts(t *testing.T, s *shop, endpoint xid.ID) {
	t.Helper()
	var at []micros.Time
	for _, a := range s.s.DB(s.ctx).Attempt.Query().Order().AllX(s.ctx) {
		if a.EndpointID == endpoint {
			at = append(at, a.BeganAt)
			if a.Outcome != string(attempt.ServerError) || a.Status != 503 {
				t.Errorf("attempt %d: %s %d", a.Number, a.Outcome, a.Status)
			}
		}
	}
	if len(at) != schedule.MaxTries {
		t.Fatalf("%d attempts, want %d", len(at), schedule.MaxTries)
	}
	wait := 5 * time.Second
	for i := 1; i < len(at); i++ {
		got := time.Duration(at[i]-at[i-1]) * time.Microsecond
		if last := i == len(at)-1; !last && (got < wait*9/10 || got > wait*11/10+20*time.Second) {
			t.Errorf("attempt %d came %s after the one before, want about %s", i+1, got, wait)
		}
		wait = min(2*wait, 4*time.Hour)
	}
	if got := time.Duration(at[len(at)-1]-at[0]) * time.Microsecond; got < 24*time.Hour ||
		got > 24*time.Hour+30*time.Second {
		t.Errorf("the last attempt came %s after the first", got)
	}
}

// An endpoint that does not answer gets probes, not its backlog.
func TestDeadEndpointGetsProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		receiver := &counting{hang: time.Hour}
		receiver.status.Store(500)
		shop := faked(t, receiver.ServeHTTP)
		shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
		for range 500 {
			shop.change(&product{id: xid.New()})
		}
		shop.engine.Start(t.Context())
		<-time.After(time.Hour)
		first := receiver.attempts.Load()
		if first > 200 {
			t.Errorf("%d attempts in an hour, of a backlog of 500", first)
		}
		<-time.After(3 * time.Hour)
		if n := receiver.attempts.Load(); n > 300 {
			t.Errorf("%d attempts in four hours", n)
		}
		if n := receiver.atOnce.Load(); n > 4 {
			t.Errorf("%d attempts at once", n)
		}
	})
}

// A receiver that refuses one resource does not delay the others.
func TestPoisonedLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		poison := xid.Product.Format(xid.First(1))
		var others atomic.Int64
		shop := faked(t, func(w http.ResponseWriter, r *http.Request) {
			var body struct {
				Resource struct{ ID string }
			}
			decode(t, r, &body)
			if body.Resource.ID == poison {
				w.WriteHeader(500)
				return
			}
			others.Add(1)
		})
		shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
		shop.engine.Start(t.Context())
		bad := &product{id: xid.First(1)}
		for i := range 20 {
			shop.change(bad)
			shop.change(&product{id: xid.New()})
			<-time.After(time.Minute)
			if n := others.Load(); n != int64(i+1) {
				t.Fatalf("%d of %d other events arrived within a minute", n, i+1)
			}
		}
	})
}

// More deliveries than fit into memory wait behind failing resources: the others are reached all
// the same.
func TestBlockedLanesPageOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		poison := xid.Product.Format(xid.First(1))
		var repaired atomic.Bool
		var others, late atomic.Int64
		shop := faked(t, func(w http.ResponseWriter, r *http.Request) {
			var body struct {
				Sequence int64
				Resource struct{ ID string }
			}
			decode(t, r, &body)
			switch {
			case body.Resource.ID != poison:
				others.Add(1)
			case !repaired.Load():
				w.WriteHeader(500)
			default:
				if n := late.Add(1); n != body.Sequence {
					t.Errorf("sequence %d came as number %d", body.Sequence, n)
				}
			}
		})
		shop.endpoint("http://receiver.example/hook", event.ProductUpdated)
		bad := &product{id: xid.First(1)}
		for range 400 {
			shop.change(bad)
		}
		for range 10 {
			shop.change(&product{id: xid.New()})
		}
		shop.engine.Start(t.Context())
		<-time.After(time.Minute)
		if n := others.Load(); n != 10 {
			t.Errorf("%d of 10 other events arrived", n)
		}
		repaired.Store(true)
		<-time.After(time.Hour)
		if n := late.Load(); n != 400 {
			t.Errorf("%d of 400 events arrived after the receiver recovered", n)
		}
	})
}
