package e2e

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

const (
	// stoppedFor is how long a process stands still, and besideStopped how long an event
	// may wait meanwhile: for the end of a lease, 6 s, with something for slow machines.
	stoppedFor    = 10 * time.Second
	besideStopped = 9 * time.Second
	// slots is how many attempts one endpoint has in flight at most.
	slots = 32
)

// A process that stands still for longer than its lease, whatever it was about to do, and
// goes on as if nothing had happened: what it still holds comes from somebody else
// meanwhile, nothing is lost or out of order, and what it sends late is little, and has
// come before.
func TestWebhookPause(t *testing.T) {
	storetest.Campaign(t)
	storetest.Sequential(t)
	t.Parallel()
	if !storetest.HaveMySQL(t) {
		return // a process that is stopped while it writes would keep SQLite's one lock
	}
	s := settings{Data: t.TempDir(),
		Args: []string{"--demo", "--demo-orders", "3", "--rate-limit", "0", "--migrate", "--no-dispatch",
			"--database", storetest.EmptyMySQL(t)}}
	p := start(t, s)
	c, sink := hire(t, 50*time.Millisecond, p), receiving(t)
	slow := func(*entry) mood { return slowly(20 * time.Millisecond) }
	var books []*book
	for i := range 4 {
		books = append(books, sink.open(fmt.Sprintf("/in/%d", i), slow))
		p.register(t, c.store.Keys["all"], books[i], salesEvents...)
	}
	first := dispatcher(t, s)
	c.begin(t, 4)
	for _, b := range books {
		sink.arrives(t, b, patience)
	}
	second := dispatcher(t, s)
	var resumed []time.Time
	for _, stopped := range []*program{first, second} {
		beats(time.Duration(300+rand.IntN(1000)) * time.Millisecond)
		stopped.cmd.Process.Signal(syscall.SIGSTOP)
		// Stopped within a transaction it keeps rows locked, until the server ends it.
		beats(stoppedFor)
		stopped.cmd.Process.Signal(syscall.SIGCONT)
		resumed = append(resumed, time.Now())
	}
	beats(time.Second)
	c.finish(t, sink, nil, len(resumed), books...)
	for _, b := range books {
		b.isPrompt(t, func(time.Time) time.Duration { return besideStopped })
		for _, at := range resumed {
			b.hearsLittleAgain(t, at)
		}
	}
}

// hearsLittleAgain checks that after a time few requests came of what was accepted.
func (b *book) hearsLittleAgain(t *testing.T, after time.Time) {
	t.Helper()
	accepted, again := map[string]bool{}, 0
	for _, e := range b.all() {
		if accepted[e.payload.EventID] && e.at.After(after) && e.at.Before(after.Add(stoppedFor)) {
			again++
		}
		accepted[e.payload.EventID] = accepted[e.payload.EventID] || e.answered > 0
	}
	t.Logf("%s: %d came once more from who went on", b.path, again)
	if again > slots {
		t.Errorf("%s: %d came once more", b.path, again)
	}
}
