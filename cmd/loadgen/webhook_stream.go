package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
)

// stream is an open load: products are made at a rate, store after store, and the
// time between two is random, as if many clients had made them (a Poisson
// process). A slow answer keeps no other request waiting while connections last.
type stream struct {
	addr  string
	shops []corpus.Shop
	rate  float64 // requests per second
}

// streamConns is how many requests of a stream may wait for their answers.
const streamConns = 32

// posted are the answers to the POSTs, by the ids of their products.
type posted map[string]acknowledgement

// acknowledgement is when an answer was there, and how long it took.
type acknowledgement struct {
	at   time.Time
	took time.Duration
}

// run applies the load for so long. The first wrong answer ends it.
func (s stream) run(ctx context.Context, duration time.Duration) (posted, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	turns := make(chan turn, streamConns)
	var wg sync.WaitGroup
	var mu sync.Mutex
	all := posted{}
	for range streamConns {
		wg.Go(func() {
			own := posted{}
			if err := s.drive(ctx, turns, own); err != nil {
				cancel(err)
			}
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(all, own)
		})
	}
	s.beat(ctx, duration, turns)
	close(turns)
	wg.Wait()
	return all, context.Cause(ctx)
}

// turn is a request's number, and when it was due.
type turn struct {
	n   int
	due time.Time
}

// beat sends each request's turn when its time has come. One that is late goes
// at once, so that the rate is kept.
func (s stream) beat(ctx context.Context, duration time.Duration, turns chan<- turn) {
	random := mathrand.New(mathrand.NewPCG(1, 2))
	start, at := time.Now(), time.Duration(0)
	for n := 0; ; n++ {
		at += time.Duration(random.ExpFloat64() / s.rate * float64(time.Second))
		if at >= duration {
			return
		}
		select {
		case <-time.After(at - time.Since(start)):
		case <-ctx.Done():
			return
		}
		select {
		case turns <- turn{n, start.Add(at)}:
		case <-ctx.Done():
			return
		}
	}
}

// filling makes the body of a product's event about 1 KB.
var filling = strings.Repeat("x", 220)

// made appends a request that makes a product in the store of an API key.
func made(b []byte, key string) []byte {
	id := rand.Text()
	return post(b, root+"/products", key, id, fmt.Appendf(nil,
		`{"title":"Load %s","price_minor":1250,"currency":"EUR","sku":%q,"description":%q}`, id, id, filling))
}

// drive is one connection's part. It is made with the first request: a server soon
// ends one that asks for nothing.
func (s stream) drive(ctx context.Context, turns <-chan turn, own posted) error {
	t, ok := <-turns
	if !ok {
		return nil
	}
	c, err := dial(ctx, s.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	var request []byte
	for ; ok; t, ok = <-turns {
		request = made(request[:0], s.shops[t.n%len(s.shops)].Key)
		begin := time.Now()
		status, body, err := c.do(request)
		if err == nil && status != 201 {
			err = fmt.Errorf("%s answered %d: %.300s", line(request), status, body)
		}
		if err != nil {
			return err
		}
		at := time.Now()
		_, rest, _ := bytes.Cut(body, []byte(`"id":"`))
		id, _, _ := bytes.Cut(rest, []byte(`"`))
		own[string(id)] = acknowledgement{at, at.Sub(begin)}
	}
	return nil
}
