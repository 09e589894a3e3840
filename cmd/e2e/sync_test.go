package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

// follower is a client that keeps a copy as the guide to incremental sync says.
type follower struct {
	from  string
	seen  map[string]time.Time // when each product came first
	walks int
}

// walk reads what has changed, page by page, and keeps the last updated_at for the next walk.
func (f *follower) walk(t *testing.T, p *program, key string) {
	t.Helper()
	f.walks++
	for cursor := ""; ; {
		a := p.send(t, request{As: key, Path: base + "/products?limit=100&updated_from=" + f.from + cursor}).
			want(t, http.StatusOK, "")
		var page struct {
			Data []struct {
				ID        string
				UpdatedAt string `json:"updated_at"`
			}
			NextCursor *string `json:"next_cursor"`
		}
		if err := json.Unmarshal(a.Body, &page); err != nil {
			t.Fatal(err)
		}
		for _, row := range page.Data {
			f.from = row.UpdatedAt
			if f.seen[row.ID].IsZero() {
				f.seen[row.ID] = time.Now()
			}
		}
		if page.NextCursor == nil {
			return
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// writing is a group of clients that create products until stopped.
type writing struct {
	clients, walks sync.WaitGroup
	stop           chan struct{}

	mu   sync.Mutex
	made map[string]time.Time // when the answer came
}

func (w *writing) begin(t *testing.T, key string, servers ...*program) {
	for i := range 24 {
		p := servers[i%len(servers)]
		w.clients.Go(func() {
			for n := 0; !closed(w.stop); n++ {
				a, err := p.do(t, request{As: key, Path: base + "/products",
					Body: draft("Cup", fmt.Sprintf("S%d-%d", i, n))})
				if err != nil || a.Status != http.StatusCreated {
					t.Errorf("write: %v %+v", err, a)
					return
				}
				var p struct{ ID string }
				a.decode(t, &p)
				w.mu.Lock()
				w.made[p.ID] = time.Now()
				w.mu.Unlock()
			}
		})
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A client that follows the guide misses nothing that 24 others write through two servers, one of
// which is stopped for longer than the database allows a transaction to idle.
func TestSyncBesideWriters(t *testing.T) {
	storetest.Campaign(t)
	storetest.Sequential(t)
	if !storetest.HaveMySQL(t) {
		return // SQLite has one writer at a time: the tests of rest hold a transaction open there
	}
	t.Run("mysql", func(t *testing.T) { syncBesideWriters(t, onMySQL(t).plus("--no-dispatch")) })
}

func syncBesideWriters(t *testing.T, s settings) {
	one := start(t, s)
	two := start(t, s)
	key := two.demo(t).Stores[0].Keys["all"]
	client := &follower{from: "2000-01-01T00:00:00Z", seen: map[string]time.Time{}}
	w := &writing{stop: make(chan struct{}), made: map[string]time.Time{}}
	w.begin(t, key, one, two)
	w.walks.Go(func() {
		for !closed(w.stop) {
			client.walk(t, two, key)
		}
	})
	beats(time.Second)
	one.cmd.Process.Signal(syscall.SIGSTOP)
	beats(5 * time.Second)
	one.cmd.Process.Signal(syscall.SIGCONT)
	beats(time.Second)
	close(w.stop)
	w.clients.Wait()
	w.walks.Wait()
	ended := time.Now() // a commit that got no answer counts as open for a while
	for missing := -1; missing != 0; {
		client.walk(t, two, key)
		missing = 0
		for id := range w.made {
			if client.seen[id].IsZero() {
				missing++
			}
		}
		if missing > 0 && time.Since(ended) > patience {
			t.Fatalf("%d of %d products were never seen in %d walks", missing, len(w.made), client.walks)
		}
	}
	t.Logf("%d products, %d walks, all seen %v after the last write", len(w.made), client.walks, time.Since(ended))
}
