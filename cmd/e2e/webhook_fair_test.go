package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

// Endpoints that never answer do not slow one that does.
func TestWebhookHangingOnes(t *testing.T) {
	storetest.Campaign(t)
	together(t, func(t *testing.T, s settings) {
		p := start(t, s)
		c, sink := hire(t, 20*time.Millisecond, p), receiving(t)
		key := c.store.Keys["all"]
		for i := range 20 {
			p.register(t, key, sink.open(fmt.Sprintf("/hangs/%d", i), func(*entry) mood { return hang }),
				salesEvents...)
		}
		healthy := sink.open("/healthy", nil)
		p.register(t, key, healthy, salesEvents...)
		c.begin(t, 2)
		beats(8 * time.Second) // longer than the others' attempts
		c.finish(t, sink, nil, 0, healthy)
		var lags []time.Duration
		for _, e := range healthy.all() {
			lags = append(lags, e.at.Sub(e.payload.OccurredAt))
		}
		slices.Sort(lags)
		half, worst := lags[len(lags)/2], lags[len(lags)-1]
		t.Logf("from commit to receipt: p50 %v, at most %v",
			half.Round(time.Millisecond), worst.Round(time.Millisecond))
		if half > time.Second || worst > 4*time.Second { // a hanging attempt takes 5 s
			t.Errorf("p50 %v and at most %v beside hanging endpoints", half, worst)
		}
	})
}

// Endpoints that answered fast, and all begin to hang at once, do not slow working ones, in their
// store or another.
func TestWebhookWarmedOnesHang(t *testing.T) { // alone: it is about time
	storetest.Campaign(t)
	storetest.Sequential(t)
	each(t, func(t *testing.T, s settings) {
		p := start(t, s)
		sink, hanging := receiving(t), new(atomic.Bool)
		crews := []*crew{hire(t, 20*time.Millisecond, p), hire(t, 20*time.Millisecond, p)}
		other := p.demo(t).Stores[1]
		crews[1].store, crews[1].order = other, p.firstOrder(t, other.Keys["all"])
		var bad, healthy []*book
		for i := range 24 {
			b := sink.open(fmt.Sprintf("/bad/%d", i), func(*entry) mood {
				if hanging.Load() {
					return hang
				}
				return fine
			})
			p.register(t, crews[0].store.Keys["all"], b, salesEvents...)
			bad = append(bad, b)
		}
		for i, c := range crews {
			b := sink.open(fmt.Sprintf("/healthy/%d", i), nil)
			p.register(t, c.store.Keys["all"], b, salesEvents...)
			healthy = append(healthy, b)
		}
		crews[0].begin(t, 3)
		crews[1].sell(t, 3)
		sink.await(t, patience, func() string {
			for _, b := range bad {
				if len(b.taken) < 100 {
					return b.path + " is not warm"
				}
			}
			return ""
		})
		turned := time.Now()
		hanging.Store(true)
		beats(8 * time.Second) // longer than an attempt
		ended := time.Now()
		for i, c := range crews {
			c.finish(t, sink, nil, 0, healthy[i])
			before, beside := healthy[i].lag(0.99, time.Time{}, turned), healthy[i].lag(0.99, turned, ended)
			t.Logf("%s: p99 from commit to receipt %v, then %v", healthy[i].path, before, beside)
			// A busy machine was slower before, too.
			if beside > max(500*time.Millisecond, 5*before) {
				t.Errorf("%s: p99 %v beside endpoints that hang, %v before", healthy[i].path, beside, before)
			}
		}
	})
}

// sell starts n authors that create orders until [crew.rest], in a store of any currency.
func (c *crew) sell(t *testing.T, n int) {
	for range n {
		c.group.Go(func() {
			for !c.ended.Load() {
				c.sale(t)
			}
		})
	}
	t.Cleanup(c.rest)
}

// lag returns the quantile of the time from commit to receipt, of a book's events in a period.
func (b *book) lag(share float64, from, to time.Time) time.Duration {
	var lags []time.Duration
	for _, e := range b.all() {
		if at := e.payload.OccurredAt; at.After(from) && at.Before(to) {
			lags = append(lags, e.at.Sub(at))
		}
	}
	if len(lags) == 0 {
		return 0
	}
	slices.Sort(lags)
	return lags[int(share*float64(len(lags)-1))].Round(time.Millisecond)
}

var listening = regexp.MustCompile(`(?m)^(\{"url".*\})$`)

// Developers of receivers see deliveries on their own machine with one command, which leaves
// nothing behind.
func TestWebhooksListen(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo"}})
	c := hire(t, 0, p)
	key := c.store.Keys["all"]
	l := spawn(t, settings{}, "webhooks", "listen", "--addr", "127.0.0.1:0", "--api", p.API,
		"--key", key, "--events", "product.created", "--fail-with", "503", "--fail-first", "1", "--body", "--json")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	l.out.await(ctx, t, l, listening)
	var product struct{ ID string }
	p.send(t, request{As: key, Path: base + "/products", Body: draft("Listen", "LISTEN")}).
		want(t, http.StatusCreated, "").decode(t, &product)
	for attempt, status := range map[int]int{1: http.StatusServiceUnavailable, 2: http.StatusNoContent} {
		line := l.out.await(ctx, t, l, regexp.MustCompile(fmt.Sprintf(`(?m)^(\{.*"attempt":%d,.*\})$`, attempt)))
		var shown struct {
			Type       string
			ResourceID string `json:"resource_id"`
			Sequence   int
			Verified   bool
			Status     int
			Body       envelope
		}
		if err := json.Unmarshal([]byte(line), &shown); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if shown.Type != "product.created" || shown.ResourceID != product.ID || shown.Sequence != 1 ||
			!shown.Verified || shown.Status != status || shown.Body.Resource.ID != product.ID {
			t.Errorf("attempt %d: %s", attempt, line)
		}
	}
	if code := l.stop(t); code != 0 {
		t.Errorf("it ended with %d: %s", code, l.log)
	}
	var list struct{ Data []json.RawMessage }
	p.send(t, request{As: key, Path: base + "/webhooks"}).want(t, http.StatusOK, "").decode(t, &list)
	if len(list.Data) > 0 {
		t.Errorf("it leaves %s", list.Data)
	}
}
