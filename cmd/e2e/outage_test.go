package e2e

import (
	"context"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// A database that crashes under load and comes back: the program reports that it is down, recovers
// by itself, and nothing is lost or done twice.
func TestDatabaseCrash(t *testing.T) {
	storetest.Campaign(t)
	if !mariadb.Installed() {
		storetest.HaveMySQL(t) // a server that is given cannot be killed
		return
	}
	dir, err := os.MkdirTemp("/tmp", "sfe2e") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	begin := func() *mariadb.Server {
		s, err := mariadb.Start(dir, append(mariadb.Durable, "--innodb-log-file-size=16M")...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	db := begin()
	t.Cleanup(func() { db.Close() })
	address, err := db.Create(t.Context(), "crash")
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, settings{
		Data: t.TempDir(), Args: []string{"--demo", "--demo-orders", "3", "--rate-limit", "0",
			"--migrate", "--database", address},
	})
	store := p.demo(t).Stores[0]
	l := newLoad(p, store.Keys["all"], p.firstOrder(t, store.Keys["all"]), 150)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	var wg sync.WaitGroup
	wg.Go(func() { l.outlive(ctx, t) })
	<-l.after
	db.Close() // as kill -9 does
	wg.Wait()
	p.awaitStatus(ctx, t, p.Admin+"/readyz", http.StatusServiceUnavailable)
	p.awaitStatus(ctx, t, p.Admin+"/healthz", http.StatusOK)
	a := p.send(t, request{As: store.Keys["all"], Path: base + "/orders"}).
		want(t, http.StatusServiceUnavailable, "unavailable")
	if a.Header.Get("Retry-After") == "" {
		t.Error("a 503 without Retry-After")
	}

	db = begin()
	p.awaitStatus(ctx, t, p.Admin+"/readyz", http.StatusOK)
	l.verify(t, p)
	checkRows(t, l.deeds, p.tally(t, store.Keys["all"], store.StaffToken, l.order))
	t.Logf("%d keys, %d acknowledged before the crash", len(l.deeds), l.acks)
}

// outlive writes until each connection has seen that the database is down.
func (l *load) outlive(ctx context.Context, t *testing.T) {
	var wg sync.WaitGroup
	for range l.conns {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				d := l.next(n)
				a, err := l.program.do(t, d.request)
				switch {
				case err != nil:
					t.Errorf("no answer while the database was away: %v", err)
					return
				case a.Status == http.StatusServiceUnavailable:
					return
				case a.Status >= http.StatusInternalServerError:
					t.Errorf("%d %s", a.Status, a.Body)
					return
				}
				l.acknowledge(d, a)
			}
		})
	}
	wg.Wait()
}
