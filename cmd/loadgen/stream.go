package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
)

const (
	// liveRate is how many products a live load creates in a second.
	liveRate = 200
	// warmUp is how long it runs before its deliveries count.
	warmUp = 2 * time.Second
	// streamConns is how many requests of a stream can wait for their answers.
	streamConns = 32
)

// stream is an open load: it creates products at a rate, store after store, at random times, as many
// clients would (a Poisson process). A slow answer delays no other request while connections last.
type stream struct {
	addr  string
	shops []corpus.Shop
	rate  float64 // requests per second
}

// run applies the load and returns how long each request took. The first wrong answer ends it.
func (s stream) run(ctx context.Context, duration time.Duration) ([]time.Duration, error) {
	turns := make(chan int, streamConns)
	return together(ctx, 1+streamConns, func(ctx context.Context, i int) ([]time.Duration, error) {
		if i > 0 {
			return s.drive(ctx, turns)
		}
		defer close(turns)
		s.beat(ctx, duration, turns)
		return nil, nil
	})
}

// beat sends the number of each request when it is due. A late one is sent at once.
func (s stream) beat(ctx context.Context, duration time.Duration, turns chan<- int) {
	random := rand.New(rand.NewPCG(1, 2))
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
		case turns <- n:
		case <-ctx.Done():
			return
		}
	}
}

// filling makes the body of a product's event about 1 KB.
var filling = strings.Repeat("x", 220)

// drive sends the requests of one connection, which it opens late: a server closes idle ones.
func (s stream) drive(ctx context.Context, turns <-chan int) (took []time.Duration, err error) {
	var c *conn
	defer func() {
		if c != nil {
			c.Close()
		}
	}()
	for n := range turns {
		if c == nil {
			if c, err = dial(ctx, s.addr); err != nil {
				return took, err
			}
		}
		request := newProduct(nil, s.shops[n%len(s.shops)].Key, filling)
		begin := time.Now()
		if _, err := c.send(request, http.StatusCreated); err != nil {
			return took, err
		}
		took = append(took, time.Since(begin))
	}
	return took, nil
}
