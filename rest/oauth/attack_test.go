package oauth_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/rest/oauth"
)

// atOnce sends the same request many times concurrently and returns the successful answers.
func (w *world) atOnce(form url.Values) (won []tokens) {
	w.t.Helper()
	const n = 50
	replies := make([]*reply, n)
	var start, end sync.WaitGroup
	start.Add(1)
	for i := range n {
		end.Go(func() {
			start.Wait()
			replies[i] = w.post(oauth.TokenPath, form)
		})
	}
	start.Done()
	end.Wait()
	for _, r := range replies {
		switch r.status {
		case http.StatusOK:
			won = append(won, r.tokens())
		case http.StatusServiceUnavailable:
			r.refused(http.StatusServiceUnavailable, "temporarily_unavailable")
		default:
			r.refused(http.StatusBadRequest, "invalid_grant")
		}
	}
	return won
}

func TestFiftyWithOneCode(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		won := w.atOnce(w.redeeming(w.code()))
		if len(won) > 1 {
			t.Errorf("%d of 50 got tokens", len(won))
		}
		w.ended(state.GrantCodeReused)
		for _, got := range won {
			if w.opens(got.Access) {
				t.Error("the winner's access token is alive")
			}
			w.refresh(got.Refresh).refused(http.StatusBadRequest, "invalid_grant")
		}
	})
}

func TestFiftyWithOneRefreshToken(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		first := w.exchange(w.code()).tokens()
		won := w.atOnce(w.refreshing(first.Refresh))
		for _, got := range won {
			if got != won[0] || !w.opens(got.Access) {
				t.Fatal("two workers got different tokens, or dead ones")
			}
		}
		w.refresh(first.Refresh).refused(http.StatusBadRequest, "invalid_grant") // once they are used
		w.ended(state.GrantTokenReused)
		for _, got := range append(won, first) {
			if w.opens(got.Access) {
				t.Error("an access token is alive")
			}
			w.refresh(got.Refresh).refused(http.StatusBadRequest, "invalid_grant")
		}
	})
}

// A process that did not see a use knows of it.
func TestReplayAfterRestart(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code := w.code()
		got := w.exchange(code).tokens()
		next := w.restart()
		next.exchange(code).refused(http.StatusBadRequest, "invalid_grant")
		next.ended(state.GrantCodeReused)
		if next.opens(got.Access) {
			t.Error("the access token is alive")
		}
		next.refresh(got.Refresh).refused(http.StatusBadRequest, "invalid_grant")
	})
}

func TestRefreshReplayAfterRestart(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		first := w.exchange(w.code()).tokens()
		second := w.refresh(first.Refresh).tokens()
		next := w.restart()
		if again := next.refresh(first.Refresh).tokens(); again != second || !next.opens(second.Access) {
			t.Error("another process does not give the answer again")
		}
		next.refresh(first.Refresh).refused(http.StatusBadRequest, "invalid_grant")
		next.ended(state.GrantTokenReused)
		if next.opens(second.Access) {
			t.Error("the access token is alive")
		}
	})
}

// A used code is recognized after its minute too.
func TestReplayAfterExpiry(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code := w.code()
		got := w.exchange(code).tokens()
		w.in(w.shop.ID, func(ctx context.Context, c *db.Client) error {
			_, err := c.ExecContext(ctx, "UPDATE grants SET code_expires_at = 1 WHERE store_id = ?", w.shop.ID)
			return err
		})
		w.exchange(code).refused(http.StatusBadRequest, "invalid_grant")
		w.ended(state.GrantCodeReused)
		if w.opens(got.Access) {
			t.Error("the access token is alive")
		}
	})
}

// The answer of a consent page counts once, and only for its browser, person, store and request.
func TestTicket(t *testing.T) {
	w := sqlite(t)
	other := w.newShop("Second shop")
	bob := w.signIn("Bob", "bob@example.com", member{w.shop, viewer.Owner})
	eve := w.signIn("Eve", "eve@example.com", member{w.shop, viewer.Owner}, member{other, viewer.Owner})
	refuse := func(t *testing.T, r *reply) {
		t.Helper()
		if r.page(http.StatusBadRequest); !strings.Contains(r.body, "has expired or was already answered") ||
			!strings.Contains(r.body, "Start again") {
			t.Errorf("%s", r.body)
		}
		if n := len(w.grants()); n != 0 {
			t.Errorf("%d grants", n)
		}
	}
	t.Run("of another person", func(t *testing.T) {
		refuse(t, w.answer(bob, w.authorize(w.ada).form(), "decision=allow"))
	})
	t.Run("of another browser of the same person", func(t *testing.T) {
		refuse(t, w.answer(w.elsewhere(w.ada), w.authorize(w.ada).form(), "decision=allow"))
	})
	t.Run("of another store", func(t *testing.T) {
		form := w.authorize(eve, "store="+id(w.shop)).form()
		refuse(t, w.answer(eve, form, "store="+id(other), "decision=allow"))
	})
	t.Run("for another person's store", func(t *testing.T) {
		refuse(t, w.answer(w.ada, w.authorize(w.ada).form(), "store="+id(other), "decision=allow"))
	})
	for _, change := range []string{
		"state=other", "scope=orders.read", "code_challenge=" + challenge(strings.Repeat("x", 43)),
	} {
		t.Run("of another request: "+change, func(t *testing.T) {
			refuse(t, w.answer(w.ada, w.authorize(w.ada).form(), "request="+w.asked(change).Encode(), "decision=allow"))
		})
	}
	t.Run("of another app", func(t *testing.T) {
		evil := w.register(row{Name: "Evil"})
		refuse(t, w.answer(w.ada, w.authorize(w.ada).form(), "request="+w.asked("client_id="+evil.ClientID).Encode(),
			"decision=allow"))
	})
	t.Run("broken, empty or missing", func(t *testing.T) {
		for _, change := range []string{"ticket=AAAA", "ticket=", "-ticket"} {
			refuse(t, w.answer(w.ada, w.authorize(w.ada).form(), change, "decision=allow"))
		}
	})
	t.Run("without a decision", func(t *testing.T) {
		refuse(t, w.answer(w.ada, w.authorize(w.ada).form()))
		refuse(t, w.answer(w.ada, w.authorize(w.ada).form(), "decision=yes"))
	})
	t.Run("used twice", func(t *testing.T) {
		for _, first := range []string{"deny", "allow"} {
			form := w.authorize(w.ada).form()
			w.answer(w.ada, clone(form), "decision="+first).redirected(callback)
			before := len(w.grants())
			w.answer(w.ada, clone(form), "decision=allow").page(http.StatusBadRequest)
			w.answer(w.ada, clone(form), "decision=deny").page(http.StatusBadRequest)
			if n := len(w.grants()); n != before {
				t.Errorf("after %s: %d grants, then %d", first, before, n)
			}
		}
	})
}

// Of many concurrent answers, one counts.
func TestFiftyWithOneTicket(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		form := w.authorize(w.ada).form()
		form.Set("decision", "allow")
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() { w.answer(w.ada, clone(form)) })
		}
		group.Wait()
		if n := len(w.grants()); n != 1 {
			t.Errorf("%d grants", n)
		}
	})
}

// Another site's page cannot answer for a person.
func TestCrossSitePost(t *testing.T) {
	w := sqlite(t)
	for _, headers := range [][]string{
		{"Sec-Fetch-Site: cross-site"}, {"Sec-Fetch-Site: same-site", "Origin: https://other.test"},
		{"Origin: https://evil.test"},
		{"Origin: null"}, {"Origin: http://api.test"}, {"Origin: https://api.test.evil.test"},
		{"Sec-Fetch-Site: cross-site", "Content-Type: text/plain"},
	} {
		t.Run(strings.Join(headers, ", "), func(t *testing.T) {
			form := w.authorize(w.ada).form()
			form.Set("decision", "allow")
			r := w.send(http.MethodPost, oauth.AuthorizePath, w.ada, form.Encode(),
				append([]string{"Content-Type: application/x-www-form-urlencoded"}, headers...)...)
			r.page(http.StatusForbidden)
			// This comes first, also for requests that would fail anyway.
			w.send(http.MethodPost, oauth.AuthorizePath, nil, "", headers...).page(http.StatusForbidden)
			if n := len(w.grants()); n != 0 {
				t.Errorf("%d grants", n)
			}
		})
	}
	t.Run("our own page can, behind a proxy that changes Host too", func(t *testing.T) {
		form := w.authorize(w.ada).form()
		form.Set("decision", "allow")
		w.send(http.MethodPost, oauth.AuthorizePath, w.ada, form.Encode(),
			"Content-Type: application/x-www-form-urlencoded", "Origin: "+issuer).
			redirected(callback)
	})
	t.Run("GET decides nothing", func(t *testing.T) {
		form := w.authorize(w.ada).form()
		w.authorize(w.ada, "decision=allow", "ticket="+form.Get("ticket"))
		if n := len(w.grants()); n != 1 {
			t.Errorf("%d grants", n)
		}
	})
}

// An answer without a session leads to the sign-in, and the question is asked again.
func TestAnswerSignedOut(t *testing.T) {
	w := sqlite(t)
	form := w.authorize(w.ada).form()
	back := w.answer(nil, form, "decision=allow").redirected("/sign-in?").Get("return_to")
	if back != oauth.AuthorizePath+"?"+w.asked().Encode() || len(w.grants()) != 0 {
		t.Errorf("%q, %d grants", back, len(w.grants()))
	}
}

func TestAnswerThatCannotBeRead(t *testing.T) {
	w := sqlite(t)
	for name, body := range map[string]string{
		"no form": "%zz", "a field twice": "decision=allow&decision=deny", "too long": strings.Repeat("x", 70_000),
	} {
		t.Run(name, func(t *testing.T) {
			w.send(http.MethodPost, oauth.AuthorizePath, w.ada, body, "Origin: "+issuer).page(http.StatusBadRequest)
		})
	}
	t.Run("a request that is too long", func(t *testing.T) {
		w.authorize(w.ada, "state="+strings.Repeat("x", 9000)).page(http.StatusBadRequest)
	})
	t.Run("another method", func(t *testing.T) {
		if r := w.send(http.MethodPut, oauth.AuthorizePath, w.ada, "").
			page(http.StatusMethodNotAllowed); r.header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("Allow %q", r.header.Get("Allow"))
		}
	})
}

// Invalid UTF-8 reaches the database only as a client id.
func TestClientIDOfAnyBytes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, name := range []string{"\xff\xfe", "a\x00b", "\xc3\x28", "'\"\\", "\U0001f600", "%", "_",
			strings.ToUpper(w.app.ClientID), w.app.ClientID + " "} {
			w.exchange("x", "client_id="+name).refused(http.StatusUnauthorized, "invalid_client")
			w.authorize(w.ada, "client_id="+name).page(http.StatusBadRequest)
		}
	})
}
