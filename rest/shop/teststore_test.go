package shop_test

import (
	"database/sql"
	"testing"
	"time"
)

// Every page of a test store marks it as one, for people and robots; no other page does.
func TestPagesOfATestStore(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		for path, status := range map[string]int{"/": 200, "/search?q=x": 200, "/nowhere": 404} {
			s.get(path).want(t, status, "!Test store", "!noindex")
		}
		err := s.core.Store.Admin(t.Context(), func(c *sql.Conn) error {
			_, err := c.ExecContext(t.Context(), "UPDATE stores SET test = ?, version = version + 1 WHERE id = ?",
				true, s.id[:])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.clock.add(time.Second) // states cached before are stale
		for path, status := range map[string]int{"/": 200, "/search?q=x": 200, "/nowhere": 404} {
			s.get(path).want(t, status, "<strong>Test store</strong>", `<meta name="robots" content="noindex">`)
		}
	})
}
