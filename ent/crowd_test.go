package ent_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

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
