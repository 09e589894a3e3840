package e2e

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// pair is two semi-synchronous servers, one of which accepts writes.
type pair struct {
	dirs    [2]string
	members [2]*mariadb.Member
	writer  int
}

func newPair(t *testing.T) *pair {
	t.Helper()
	root, err := os.MkdirTemp("/tmp", "sfpair") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{dirs: [2]string{filepath.Join(root, "a"), filepath.Join(root, "b")}}
	t.Cleanup(func() {
		for _, m := range p.members {
			if m != nil {
				m.Close()
			}
		}
		os.RemoveAll(root)
	})
	p.begin(t, 0)
	if err := p.members[0].Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.members[0].Setup(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	p.begin(t, 1)
	p.follow(t, 1, 0)
	return p
}

// begin starts an empty member.
func (p *pair) begin(t *testing.T, i int) {
	t.Helper()
	if err := os.RemoveAll(p.dirs[i]); err != nil {
		t.Fatal(err)
	}
	var err error
	if p.members[i], err = mariadb.StartMember(i+1, p.dirs[i]); err != nil {
		t.Fatal(err)
	}
}

func (p *pair) follow(t *testing.T, one, of int) {
	t.Helper()
	if err := p.members[one].Follow(t.Context(), p.members[of]); err != nil {
		t.Fatal(err)
	}
}

// fail kills the writer and promotes the other member after a while. It returns how long no writes
// were accepted.
func (p *pair) fail(t *testing.T, after time.Duration) time.Duration {
	t.Helper()
	began := time.Now()
	p.members[p.writer].Close() // as kill -9 does
	p.members[p.writer] = nil
	beats(after)
	p.writer = 1 - p.writer
	if err := p.members[p.writer].Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

// shoppers write with keys and read lists, each request once.
type shoppers struct {
	*load

	ended    atomic.Bool
	group    sync.WaitGroup
	mu       sync.Mutex
	surfaced map[string]int // writes and reads with an error
	stall    map[string]time.Duration
}

func (c *shoppers) begin(t *testing.T) {
	for i := range 6 {
		c.group.Go(func() {
			for n := i; !c.ended.Load(); n++ {
				d := c.next(n)
				if a := c.send(t, "write", d.request); a != nil {
					c.acknowledge(d, a)
				}
			}
		})
		c.group.Go(func() {
			for !c.ended.Load() {
				c.send(t, "read", request{As: c.key, Path: base + "/orders?limit=20"})
			}
		})
	}
}

// send returns an answer that is no error of the server's.
func (c *shoppers) send(t *testing.T, kind string, r request) *answer {
	began := time.Now()
	a, err := c.program.do(t, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stall[kind] = max(c.stall[kind], time.Since(began))
	if err == nil && a.Status < http.StatusInternalServerError {
		return a
	}
	c.surfaced[kind]++
	t.Logf("%s %s: %s", r.Method, r.Path, describe(a, err))
	if err == nil && a.Status != http.StatusServiceUnavailable {
		t.Errorf("%d %s\n%s", a.Status, a.Body, c.program.log)
	}
	return nil
}

// report logs the outcome, and fails the test if requests were refused that only had to wait.
func (c *shoppers) report(t *testing.T, away time.Duration) {
	t.Helper()
	t.Logf("no writer for %v; worst stall %v, refused %v, %d writes acknowledged", away.Round(time.Millisecond),
		c.stall, c.surfaced, c.acks)
	if away < 4*time.Second && len(c.surfaced) > 0 {
		t.Errorf("requests were refused: %v", c.surfaced)
	}
}

// TestFailover kills the writer of two servers and promotes the other one. Under keyed writes,
// lists and deliveries nothing is lost or done twice, and no request fails if no writes were
// accepted for less than the 5 s that requests wait. With -count it is a campaign.
func TestFailover(t *testing.T) {
	storetest.Campaign(t)
	if !mariadb.Installed() {
		storetest.HaveMySQL(t) // servers that are given cannot be killed
		return
	}
	servers := newPair(t)
	p := start(t, settings{
		Data: t.TempDir(), Args: []string{"--demo", "--demo-orders", "3", "--rate-limit", "0", "--migrate",
			"--database", mariadb.Address("shop", servers.members[0], servers.members[1])},
	})
	crew := hire(t, 20*time.Millisecond, p)
	sink := receiving(t)
	book := sink.open("/in", nil)
	p.register(t, crew.store.Keys["all"], book, salesEvents...)
	other := p.demo(t).Stores[1] // whose events are not in the journal
	key := other.Keys["all"]
	c := &shoppers{load: newLoad(p, key, p.firstOrder(t, key), 0), surfaced: map[string]int{},
		stall: map[string]time.Duration{}}
	crew.begin(t, 2)
	c.begin(t)
	beats(2 * time.Second)
	away := servers.fail(t, 200*time.Millisecond+rand.N(2500*time.Millisecond))
	beats(2 * time.Second)
	c.ended.Store(true)
	c.group.Wait()
	c.report(t, away)
	crew.finish(t, sink, nil, 0, book)
	c.verify(t, p)
	checkRows(t, c.deeds, p.tally(t, key, other.StaffToken, c.order))
}
