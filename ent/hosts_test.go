package ent_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// member starts a server with an empty database.
func member(t *testing.T, id int) *mariadb.Member {
	t.Helper()
	m, err := mariadb.StartMember(id, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := m.Setup(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	return m
}

// serverOf returns the id of the server that answers a read, or a transaction that writes.
func serverOf(ctx context.Context, s *ent.Store, write bool) (id int64, err error) {
	ask := func(ctx context.Context) error {
		if write {
			if _, err := s.DB(ctx).ExecContext(ctx, "CREATE TABLE IF NOT EXISTS seen (id INT)"); err != nil {
				return err
			}
			if _, err := s.DB(ctx).ExecContext(ctx, "INSERT INTO seen VALUES (1)"); err != nil {
				return err
			}
		}
		rows, err := s.DB(ctx).QueryContext(ctx, "SELECT @@server_id")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			err = rows.Scan(&id)
		}
		return err
	}
	if write {
		return id, s.InTxKeyed(ctx, ask) // a COMMIT that was lost with the server may have taken effect
	}
	return id, ask(ctx)
}

// TestHosts checks that the store always uses the server that takes writes, at any position in the
// address, after a demotion, and after a crash.
func TestHosts(t *testing.T) {
	if !mariadb.Installed() {
		storetest.HaveMySQL(t) // external servers cannot be killed
		return
	}
	a, b := member(t, 1), member(t, 2)
	move := func(from, to *mariadb.Member) {
		t.Helper()
		if err := from.Demote(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := to.Promote(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := ent.Open(t.Context(), ent.Config{Database: mariadb.Address("shop", a, b), MaxOpen: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := func(want int64, write bool) {
		t.Helper()
		if got, err := serverOf(t.Context(), s, write); got != want || err != nil {
			t.Fatalf("answered by server %d, %v, want %d", got, err, want)
		}
	}
	at(2, true)
	at(2, false)

	move(b, a)
	at(1, true) // the write detects it, runs again, and moves the reads too
	at(1, false)

	move(a, b)
	await(t, func() bool { // reads alone detect it within about a second
		got, err := serverOf(t.Context(), s, false)
		return err == nil && got == 2
	})

	var answered, failed atomic.Int64
	ctx, end := context.WithCancel(t.Context())
	var loops sync.WaitGroup
	for i := range 8 {
		loops.Go(func() {
			for ctx.Err() == nil {
				if _, err := serverOf(context.WithoutCancel(ctx), s, i%2 == 0); err != nil {
					t.Log(err)
					failed.Add(1)
				}
				answered.Add(1)
			}
		})
	}
	await(t, func() bool { return answered.Load() > 200 })
	b.Close()
	killed := time.Now()
	await(t, func() bool { return time.Since(killed) > time.Second })
	if err := a.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	had := answered.Load()
	await(t, func() bool { return answered.Load() > had+50 })
	end()
	loops.Wait()
	if n := failed.Load(); n > 0 {
		t.Errorf("%d of %d failed during the failover", n, answered.Load())
	}
	at(1, true)
}
