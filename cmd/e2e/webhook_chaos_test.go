package e2e

import (
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// settled is how long pending work may take after the last write: a lease that expires, and retries
// after 5 s and 10 s.
const settled = 90 * time.Second

// beats waits between the steps of a test that disturbs running processes.
func beats(d time.Duration) { <-time.After(d) }

// moody fails some first attempts in every way that receivers fail, and accepts others in odd ways.
// Each resource succeeds after its second failure, so that a test ends. At rest it accepts
// everything.
func moody(rest *atomic.Bool) func(*entry) mood {
	failed := map[string]int{} // by resource
	return func(e *entry) mood {
		lane, chance := e.payload.Resource.ID, rand.Float64()
		switch {
		case rest.Load():
		case chance < 0.04 && failed[lane] < 2:
			failed[lane]++
			return faults[rand.IntN(len(faults))]
		case chance > 0.98:
			return oddly[rand.IntN(len(oddly))]
		}
		return fine
	}
}

// chaos returns a sink with a healthy endpoint and two that fail in every way.
func chaos(t *testing.T, p *program, key string) (s *sink, rest *atomic.Bool, books []*book) {
	t.Helper()
	s, rest = receiving(t), new(atomic.Bool)
	for _, path := range []string{"/healthy", "/moody", "/orders"} {
		var temper func(*entry) mood
		events := salesEvents
		if path != "/healthy" {
			temper = moody(rest)
		}
		if path == "/orders" {
			events = orderEvents
		}
		b := s.open(path, temper)
		p.register(t, key, b, events...)
		books = append(books, b)
	}
	return s, rest, books
}

// Every process is killed in turn while people write and receivers fail: nothing is lost or out of
// order.
func TestWebhookChaos(t *testing.T) {
	storetest.Campaign(t)
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s := settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}}
		p := start(t, s)
		c := hire(t, 20*time.Millisecond, p)
		sink, rest, books := chaos(t, p, c.store.Keys["all"])
		c.begin(t, 4)
		for range 2 {
			beats(3 * time.Second)
			p.kill()
			p = start(t, s)
			c.apis[0].Store(p)
			beats(5 * time.Second) // the lease of the killed process expires
		}
		c.finish(t, sink, rest, 2, books...)
	})
	t.Run("mysql", func(t *testing.T) {
		t.Parallel()
		if !storetest.HaveMySQL(t) {
			return
		}
		s := settings{Data: t.TempDir(),
			Args: []string{"--demo", "--demo-orders", "3", "--rate-limit", "0", "--migrate", "--no-dispatch",
				"--database", storetest.EmptyMySQL(t)}}
		apis := []*program{start(t, s), start(t, s)}
		dispatchers := []*program{dispatcher(t, s), dispatcher(t, s)}
		c := hire(t, 20*time.Millisecond, apis...)
		sink, rest, books := chaos(t, apis[0], c.store.Keys["all"])
		c.begin(t, 4)
		for i := range 4 {
			beats(1500 * time.Millisecond)
			if i%2 == 0 {
				apis[i/2].kill()
				apis[i/2] = start(t, s)
				c.apis[i/2].Store(apis[i/2])
			}
			dispatchers[i%2].kill()
			dispatchers[i%2] = dispatcher(t, s)
			beats(1500 * time.Millisecond)
		}
		c.finish(t, sink, rest, 4, books...)
	})
}

// inFlight bounds what one crash may send twice to one endpoint: its concurrent attempts, and
// unsaved outcomes.
const inFlight = 32 + 512

// finish stops the writing, lets the receivers rest and audits every book. crashes is the number of
// killed processes that send.
func (c *crew) finish(t *testing.T, s *sink, rest *atomic.Bool, crashes int, books ...*book) {
	t.Helper()
	c.rest()
	if rest != nil {
		rest.Store(true)
	}
	t.Logf("%d writes were acknowledged late", c.late.Load())
	s.complete(t, settled, &c.journal, books...)
	for _, b := range books {
		if _, n := b.accepted(); n > crashes*inFlight {
			t.Errorf("%s: %d events were accepted twice in %d crashes", b.path, n, crashes)
		}
	}
}

// A database crashes and comes back: no process is restarted, and everything arrives in order.
func TestWebhookDatabaseCrash(t *testing.T) {
	storetest.Campaign(t)
	storetest.Sequential(t)
	t.Parallel()
	if !mariadb.Installed() {
		storetest.HaveMySQL(t) // a server that is given cannot be killed
		return
	}
	dir, err := os.MkdirTemp("/tmp", "sfhook") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	begin := func() *mariadb.Server {
		db, err := mariadb.Start(dir, append(mariadb.Durable, "--innodb-log-file-size=16M")...)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := begin()
	t.Cleanup(func() { db.Close() })
	address, err := db.Create(t.Context(), "crash")
	if err != nil {
		t.Fatal(err)
	}
	s := settings{
		Data: t.TempDir(), Args: []string{"--demo", "--demo-orders", "3", "--rate-limit", "0",
			"--migrate", "--database", address},
	}
	p := start(t, s)
	second := dispatcher(t, s)
	c := hire(t, 20*time.Millisecond, p)
	sink, rest, books := chaos(t, p, c.store.Keys["all"])
	c.begin(t, 4)
	for range 2 {
		beats(2 * time.Second)
		db.Close() // as kill -9 does
		beats(time.Second)
		db = begin()
		beats(3 * time.Second)
	}
	c.finish(t, sink, rest, 4, books...)
	for _, p := range []*program{p, second} {
		select {
		case <-p.ended:
			t.Error("a process ended with the database")
		default:
		}
	}
}

// arrives waits for one more request.
func (s *sink) arrives(t *testing.T, b *book, within time.Duration) {
	t.Helper()
	s.await(t, within, b.another())
}

// another asks for one more request than there are now.
func (b *book) another() func() string {
	n := len(b.all())
	return func() string {
		if len(b.entries) > n {
			return ""
		}
		return b.path + ": nothing arrives"
	}
}

// When the sending process is killed, another continues within 7 s.
func TestWebhookTakeOver(t *testing.T) {
	storetest.Campaign(t)
	together(t, func(t *testing.T, s settings) {
		s = s.plus("--no-dispatch")
		p := start(t, s)
		c := hire(t, 10*time.Millisecond, p)
		sink := receiving(t)
		b := sink.open("/in", nil)
		p.register(t, c.store.Keys["all"], b, salesEvents...)
		first := dispatcher(t, s)
		c.begin(t, 2)
		sink.arrives(t, b, patience)
		dispatcher(t, s)
		first.kill()
		began := time.Now()
		beats(500 * time.Millisecond) // what was in flight has arrived
		sink.arrives(t, b, takeOver)
		t.Logf("the other one goes on after %v", time.Since(began).Round(time.Millisecond))
		c.finish(t, sink, nil, 1, b)
	})
}

// takeOver bounds a take-over: 7 s, with a margin for slow machines.
const takeOver = 10 * time.Second

// What was committed before a crash and not sent is sent by the next process.
func TestWebhookCommittedUnsent(t *testing.T) {
	storetest.Campaign(t)
	together(t, func(t *testing.T, s settings) {
		p := start(t, s.plus("--no-dispatch"))
		c := hire(t, 0, p)
		sink := receiving(t)
		b := sink.open("/in", nil)
		p.register(t, c.store.Keys["all"], b, salesEvents...)
		for n := range 20 {
			c.chapter(t, n)
		}
		p.kill()
		if n := len(b.all()); n > 0 {
			t.Errorf("%d requests without a dispatcher", n)
		}
		start(t, s)
		c.finish(t, sink, nil, 0, b)
	})
}
