package session

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
)

// A malformed token runs no statement, and a well-formed one runs one.
func TestFindStatements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		p.second("Second", viewer.Owner)
		token := p.signIn("")
		for text, want := range map[string]uint64{
			token: 1, digest.NewToken(): 1, "": 0, token[1:]: 0, token + "A": 0, strings.ToLower(token): 0,
			strings.Repeat("1", digest.TokenLen): 0,
		} {
			before := s.Statements()
			if got := p.who(text); (got != nil) != (text == token) {
				t.Errorf("%q: %+v", text, got)
			}
			if n := s.Statements() - before; n != want {
				t.Errorf("%q: %d statements, want %d", text, n, want)
			}
		}
	})
}

// Sessions end after 12 hours without use or 14 days in all. Their use is recorded once a minute.
func TestExpiry(t *testing.T) {
	hashed() // before the bubble: others use it
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		p := newPlace(t, s)
		token := p.signIn("")
		sum, _ := digest.OfToken(token)
		seen := func() micros.Time { return s.DB(p.ctx).Session.GetX(p.ctx, sum).SeenAt }
		first := seen()
		time.Sleep(seenEvery - time.Microsecond)
		if p.who(token); seen() != first {
			t.Error("noted within the minute")
		}
		time.Sleep(time.Microsecond)
		if p.who(token); seen() != first.Add(seenEvery) {
			t.Errorf("noted %v after the first use, want a minute", seen().Sub(first))
		}
		time.Sleep(Idle - time.Microsecond)
		if p.who(token) == nil {
			t.Error("ended before 12 idle hours")
		}
		rested := p.signIn("")
		time.Sleep(Idle)
		if p.who(rested) != nil {
			t.Error("alive after 12 idle hours")
		}
		if list, err := p.List(t.Context(), p.ada); err != nil || len(list) != 0 {
			t.Errorf("idle sessions are listed: %v, %v", list, err)
		}
		lasting := p.signIn("")
		began := time.Now()
		for time.Since(began) < Life-time.Hour {
			time.Sleep(time.Hour)
			if p.who(lasting) == nil {
				t.Fatalf("ended %v after the sign-in", time.Since(began))
			}
		}
		time.Sleep(time.Hour)
		if p.who(lasting) != nil {
			t.Error("alive after 14 days")
		}
	})
}

// The plans of both statements show that neither scans a table.
func TestPlans(t *testing.T) {
	var last string
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Inspect: func(st ent.Statement) error {
		last = st.Query
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := newPlace(t, s)
	token := p.signIn("")
	for name, run := range map[string]func(){
		"find": func() { p.who(token) },
		"prove": func() {
			if _, _, err := p.byEmail(t.Context(), "ada@example.com"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		run()
		query := "EXPLAIN QUERY PLAN " + last
		rows, err := s.DB(t.Context()).QueryContext(t.Context(), query, make([]any, strings.Count(query, "?"))...)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(detail, "SCAN") {
				t.Errorf("%s: %s", name, detail)
			}
		}
		rows.Close()
	}
}

func BenchmarkFind(b *testing.B) {
	p := newPlace(b, storetest.Unlinted(b))
	token := p.signIn("")
	b.ReportAllocs()
	for b.Loop() {
		if found, err := p.Find(b.Context(), token); found == nil || err != nil {
			b.Fatal(found, err)
		}
	}
}
