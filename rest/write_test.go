package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/xid"
)

// TestNoteChangesItsOrder: version, time and count of the order change.
func TestNoteChangesItsOrder(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		type order struct {
			Version    int
			NotesCount int    `json:"notes_count"`
			UpdatedAt  string `json:"updated_at"`
		}
		read := func() (o order, tag string) {
			a := s.do(t, request{As: m.all, Path: "/orders/" + orderID}).want(http.StatusOK, "")
			a.decode(&o)
			return o, a.Header.Get("ETag")
		}
		before, tag := read()
		for range 2 { // the second is a replay
			s.post(t, m.all, "k", "/orders/"+orderID+"/notes", `{"body":"x"}`).want(http.StatusCreated, "")
		}
		after, changed := read()
		if after.Version != before.Version+1 || after.NotesCount != before.NotesCount+1 ||
			after.UpdatedAt <= before.UpdatedAt || tag == changed {
			t.Errorf("before %+v, after %+v, tags %s %s", before, after, tag, changed)
		}
	})
}

func TestNoteBodies(t *testing.T) {
	s, m := sqlite(t)
	m.furnish()
	for _, tc := range []struct {
		name, body string
		want       []string // nil if it is accepted
	}{
		{"5,000", `{"body":"` + strings.Repeat("😀", 5000) + `"}`, nil},
		{"tabs and lines", `{"body":"a\t\r\nb"}`, nil},
		{"markup", `{"body":"<b>&"}`, nil},
		{"5,001", `{"body":"` + strings.Repeat("é", 5001) + `"}`, []string{"#/body too_long"}},
		{"empty", `{"body":""}`, []string{"#/body too_short"}},
		{"blank", `{"body":" \n\t"}`, []string{"#/body too_short"}},
		{"null", `{"body":null}`, []string{"#/body required"}},
		{"number", `{"body":1}`, []string{"#/body invalid_type"}},
		{"control", `{"body":"a\u0000"}`, []string{"#/body invalid_format"}},
		{"escape", `{"body":"\u001b[31m"}`, []string{"#/body invalid_format"}},
		{"visibility", `{"body":"x","visibility":"INTERNAL"}`, []string{"#/visibility unknown_value"}},
		{"empty visibility", `{"body":"x","visibility":""}`, []string{"#/visibility unknown_value"}},
		{"visibility of another type", `{"body":"x","visibility":true}`, []string{"#/visibility invalid_type"}},
		{"author", `{"body":"x","author":{"type":"staff"}}`, []string{"#/author unknown_member"}},
		{"all at once", `{"boddy":"x","visibility":1}`,
			[]string{"#/boddy unknown_member", "#/visibility invalid_type", "#/body required"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := s.do(t, request{
				As: m.all, Method: "POST", Path: "/orders/" + orderID + "/notes", Body: tc.body, Free: tc.want == nil,
			})
			if tc.want == nil {
				a.want(http.StatusCreated, "")
				return
			}
			if diff := cmp.Diff(tc.want, a.want(422, "validation_failed").problem().places()); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotesAtOnce: concurrent notes to one order wait for each other, and none is lost.
func TestNotesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				s.post(t, m.all, fmt.Sprint("k", i), "/orders/"+orderID+"/notes",
					`{"body":"x"}`).want(http.StatusCreated, "")
			})
		}
		wg.Wait()
		var o struct {
			Version    int
			NotesCount int `json:"notes_count"`
		}
		s.do(t, request{As: m.all, Path: "/orders/" + orderID}).decode(&o)
		if o.NotesCount != 20 || o.Version != 22 {
			t.Errorf("%d notes, version %d, want 20 and 22", o.NotesCount, o.Version)
		}
	})
}

// TestAnswersDoNotMix: requests share buffers, but only one after the other.
func TestAnswersDoNotMix(t *testing.T) {
	s, m := sqlite(t)
	ids := crowd(16)
	m.stock(ids...)
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			public := xid.Product.Format(id)
			for n := range 20 {
				path, want := "/products/"+public, http.StatusOK
				if n%4 == 1 {
					path, want = "/products/"+public+"x", http.StatusNotFound
				}
				a := s.do(t, request{As: m.all, Path: path})
				var got struct{ ID string }
				if a.decode(&got); a.Status != want || want == http.StatusOK && got.ID != public {
					t.Errorf("%s: %d %s", path, a.Status, a.Body)
				}
				if n%5 == 0 {
					title := fmt.Sprint("Title ", i, " ", n)
					if p := s.post(t, m.all, fmt.Sprint("mix-", i, "-", n), "/products",
						draft(title)).product(); p.Title != title {
						t.Errorf("made %q, want %q", p.Title, title)
					}
				}
			}
		})
	}
	wg.Wait()
}

// The document lists currencies in capitals; the service also accepts lower case.
func TestCurrencyInSmallLetters(t *testing.T) {
	s, m := sqlite(t)
	got := s.do(t, request{As: m.all, Method: http.MethodPost, Path: "/products", Free: true,
		Body: `{"title":"Mug","price_minor":1450,"currency":"jpy"}`})
	if p := got.want(http.StatusCreated, "").product(); p.Currency != "JPY" {
		t.Errorf("currency: %q", p.Currency)
	}
}
