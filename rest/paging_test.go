package rest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

// crowd creates n ids. Most share one microsecond; each hundredth is before or after it.
func crowd(n int) []xid.ID {
	ids := make([]xid.ID, n)
	for i := range ids {
		at := epoch
		if i%100 == 0 {
			at = epoch.Add(time.Duration(i-n/2) * time.Millisecond)
		}
		ids[i] = xid.At(at)
	}
	return ids
}

func TestLimit(t *testing.T) {
	s, m := sqlite(t)
	m.stock(crowd(120)...)
	for _, tc := range []struct {
		limit string
		rows  int // 0 if it is refused
		free  bool
	}{
		{"1", 1, false}, {"2", 2, false}, {"99", 99, false}, {"100", 100, false},
		{"101", 100, false}, {"1000", 100, false}, {"999999999999999999999999999999", 100, true},
		{strings.Repeat("9", 3000), 100, true}, {"007", 7, true}, {"00000000000000000000000000000000000001", 1, true},
		{"0", 0, false}, {"00", 0, false}, {"-1", 0, false}, {"-0", 0, false}, {"abc", 0, false}, {"", 0, false},
		{"%205", 0, false}, {"5%20", 0, false}, {"1.0", 0, false}, {"%2B5", 0, false}, {"+5", 0, false},
		{"1e1", 0, false}, {"0x10", 0, false}, {"1_0", 0, false}, {"5,", 0, false},
		{"%D9%A5", 0, false}, {"%EF%BC%95", 0, false}, {"null", 0, false}, {"5%00", 0, false}, {"%ff", 0, false},
	} {
		t.Run(clipped(tc.limit), func(t *testing.T) {
			a := s.do(t, request{As: m.all, Path: "/products?limit=" + tc.limit, Free: tc.free})
			if tc.rows == 0 {
				a.want(http.StatusBadRequest, "invalid_parameter")
				want := "limit invalid_format"
				if slices.Contains([]string{"0", "00", "-1", "-0"}, tc.limit) {
					want = "limit out_of_range"
				}
				if got := a.problem().places(); !slices.Equal(got, []string{want}) {
					t.Errorf("got %v, want %s", got, want)
				}
				return
			}
			if got := len(a.list().Data); got != tc.rows {
				t.Errorf("got %d rows, want %d", got, tc.rows)
			}
		})
	}
	if got := len(s.do(t, request{As: m.all, Path: "/products"}).list().Data); got != 50 {
		t.Errorf("without a limit: %d rows, want 50", got)
	}
}

func clipped(s string) string { return s[:min(len(s), 40)] }

func TestParameters(t *testing.T) {
	s, m := sqlite(t)
	for _, tc := range []struct {
		path string
		want []string // nil if the query is malformed, which names nothing
	}{
		{"/products?limit=1&limit=1", []string{"limit invalid_format"}},
		{"/products?limit=1&limit=x", []string{"limit invalid_format"}},
		{"/products?Limit=1", []string{"Limit unknown_member"}},
		{"/products?page=2&offset=10&limit=0",
			[]string{"limit out_of_range", "offset unknown_member", "page unknown_member"}},
		{"/products?status=draft&status=draft", []string{"status invalid_format"}},
		{"/products?limit[]=1", []string{"limit[] unknown_member"}},
		{"/products?=1", nil},
		{"/products?email=a@example.com", []string{"email unknown_member"}},
		{"/products/" + productID + "?limit=1", []string{"limit unknown_member"}},
		{"/products/" + productID + "?cursor=x", []string{"cursor unknown_member"}},
		{"/me?fields=id", []string{"fields unknown_member"}},
		{"/products?status=published", []string{"status unknown_value"}},
		{"/products?sku=" + strings.Repeat("x", 1100), []string{"sku too_long"}},
		{"/products?updated_from=2026-02-30T00:00:00Z", []string{"updated_from invalid_format"}},
		{"/products?updated_from=2026-03-01T00:00:00", []string{"updated_from invalid_format"}},
		{"/products?updated_from=0", []string{"updated_from invalid_format"}},
		{"/products?limit=%zz", nil},
		{"/products?limit=%", nil},
		{"/products?limit=1;cursor=x", nil},
		{"/products?%zz", nil},
		{"/products?" + strings.Repeat("x", 300), []string{strings.Repeat("x", 64) + " unknown_member"}},
	} {
		t.Run(clipped(tc.path), func(t *testing.T) {
			a := s.do(t, request{As: m.all, Path: tc.path}).want(http.StatusBadRequest, "invalid_parameter")
			if diff := cmp.Diff(append([]string{}, tc.want...), a.problem().places()); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHostileFilters(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.stock(crowd(3)...)
		for _, sku := range []string{"%00", "%ff%fe", "'%20OR%201=1--", "%25", "_", "%F0%9F%98%80",
			strings.Repeat("%F0%9F%98%80", 255), "a%20", "\\"} {
			a := s.do(t, request{As: m.all, Path: "/products?sku=" + sku, Free: true})
			if a.Status >= 500 || a.Status == http.StatusOK && len(a.list().Data) > 0 {
				t.Errorf("sku=%s: %d %s", sku, a.Status, a.Body)
			}
		}
	})
}

// TestCursorFlips changes every character of a cursor: each is page one.
func TestCursorFlips(t *testing.T) {
	s, m := sqlite(t)
	m.stock(crowd(5)...)
	first := s.do(t, request{As: m.all, Path: "/products?limit=2"})
	cursor := *first.list().NextCursor
	if len(cursor) != 56 {
		t.Fatalf("a cursor of %d characters: %s", len(cursor), cursor)
	}
	second := s.do(t, request{As: m.all, Path: "/products?limit=2&cursor=" + cursor})
	if slices.Equal(second.list().ids(), first.list().ids()) {
		t.Fatal("the cursor leads nowhere")
	}
	forged := []string{"", "x", cursor[1:], cursor + "A", cursor + "=", cursor + "==", " " + cursor,
		cursor + "\n", strings.ToLower(cursor), cursor[:28] + "\n" + cursor[28:], cursor[:55], strings.Repeat("A", 56),
		strings.Repeat(cursor, 50), "\x00", "\xff", "null", "%", cursor + "\x00"}
	for i := range len(cursor) {
		for _, c := range "A_-0z" {
			if cursor[i] != byte(c) {
				forged = append(forged, cursor[:i]+string(c)+cursor[i+1:])
			}
		}
	}
	for _, f := range forged {
		a := s.do(t, request{As: m.all, Path: "/products?limit=2&cursor=" + url.QueryEscape(f), Free: true})
		if same := string(a.Body) == string(first.Body); a.Status != http.StatusOK || !same {
			t.Errorf("cursor %q: got %d %.300s", f, a.Status, a.Body)
		}
	}
	for _, query := range []string{"&cursor=" + cursor + "&cursor=" + cursor, "&cursor=&cursor=" + cursor} {
		a := s.do(t, request{As: m.all, Path: "/products?limit=2" + query, Free: true})
		if a.Status != http.StatusOK || string(a.Body) != string(first.Body) {
			t.Errorf("two cursors: got %d %.300s", a.Status, a.Body)
		}
	}
}

// TestForeignCursors: a cursor of another list, store or filter set gives page one; the limit and
// the API version are not part of it.
func TestForeignCursors(t *testing.T) {
	s, m := sqlite(t)
	other := newShop(t, s.store, shopRow{Legacy: true})
	m.stock(crowd(5)...)
	other.stock(crowd(5)...)
	get := func(as, path string) listed {
		t.Helper()
		return s.do(t, request{As: as, Path: path}).list()
	}
	mine := *get(m.all, "/products?limit=2").NextCursor
	filtered := *get(m.all, "/products?limit=2&status=draft").NextCursor
	changes := *get(m.all, "/products?limit=2&updated_from=2026-01-01T00:00:00Z").NextCursor
	theirs := *get(other.all, "/products?limit=2").NextCursor
	for _, tc := range []struct{ name, as, path, cursor string }{
		{name: "filtered cursor, no filter", as: m.all, path: "/products?limit=2", cursor: filtered},
		{name: "cursor of changes, no filter", as: m.all, path: "/products?limit=2", cursor: changes},
		{name: "plain cursor, filter", as: m.all, path: "/products?limit=2&status=draft", cursor: mine},
		{name: "plain cursor, changes", as: m.all, path: "/products?limit=2&updated_from=2026-01-01T00:00:00Z",
			cursor: mine},
		{name: "changes from another time", as: m.all, path: "/products?limit=2&updated_from=2026-01-01T00:00:01Z",
			cursor: changes},
		{name: "another store's", as: m.all, path: "/products?limit=2", cursor: theirs},
		{name: "ours elsewhere", as: other.all, path: "/products?limit=2", cursor: mine},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want, got := get(tc.as, tc.path), get(tc.as, tc.path+"&cursor="+tc.cursor)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("not page one (-want +got):\n%s", diff)
			}
		})
	}
	two, three := get(m.all, "/products?limit=2&cursor="+mine), get(m.all, "/products?limit=3&cursor="+mine)
	if !slices.Equal(two.ids(), three.ids()[:2]) {
		t.Errorf("another limit: %v, then %v", two.ids(), three.ids())
	}
	v1, v0 := get(other.all, "/products?limit=2&cursor="+theirs),
		get(other.all, legacy+"/products?limit=2&cursor="+theirs)
	if diff := cmp.Diff(v1, v0); diff != "" {
		t.Errorf("v0 (-v1 +v0):\n%s", diff)
	}
	zone := get(m.all, "/products?limit=2&updated_from=2026-01-01T01:00:00%2B01:00&cursor="+changes)
	if slices.Equal(zone.ids(), get(m.all, "/products?limit=2&updated_from=2026-01-01T00:00:00Z").ids()) {
		t.Error("the same time in another offset is another filter")
	}
}

// TestCursorOfAnotherList: the lists of one store do not share cursors.
func TestCursorOfAnotherList(t *testing.T) {
	c := newCast(t)
	cursor := *c.do(t, request{As: c.as["all"], Path: "/products?limit=1"}).list().NextCursor
	for _, path := range []string{"/orders?limit=1", "/customers?limit=1"} {
		want := c.do(t, request{As: c.as["all"], Path: path}).list()
		got := c.do(t, request{As: c.as["all"], Path: path + "&cursor=" + cursor}).list()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-page one +got):\n%s", path, diff)
		}
	}
}

// TestWalk walks 2,000 products, most of which share one microsecond, while others are inserted:
// none appears twice, and none of the first 2,000 is missing.
func TestWalk(t *testing.T) {
	storetest.Sequential(t)
	each(t, func(t *testing.T, s *server, m *shop) {
		ids := crowd(2000)
		m.stock(ids...)
		for _, limit := range []int{100, 50, 37} {
			t.Run(fmt.Sprint(limit), func(t *testing.T) {
				seen, pages := walk(t, s, m, "/products?limit="+fmt.Sprint(limit), func() {
					m.stock(xid.New(), xid.At(epoch), xid.At(epoch.Add(time.Microsecond)),
						xid.At(epoch.Add(-time.Microsecond)))
				})
				for _, id := range ids {
					if n := seen[xid.Product.Format(id)]; n != 1 {
						t.Errorf("%s came %d times", xid.Product.Format(id), n)
					}
				}
				for id, n := range seen {
					if n > 1 {
						t.Errorf("%s came %d times", id, n)
					}
				}
				if pages < len(ids)/limit {
					t.Errorf("%d pages of %d for %d rows", pages, limit, len(ids))
				}
			})
		}
	})
}

// walk follows next_cursor to its end; it runs between after each page.
func walk(t *testing.T, s *server, m *shop, path string, between func()) (seen map[string]int, pages int) {
	t.Helper()
	seen = map[string]int{}
	last := "~"
	for cursor := ""; ; pages++ {
		page := s.do(t, request{As: m.all, Path: path + cursor}).list()
		for _, id := range page.ids() {
			seen[id]++
			if id >= last {
				t.Errorf("%s comes behind %s", id, last)
			}
			last = id
		}
		if page.NextCursor == nil {
			return seen, pages + 1
		}
		if len(page.Data) == 0 {
			t.Fatal("an empty page in the middle")
		}
		cursor = "&cursor=" + *page.NextCursor
		between()
	}
}

// TestWalkOfChanges walks by oldest change through rows with equal times, from exactly the given
// time.
func TestWalkOfChanges(t *testing.T) {
	storetest.Sequential(t)
	each(t, func(t *testing.T, s *server, m *shop) {
		ids := crowd(500)
		m.stock(ids...)
		path := "/products?limit=33&updated_from=" + url.QueryEscape(epoch.String())
		var got []string
		for cursor := ""; ; {
			page := s.do(t, request{As: m.all, Path: path + cursor}).list()
			got = append(got, page.ids()...)
			if page.NextCursor == nil {
				break
			}
			cursor = "&cursor=" + *page.NextCursor
		}
		var want []string
		slices.SortFunc(ids, xid.ID.Compare)
		for _, id := range ids {
			if id.Time() >= epoch {
				want = append(want, xid.Product.Format(id))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("walk (-want +got):\n%s", diff)
		}
	})
}

// TestLastPage: next_cursor is null on the last page only, even if that is full.
func TestLastPage(t *testing.T) {
	s, m := sqlite(t)
	if l := s.do(t, request{As: m.all, Path: "/products"}).list(); l.Data == nil ||
		len(l.Data) > 0 || l.NextCursor != nil {
		t.Errorf("an empty list: %+v", l)
	}
	m.stock(crowd(6)...)
	for _, tc := range []struct{ limit, pages int }{{1, 6}, {2, 3}, {3, 2}, {4, 2}, {5, 2}, {6, 1}, {7, 1}, {100, 1}} {
		seen, pages := walk(t, s, m, fmt.Sprint("/products?limit=", tc.limit), func() {})
		if len(seen) != 6 || pages != tc.pages {
			t.Errorf("limit %d: %d rows on %d pages, want 6 on %d", tc.limit, len(seen), pages, tc.pages)
		}
	}
}

// TestWalkOfFilters walks every list with every filter: each matching row appears once, and a
// filter without matches gives an empty list.
func TestWalkOfFilters(t *testing.T) {
	storetest.Sequential(t)
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		m.moreOrders(60)
		m.stock(crowd(60)...)
		customer, nobody := xid.Customer.Format(fixed(1)), xid.Customer.Format(fixed(99))
		since, until := url.QueryEscape(fixed(100).Time().String()), url.QueryEscape(fixed(130).Time().String())
		for query, want := range map[string]int{
			"/products": 63, "/products?status=draft": 61, "/products?status=active": 1, "/products?sku=MUG-1": 1,
			"/products?sku=mug-1": 0, "/products?status=draft&sku=MUG-1": 0,
			"/products?status=archived&sku=JUG-1&updated_from=1970-01-01T00:00:00Z": 1,
			"/products?updated_from=1970-01-01T00:00:00Z":                           63,
			"/products?updated_from=9999-12-31T23:59:59Z":                           0, "/orders": 62,
			"/orders?status=open": 61, "/orders?status=completed": 0, "/orders?financial_status=pending": 60,
			"/orders?fulfillment_status=unfulfilled": 62, "/orders?customer_id=" + customer: 61,
			"/orders?customer_id=" + nobody: 0, "/orders?customer_id=" + customer +
				"&status=open&financial_status=paid": 1,
			"/orders?created_from=" + since: 60, "/orders?created_to=" + since: 2, "/orders?created_from=" + since +
				"&created_to=" + until: 30, "/orders?created_from=" + until + "&created_to=" + since: 0,
			"/orders?updated_from=1970-01-01T00:00:00Z":                                     62,
			"/orders?status=open&updated_from=1970-01-01T00:00:00Z&customer_id=" + customer: 61,
			"/customers": 2, "/customers?email=ada@example.com": 1, "/customers?email=a@example.com": 0,
			"/customers?updated_from=1970-01-01T00:00:00Z": 2,
		} {
			t.Run(query, func(t *testing.T) {
				mark := "?"
				if strings.Contains(query, "?") {
					mark = "&"
				}
				seen := map[string]bool{}
				for cursor, pages := "", 0; pages < 100; pages++ {
					page := s.do(t, request{As: m.all, Path: query + mark + "limit=7" + cursor}).list()
					for _, id := range page.ids() {
						if seen[id] {
							t.Errorf("%s came twice", id)
						}
						seen[id] = true
					}
					if page.NextCursor == nil {
						break
					}
					cursor = "&cursor=" + *page.NextCursor
				}
				if len(seen) != want {
					t.Errorf("%d rows, want %d", len(seen), want)
				}
			})
		}
	})
}
