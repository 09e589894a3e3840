package ent_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// door stands between a store and its database, and counts who comes.
type door struct {
	address string // of the database behind it
	shut    atomic.Bool
	came    atomic.Int64
	mu      sync.Mutex
	inside  []net.Conn
}

var place = regexp.MustCompile(`@(?:unix\(([^)]*)\)|([^/]*))/`)

func newDoor(t *testing.T, address string) *door {
	t.Helper()
	m := place.FindStringSubmatch(address)
	network, server := "unix", m[1]
	if m[1] == "" {
		network, server = "tcp", m[2]
	}
	dir, err := os.MkdirTemp("", "sf") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	d := &door{address: strings.Replace(address, m[0], "@unix("+l.Addr().String()+")/", 1)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d.came.Add(1)
			go d.lead(c, network, server)
		}
	}()
	return d
}

// lead copies both ways while the door is open.
func (d *door) lead(client net.Conn, network, address string) {
	defer client.Close()
	server, err := net.Dial(network, address)
	if err != nil || d.shut.Load() {
		return
	}
	defer server.Close()
	d.mu.Lock()
	d.inside = append(d.inside, client, server)
	d.mu.Unlock()
	go func() { _, _ = io.Copy(server, client); server.Close() }()
	_, _ = io.Copy(client, server)
}

// close ends what goes through the door, and lets nobody in.
func (d *door) close() {
	d.shut.Store(true)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.inside {
		c.Close()
	}
	d.inside = nil
}

// TestAway: while the database is away, all that a process does together knocks a few
// times a second, and hears within about a second that it is back.
func TestAway(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return // SQLite has no server
	}
	d := newDoor(t, storetest.MySQL(t))
	s, err := ent.Open(t.Context(), ent.Config{Database: d.address})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, end := context.WithCancel(t.Context())
	var answered atomic.Int64
	var loops sync.WaitGroup
	defer loops.Wait()
	defer end()
	for range 16 {
		loops.Go(func() {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				if _, err := s.ServerTime(ctx); err == nil {
					answered.Add(1)
				}
				<-tick.C
			}
		})
	}
	await(t, func() bool { return answered.Load() > 50 })
	d.close()
	shut := time.Now()
	await(t, func() bool { return time.Since(shut) > time.Second }) // the loops hear of it
	before := d.came.Load()
	const away = 3
	await(t, func() bool { return time.Since(shut) > (1+away)*time.Second })
	if n := d.came.Load() - before; n < 1 || n > 5*away {
		t.Errorf("%d connections were tried in %d s, want a few a second", n, away)
	}
	had := answered.Load()
	d.shut.Store(false)
	back := time.Now()
	await(t, func() bool { return answered.Load() >= had+50 })
	if took := time.Since(back); took > 1500*time.Millisecond {
		t.Errorf("it took %s to hear that the database is back", took)
	}
}

func await(t *testing.T, so func() bool) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for !so() {
		select {
		case <-limit:
			t.Fatal("waited too long")
		case <-time.After(5 * time.Millisecond):
		}
	}
}
