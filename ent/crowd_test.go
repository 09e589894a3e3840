package ent_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
)

// TestRequestsWaitShortly: while another process holds SQLite's file, those who write and those who wait
// for their turn behind them learn within 10 s that the database is not available.
func TestRequestsWaitShortly(t *testing.T) {
	t.Parallel()
	address := storetest.SQLite(t)
	s, other := storetest.Clocked(t, address, micros.Now), storetest.Clocked(t, address, micros.Now)
	ctx := ent.Request(t.Context())
	nothing := func(context.Context) error { return nil }
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- other.InTx(ctx, func(context.Context) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	began := time.Now()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := s.InTx(ctx, nothing); !ent.IsUnavailable(err) || time.Since(began) > 10*time.Second {
				t.Errorf("answered %v after %s", err, time.Since(began))
			}
		})
	}
	all.Wait()
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.InTx(ctx, nothing); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestCrowded: on SQLite a transaction of a request is noted, and one of the background is
// not; elsewhere writers do not wait for each other.
func TestCrowded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		write := func(ctx context.Context) {
			if err := s.InTx(ctx, func(context.Context) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if write(ent.Background(t.Context())); s.Crowded() {
			t.Error("the background waits for itself")
		}
		if write(t.Context()); s.Crowded() != (s.Dialect() == dialect.SQLite) {
			t.Errorf("%s: %v", s.Dialect(), s.Crowded())
		}
	})
}

// TestCrowdEnds: nobody is expected for long after the last request.
func TestCrowdEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		if err := s.InTx(t.Context(), func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if s.Crowded() {
			t.Error("a request is still expected")
		}
	})
}
