package e2e

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// envFaketime set to 1 makes missing faketime a failure.
const envFaketime = "STOREFRONT_REQUIRE_FAKETIME"

// settable returns the address of a database whose clock set moves ahead of the machine's.
func settable(t *testing.T) (address string, set func(ahead time.Duration)) {
	t.Helper()
	if !mariadb.Settable() {
		if os.Getenv(envFaketime) == "1" {
			t.Fatal("there is no mariadbd, or no library of faketime")
		}
		t.Skip("there is no mariadbd, or no library of faketime")
	}
	db, err := mariadb.StartSettable("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	address, err = db.Create(t.Context(), "clock")
	if err != nil {
		t.Fatal(err)
	}
	return address, func(ahead time.Duration) {
		if err := db.SetClock(ahead); err != nil {
			t.Error(err)
		}
		t.Logf("the database's clock is %s ahead", ahead)
	}
}

// longestWait is how long an event to a working endpoint, and other work, may take, whatever the
// database's clock does.
const longestWait = 7 * time.Second

// The database's clock is moved forward and back while three dispatchers deliver. They are killed
// when it moves back, while two others run: nothing is lost or out of order, nothing waits for the
// clock to catch up, and endpoints that are registered meanwhile get everything after that.
func TestWebhookDatabaseClock(t *testing.T) {
	storetest.Campaign(t)
	storetest.Sequential(t)
	t.Parallel()
	address, set := settable(t)
	s := settings{Data: t.TempDir(), Args: []string{"--demo", "--demo-orders", "3", "--rate-limit", "0", "--migrate",
		"--no-dispatch", "--database", address}}
	p := start(t, s)
	owners := []*program{dispatcher(t, s), dispatcher(t, s), dispatcher(t, s)}
	c, sink := hire(t, 100*time.Millisecond, p), receiving(t)
	key := c.store.Keys["all"]
	var books []*book
	for i := range 4 {
		books = append(books, sink.open(fmt.Sprintf("/in/%d", i), nil))
		p.register(t, key, books[i], salesEvents...)
	}
	fails := sink.open("/fails", failing())
	p.register(t, key, fails, salesEvents...)
	c.begin(t, 3)
	for _, b := range books {
		sink.arrives(t, b, patience)
	}
	since, died := map[*book]time.Time{}, time.Time{}
	for i, step := range []struct {
		ahead, wait time.Duration
		dies        bool
	}{
		{time.Hour, 2500 * time.Millisecond, false},
		{0, 2500 * time.Millisecond, false},
		{-5 * time.Minute, longestWait, true},
		{-5*time.Minute + 40*time.Second, 2500 * time.Millisecond, false},
	} {
		if step.dies {
			dispatcher(t, s)
			dispatcher(t, s)
			for _, p := range owners {
				p.kill()
			}
			died = time.Now()
		}
		set(step.ahead)
		began := time.Now()
		p.isExporting(t, key)
		b := sink.open(fmt.Sprintf("/late/%d", i), nil)
		p.register(t, key, b, salesEvents...)
		since[b] = time.Now()
		beats(step.wait - time.Since(began))
	}
	c.finish(t, sink, nil, len(since), append(books, fails)...)
	for b, from := range since {
		b.follows(t, books[0], from)
		books = append(books, b)
	}
	for _, b := range books {
		b.isPrompt(t, func(at time.Time) time.Duration {
			if at.After(died.Add(-time.Second)) && at.Before(died.Add(takeOver)) {
				return takeOver // the leases of the killed processes expire
			}
			return longestWait
		})
	}
	fails.retriesInTime(t)
}

// failing refuses some first attempts of products' first events.
func failing() func(*entry) mood {
	var last time.Time
	return func(e *entry) mood {
		if e.attempt > 1 || e.payload.Type != "product.created" || e.at.Sub(last) < time.Second {
			return fine
		}
		last = e.at
		return plainly(503)
	}
}

// isExporting checks that an export completes.
func (p *program) isExporting(t *testing.T, key string) {
	t.Helper()
	began := time.Now()
	p.reached(t, key, p.export(t, key, `{"kind":"products","format":"csv"}`).ID, completed)
	took := time.Since(began)
	t.Logf("an export took %v", took.Round(time.Millisecond))
	if took > longestWait {
		t.Errorf("an export took %v", took)
	}
}

// follows checks that a book whose endpoint was created later has the same events as another from
// then on, in order.
func (b *book) follows(t *testing.T, whole *book, from time.Time) {
	t.Helper()
	want := map[string]bool{}
	for _, e := range whole.all() {
		want[e.payload.EventID] = e.payload.OccurredAt.After(from)
	}
	b.sink.await(t, takeOver, func() string {
		for id, late := range want {
			if late && b.taken[id] == 0 {
				return b.path + " lacks " + id
			}
		}
		return ""
	})
	_, faults := b.lanes(t)
	b.complain(t, faults)
}

// isPrompt checks that each event arrived within the allowed time.
func (b *book) isPrompt(t *testing.T, within func(at time.Time) time.Duration) {
	t.Helper()
	var worst time.Duration
	var late []string
	for _, s := range b.stories(t) {
		at := s.payload.OccurredAt
		lag := s.at.Sub(at)
		if lag > within(at) {
			late = append(late, fmt.Sprintf("%s of %s came after %v", s.payload.Type, at.Format(time.TimeOnly), lag))
		}
		worst = max(worst, lag)
	}
	b.complain(t, late)
	t.Logf("%s: from commit to receipt at most %v", b.path, worst.Round(time.Millisecond))
}

// retriesInTime checks that failed attempts were retried after 5 s, ± 10 %. If a process's lease
// expires because of the clock, an attempt may be sent twice, and the second time is not in the row
// by which the next owner waits: a retry 5 s after the first is not early.
func (b *book) retriesInTime(t *testing.T) {
	t.Helper()
	first, last, n := map[string]*entry{}, map[string]*entry{}, 0 // requests of the highest attempt of each event
	least, most := time.Hour, time.Duration(0)
	for _, e := range b.all() {
		id := e.payload.EventID
		switch before := last[id]; {
		case before == nil:
			first[id] = e
		case e.attempt < before.attempt: // late, by a former owner
			continue
		case e.attempt > before.attempt:
			n, least, most = n+1, min(least, e.at.Sub(first[id].at)), max(most, e.at.Sub(before.at))
			first[id] = e
		}
		last[id] = e
	}
	t.Logf("%s: %d retries after %v to %v", b.path, n, least.Round(time.Millisecond), most.Round(time.Millisecond))
	// A first attempt arrives later than it began, on a busy machine by half a second.
	if n == 0 || least < 4*time.Second || most > 5500*time.Millisecond+takeOver {
		t.Errorf("%s: %d retries after %v to %v", b.path, n, least, most)
	}
}
