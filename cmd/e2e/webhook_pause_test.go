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
	// stoppedFor is how long a process is stopped, and besideStopped how long an event may wait
	// meanwhile: the lease of 6 s, with a margin for slow machines.
	stoppedFor    = 10 * time.Second
	besideStopped = 9 * time.Second
	// slots is the maximum number of an endpoint's concurrent attempts.
	slots = 32
)

// A process is stopped for longer than its lease and then resumed: meanwhile another process sends
// what it still holds, nothing is lost or out of order, and what it sends late is little and was
// sent before.
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
		// If it is stopped within a transaction, rows stay locked until the server ends it.
		beats(stoppedFor)
		stopped.cmd.Process.Signal(syscall.SIGCONT)
		resumed = append(resumed, time.Now())
	}
	beats(time.Second)
	c.finish(t, sink, nil, len(resumed), books...)
	for _, b := range books {
		b.isPrompt(t, func(time.Time) time.Duration { return besideStopped })
		for _, at := range resumed {
			b.receivesLittleAgain(t, at)
		}
	}
}

// receivesLittleAgain checks that after a time few accepted deliveries are sent again.
func (b *book) receivesLittleAgain(t *testing.T, after time.Time) {
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
