package ent_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/storetest"
)

// fleet returns a function that opens the stores of several processes on one database.
func fleet(t *testing.T) func() *ent.Store {
	t.Helper()
	address := storetest.MySQL(t)
	return func() *ent.Store {
		s, err := ent.Open(t.Context(), ent.Config{Database: address})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

// change runs a transaction that waits between its change and its commit, and returns the time of
// the change. The transaction commits when hold is closed.
func change(t *testing.T, s *ent.Store, hold <-chan struct{}) (at micros.Time, done <-chan error) {
	t.Helper()
	times, ended := make(chan micros.Time, 10), make(chan error, 1)
	go func() {
		ended <- s.InTx(t.Context(), func(ctx context.Context) error {
			now := moment.Now(ctx)
			if _, err := s.DB(ctx).ExecContext(ctx, "DELETE FROM data_formats WHERE name = 'none'"); err != nil {
				return err
			}
			times <- now
			<-hold
			return nil
		})
	}()
	select {
	case at = <-times:
	case err := <-ended:
		t.Fatal(err)
	}
	return at, ended
}

// changed runs a transaction and returns the time of its change.
func changed(t *testing.T, s *ent.Store) micros.Time {
	t.Helper()
	hold := make(chan struct{})
	close(hold)
	at, done := change(t, s, hold)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return at
}

// renewed returns the horizon of a store after all processes have made their rounds.
func renewed(t *testing.T, s *ent.Store, others ...*ent.Store) (at micros.Time) {
	t.Helper()
	for range 3 {
		for _, one := range append(others, s) {
			var err error
			if at, err = one.RenewHorizon(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return at
}

// The horizon stays below an open transaction of any process, and passes it when it ends.
func TestHorizon(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		first := changed(t, s)
		if at := renewed(t, s); at <= first {
			t.Errorf("the horizon %v hides a change of %v that was committed", at, first)
		}
		hold := make(chan struct{})
		at, done := change(t, s, hold)
		if h := renewed(t, s); h > at {
			t.Errorf("the horizon %v passed an open transaction of %v", h, at)
		}
		close(hold)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if h := renewed(t, s); h <= at || !s.Settled(h) {
			t.Errorf("the horizon %v hides a change of %v", h, at)
		}
		ent.SetBack(s, time.Hour)
		before := renewed(t, s)
		if at := changed(t, s); at < before {
			t.Errorf("after the clock stepped back a change has the time %v, below the horizon %v", at, before)
		}
	})
}

// A transaction of one process holds back the horizon of another one, even if it joins late or its
// clock is behind. A process that has left does not.
func TestHorizonOfAFleet(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return
	}
	open := fleet(t)
	a, b := open(), open()
	changed(t, b)
	hold := make(chan struct{})
	held, done := change(t, a, hold)
	for range 3 {
		changed(t, b)
		if h := renewed(t, b, a); h > held {
			t.Fatalf("the horizon %v passed the open transaction of another process, of %v", h, held)
		}
	}
	close(hold)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	last := max(changed(t, b), held)
	if h := renewed(t, b, a); h <= last {
		t.Errorf("the horizon %v hides %v, with no transaction open", h, last)
	}
	ent.SetBack(a, time.Hour)
	ent.SetBack(b, time.Hour)
	changed(t, a)
	changed(t, b)
	read := renewed(t, a, b)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if at := changed(t, open()); at < read {
		t.Errorf("a process that joins changes something at %v, below the horizon %v", at, read)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if at := changed(t, open()); at < read {
		t.Errorf("after all others have left, a change has the time %v, below the horizon %v", at, read)
	}
}

// A stalled process holds back the horizon until it is removed. Then it commits none of its open
// transactions, and joins again.
func TestHorizonOfAStoppedProcess(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return
	}
	open := fleet(t)
	a, b := open(), open()
	changed(t, b)
	var runs atomic.Int32
	entered, hold, ended := make(chan micros.Time, 10), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- a.InTx(t.Context(), func(ctx context.Context) error {
			runs.Add(1)
			entered <- moment.Now(ctx)
			<-hold
			return nil
		})
	}()
	held := <-entered
	resume := ent.Halt(a)
	changed(t, b)
	if h := renewed(t, b); h > held {
		t.Fatalf("the horizon %v passed the transaction of a stalled process, of %v", h, held)
	}
	stopped := ent.Halt(b)
	ent.Age(b, ent.Gone)
	stopped()
	last := changed(t, b)
	if h := renewed(t, b); h <= last {
		t.Errorf("the horizon %v still waits for a process that is gone", h)
	}
	ent.Age(a, ent.Gone)
	resume()
	close(hold)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if at := <-entered; runs.Load() != 2 || at < last {
		t.Errorf("the transaction ran %d times, and its change has the time %v, below %v", runs.Load(), at, last)
	}
}
