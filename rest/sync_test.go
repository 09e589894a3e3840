package rest_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	change "github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// follower is a client that keeps a copy as the guide to incremental sync says.
type follower struct {
	from string
	seen map[string]bool
}

// walk reads what has changed, page by page, and keeps the last updated_at for the next walk.
func (f *follower) walk(t *testing.T, s *server, as string) {
	t.Helper()
	cursor := ""
	for {
		page := s.do(t, request{As: as, Path: "/products?limit=100&updated_from=" + f.from + cursor}).
			want(http.StatusOK, "").list()
		for _, row := range page.Data {
			f.seen[row.ID] = true
			f.from = row.UpdatedAt
		}
		if page.NextCursor == nil {
			return
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// A client that follows the guide misses no row, though a transaction stays open between its write
// and its commit while others commit and the client walks.
func TestSyncMissesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		client := &follower{from: "2000-01-01T00:00:00Z", seen: map[string]bool{}}
		want, written := map[string]bool{}, sync.Mutex{}
		write := func(i int) {
			p := s.post(t, m.all, fmt.Sprint("w", i), "/products", draft(fmt.Sprint("Cup ", i))).
				want(http.StatusCreated, "").product()
			written.Lock()
			defer written.Unlock()
			want[p.ID] = true
		}
		write(0)
		// The server may end an idle transaction, which then runs again.
		entered, release, id := make(chan error, 100), make(chan struct{}), xid.New()
		var held sync.WaitGroup
		held.Go(func() {
			m.tx(func(ctx context.Context, c *db.Client) error {
				_, err := c.Product.Create().SetID(id).SetTitle("Held").SetHandle("held").SetStatus(state.ProductDraft).
					SetPriceMinor(1).SetCurrency("EUR").SetTags([]byte("[]")).SetUpdatedAt(change.Now(ctx)).Save(ctx)
				if entered <- err; err == nil {
					<-release
				}
				return err
			})
		})
		if err := <-entered; err != nil {
			t.Fatal(err)
		}
		want[xid.Product.Format(id)] = true
		var writers sync.WaitGroup
		for i := range 8 { // on SQLite they wait for the held one
			writers.Go(func() { write(i + 1) })
		}
		if s.store.Dialect() != "sqlite3" {
			writers.Wait()
		}
		for range 3 {
			client.walk(t, s, m.all)
		}
		close(release)
		held.Wait()
		writers.Wait()
		client.walk(t, s, m.all)
		for id := range want {
			if !client.seen[id] {
				t.Errorf("%s was never seen; seen were %v", id, slices.Sorted(maps.Keys(client.seen)))
			}
		}
	})
}
