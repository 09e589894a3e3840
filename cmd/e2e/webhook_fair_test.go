package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"
)

// Endpoints that never answer take nothing from one that does.
func TestWebhookHangingOnes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s settings) {
		t.Parallel()
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

var listening = regexp.MustCompile(`(?m)^(\{"url".*\})$`)

// People who build receivers see deliveries on their own machine with one
// command, which leaves nothing behind.
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
