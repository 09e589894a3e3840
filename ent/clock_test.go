package ent_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
)

// The expression and the value of the queue clock agree, and advance.
func TestQueueClock(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		read := func() (now micros.Time) {
			expression, args := s.QueueClock()
			rows, err := s.DB(t.Context()).QueryContext(t.Context(), "SELECT "+expression, args...)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			if !rows.Next() || rows.Scan(&now) != nil {
				t.Fatal("the expression has no value")
			}
			return now
		}
		first := read()
		second, err := s.QueueTime(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if third := read(); first <= 0 || second < first || third < second || third-first > 60_000_000 {
			t.Errorf("%d, then %d, then %d", first, second, third)
		}
	})
}

// In the fake time of a test, queues are due by the fake time.
func TestQueueClockOfTests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		time.Sleep(time.Hour)
		if now, err := s.QueueTime(t.Context()); err != nil || now != micros.Now() {
			t.Errorf("%s, %v; want %s", now, err, micros.Now())
		}
	})
}

// Config may set the clock.
func TestClockOfConfig(t *testing.T) {
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Clock: func() micros.Time { return 7 }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, args := s.QueueClock(); len(args) != 1 || args[0] != int64(7) {
		t.Errorf("the clock says %v", args)
	}
}
