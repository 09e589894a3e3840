package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

// receiver receives the webhooks of several endpoints, by path, and records them.
type receiver struct {
	url    string
	server *http.Server

	mu         sync.Mutex
	secrets    map[string]string // by path
	deliveries []*Delivery
	place      int
	refused    map[string]bool // resources that were refused once
	fails      *rand.Rand
	rest       bool
}

// moody is the path of the endpoint that refuses some first attempts.
const moody = "/moody"

func listen(ctx context.Context, seed uint64) (*receiver, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: "http://" + l.Addr().String(), secrets: map[string]string{},
		refused: map[string]bool{}, fails: rand.New(rand.NewPCG(seed, 1))}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: patience}
	go r.server.Serve(l)
	return r, nil
}

func (r *receiver) expect(path, secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[path] = secret
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := hook.ReadBody(w, q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(r.take(q, body))
}

// take records a delivery, and the position of its 2xx before the sender can receive it.
func (r *receiver) take(q *http.Request, body []byte) (status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	path := q.URL.Path
	d := &Delivery{Endpoint: path}
	e, err := hook.Parse(q.Header, body)
	secret, known := r.secrets[path]
	if !known {
		return http.StatusServiceUnavailable // it is still being registered
	}
	if err = errors.Join(err, hook.Verify(secret, q.Header, body, time.Now())); err != nil {
		d.Mistake = err.Error()
	}
	sum := sha256.Sum256(append([]byte(e.DeliveryID+"\n"), body...))
	d.Event, d.Type, d.Resource, d.Sequence, d.Sum = e.ID, e.Type, e.Resource.ID, e.Sequence,
		hex.EncodeToString(sum[:8])
	r.place++
	d.Arrived = r.place
	r.deliveries = append(r.deliveries, d)
	switch {
	case d.Mistake != "":
		return http.StatusBadRequest
	case path == moody && !r.rest && !r.refused[d.Resource] && r.fails.IntN(50) == 0:
		r.refused[d.Resource] = true
		return http.StatusServiceUnavailable
	}
	r.place++
	d.Accepted = r.place
	return http.StatusOK
}

func (r *receiver) relent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest = true
}

func (r *receiver) all() []*Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.deliveries)
}

// subscribed returns the event types of an endpoint: all of the resources that writers change.
func subscribed(path string) []string {
	orders := []string{"order.created", "order.updated", "order.paid", "order.partially_paid", "order.refunded",
		"order.fulfilled", "order.partially_fulfilled", "order.cancelled", "order.completed", "order.note_added"}
	if strings.HasSuffix(path, "/orders") {
		return orders
	}
	return append(orders, "product.created", "product.updated", "product.published", "product.unpublished",
		"product.archived", "product.deleted")
}
