package images

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// TestKept: a body that is an image is stored unchanged, once.
func TestKept(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		for body, want := range map[string]struct {
			contentType   string
			width, height int
		}{
			somePNG(3, 2): {"image/png", 3, 2}, someJPEG(): {"image/jpeg", 5, 4}, someGIF(): {"image/gif", 7, 6},
			onePixel: {"image/webp", 1, 1}, headPNG(8000, 6000): {"image/png", 8000, 6000},
		} {
			s.serve = show(body)
			path := "/" + want.contentType + "/" + string(rune('a'+want.width%26)) + `?q="é"#part`
			before := s.asked.Load()
			for range 2 {
				p := s.get(path)
				if p == nil || p.ContentType != want.contentType || p.Width != want.width || p.Height != want.height ||
					p.SizeBytes != int64(len(body)) {
					t.Fatalf("%s: %+v", want.contentType, p)
				}
				got, err := s.Blobs.Get(t.Context(), Key(p), maxBytes)
				if err != nil || string(got) != body {
					t.Errorf("%s: %d bytes, %v", want.contentType, len(got), err)
				}
			}
			if n := s.asked.Load() - before; n != 1 {
				t.Errorf("%s was fetched %d times", want.contentType, n)
			}
		}
		if n := s.outcomes(t, kept); n != 5 {
			t.Errorf("%d are counted", n)
		}
	})
}

// TestRefused: everything else is refused, and the refusal is stored.
func TestRefused(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	for name, tc := range map[string]struct {
		serve   http.HandlerFunc
		outcome string
	}{
		"svg":         {show(someSVG), refused},
		"page":        {show("<!doctype html>"), refused},
		"nothing":     {show(""), refused},
		"cut":         {show(somePNG(3, 2)[:20]), refused},
		"pixels":      {show(headPNG(10_000, 6_000)), refused},
		"wide":        {show(headPNG(1<<30, 1<<30)), refused},
		"large":       {show(somePNG(3, 2) + large), refused},
		"absent":      {http.NotFound, unreachable},
		"moved":       {redirect("http://127.0.0.1/a.png"), forbidden},
		"inside":      {redirect("https://10.0.0.1/a.png"), forbidden},
		"metadata":    {redirect("https://169.254.169.254/latest/meta-data"), forbidden},
		"name":        {redirect("https://db.internal/"), forbidden},
		"credentials": {redirect("https://a:b@127.0.0.1/"), forbidden},
		"round":       {redirect("/round"), unreachable},
		"broken": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, somePNG(3, 2)[:50])
		}, unreachable},
		"unmeasured": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, somePNG(3, 2))
			http.NewResponseController(w).Flush()
			io.WriteString(w, large)
		}, refused},
	} {
		t.Run(name, func(t *testing.T) {
			s.serve = tc.serve
			before, address := s.outcomes(t, tc.outcome), s.host.URL+"/"+name
			if p := s.at(address); p != nil {
				t.Fatalf("kept: %+v", p)
			}
			if n := s.outcomes(t, tc.outcome) - before; n != 1 {
				t.Errorf("%s is counted %d times", tc.outcome, n)
			}
			asked := s.asked.Load()
			if s.at(address) != nil || s.asked.Load() != asked {
				t.Error("the failure is not remembered")
			}
			if p := s.known(address); p.State != state.PictureRefused || p.SizeBytes != 0 || p.ContentType != "" {
				t.Errorf("remembered as %+v", p)
			}
		})
	}
	if got := s.blobs(); len(got) > 0 {
		t.Errorf("files are left: %v", got)
	}
}

// TestForbidden: internal addresses are never requested, whatever the store says.
func TestForbidden(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	for _, address := range []string{
		"https://10.0.0.1/a.png", "https://[::ffff:127.0.0.1]/", "https://0x7f000001/", "https://localhost./",
		"http://127.0.0.1/", "https://a:b@example.com/", "https://exa mple.com/", "https://\u2024.example/", "::",
		"https://printer.local/a.png",
	} {
		if s.at(address) != nil {
			t.Errorf("%s was fetched", address)
		}
	}
	if n := s.outcomes(t, forbidden); n != 10 {
		t.Errorf("%d are counted as forbidden", n)
	}
	// By default this machine is internal too: by name, and when it is dialed.
	strict := s.another(s.Store)
	strict.Egress = egress.Policy{}
	strict.client = strict.newClient()
	if p, err := strict.Get(s.ctx, s.host.URL+"/a.png"); p != nil || err == nil || s.asked.Load() > 0 {
		t.Errorf("%v, %v", p, err)
	}
	dial := strict.client.Transport.(*http.Transport).DialContext
	if _, err := dial(t.Context(), "tcp", s.host.Listener.Addr().String()); !errors.As(err, new(*egress.RefusedError)) {
		t.Errorf("dialled: %v", err)
	}
}

// TestRedirect: a few redirects are followed, without revealing the previous host.
func TestRedirect(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	s.serve = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" {
			t.Errorf("the headers reveal %v", r.Header)
		}
		if next, ok := map[string]string{"/1": "/2", "/2": "/3", "/3": s.host.URL + "/4"}[r.URL.Path]; ok {
			http.Redirect(w, r, next, http.StatusMovedPermanently)
			return
		}
		io.WriteString(w, someGIF())
	}
	if p := s.get("/1"); p == nil || p.ContentType != "image/gif" {
		t.Errorf("got %+v", p)
	}
}

// TestSlow: a host that does not respond, or never ends, is given up.
func TestSlow(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	s.fetchTime = 50 * time.Millisecond
	s.serve = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			io.WriteString(w, somePNG(3, 2))
			http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
	for _, path := range []string{"/silent", "/endless"} {
		if p := s.get(path); p != nil {
			t.Errorf("%s: %+v", path, p)
		}
	}
	if n := s.outcomes(t, unreachable); n != 2 {
		t.Errorf("%d are counted", n)
	}
}

// TestOnce: of any number of requests, in any number of processes, one fetches.
func TestOnce(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		other := s.another(s.Store)
		begun, end := make(chan struct{}, 9), make(chan struct{})
		s.serve = func(w http.ResponseWriter, _ *http.Request) {
			begun <- struct{}{}
			<-end
			io.WriteString(w, someGIF())
		}
		var wait sync.WaitGroup
		for _, k := range []*Keeper{s.Keeper, s.Keeper, other, other} {
			wait.Go(func() {
				if p, err := k.Get(s.ctx, s.host.URL+"/a"); err != nil || p.State != state.PictureKept ||
					p.ContentType != "image/gif" {
					t.Errorf("%+v, %v", p, err)
				}
			})
		}
		<-begun
		close(end)
		wait.Wait()
		if n := s.asked.Load(); n != 1 || s.outcomes(t, kept)+other.outcomes(t, kept) != 1 {
			t.Errorf("fetched %d times", n)
		}
	})
}

// TestAgain: a failed fetch is retried when it is due, with growing pauses; so is one that a killed
// process left.
func TestAgain(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		address := s.host.URL + "/a"
		s.serve = http.NotFound
		for tries, wait := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			before := micros.Now()
			if s.at(address) != nil {
				t.Fatal("there is an image")
			}
			if p := s.known(address); p.Tries != tries+1 || p.DueAt < before.Add(wait) ||
				p.DueAt > micros.Now().Add(wait) {
				t.Errorf("after %d tries: %+v", tries+1, p)
			}
			s.change(address, func(u *db.PictureUpdate) { u.SetDueAt(micros.Now()) })
		}
		s.change(address, func(u *db.PictureUpdate) { u.SetTries(1000) })
		s.at(address)
		if p := s.known(address); p.DueAt < micros.Now().Add(maxPause-time.Minute) ||
			p.DueAt > micros.Now().Add(maxPause) {
			t.Errorf("after many tries: %+v", p)
		}
		s.serve = show(someGIF())
		killed := xid.New()
		s.change(address, func(u *db.PictureUpdate) {
			u.SetState(state.PictureFetching).SetObjectID(killed).SetDueAt(micros.Now())
		})
		if p := s.at(address); p == nil || p.ObjectID == killed {
			t.Errorf("the abandoned fetch is %+v", p)
		}
	})
}

// TestLost: a process whose claim has expired stores nothing.
func TestLost(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		address := s.host.URL + "/a"
		old, err := s.claim(s.ctx, nil, IDOf(address))
		if err != nil || old == nil {
			t.Fatal(err)
		}
		if again, err := s.claim(s.ctx, nil, IDOf(address)); again != nil || err != nil {
			t.Errorf("claimed twice: %v, %v", again, err)
		}
		seen := s.known(address) // two processes find it due
		if old, err = s.claim(s.ctx, seen, seen.ID); old == nil || err != nil {
			t.Errorf("not claimed again: %v", err)
		}
		if again, err := s.claim(s.ctx, seen, seen.ID); again != nil || err != nil {
			t.Errorf("claimed by both: %v, %v", again, err)
		}
		s.change(address, func(u *db.PictureUpdate) { u.SetDueAt(micros.Now()) })
		p := s.at(address)
		if err := s.keep(s.ctx, old); !errors.Is(err, errLost) {
			t.Errorf("kept: %v", err)
		}
		if err := s.refuse(s.ctx, old); !errors.Is(err, errLost) {
			t.Errorf("refused: %v", err)
		}
		if now := s.known(address); now.State != state.PictureKept || now.ObjectID != p.ObjectID {
			t.Errorf("now %+v", now)
		}
	})
}

// TestFull: a store without room stores no more; another one does.
func TestFull(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		size := int64(len(somePNG(3, 2)))
		s.Limits = limit.Values{limit.PictureBytes: 2*size + 1}
		if s.get("/a") == nil || s.get("/b") == nil || s.get("/c") != nil {
			t.Error("the refusal is not about room")
		}
		if n := s.outcomes(t, full); n != 1 || len(s.blobs()) != 2 {
			t.Errorf("%d are counted as full, files %v", n, s.blobs())
		}
		s.ctx, _ = storetest.Merchant(t, s.Store)
		if s.get("/c") == nil {
			t.Error("another store has no room")
		}
	})
}

// TestStoresAreApart: a store neither finds nor uses the images of another.
func TestStoresAreApart(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		first := s.get("/a")
		other, row := storetest.Merchant(t, s.Store)
		if p, err := s.Find(other, first.ID); p != nil || err != nil {
			t.Errorf("found %v, %v", p, err)
		}
		if p, err := s.Find(viewer.Visitor(s.ctx, first.StoreID), first.ID); p == nil || err != nil {
			t.Errorf("the other store found %v, %v", p, err)
		}
		s.ctx = other
		if second := s.get("/a"); second.StoreID != row.ID || Key(second) == Key(first) || s.asked.Load() != 2 {
			t.Errorf("got %+v", second)
		}
	})
}

// TestForget: an image whose bytes are gone is fetched again.
func TestForget(t *testing.T) {
	each(t, func(t *testing.T, s *studio) {
		p := s.get("/a")
		if err := s.Forget(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		again := s.get("/a")
		if s.asked.Load() != 2 || again.ObjectID == p.ObjectID {
			t.Errorf("asked %d times", s.asked.Load())
		}
		if err := s.Forget(t.Context(), p); err != nil || s.known(s.host.URL+"/a") == nil {
			t.Errorf("the new one is forgotten: %v", err)
		}
	})
}

// TestPlaces: one store does not take every slot, and a caller that waits too long gives up.
func TestPlaces(t *testing.T) {
	s := newStudio(t, storetest.Open(t))
	other, _ := storetest.Merchant(t, s.Store)
	ended, cancel := context.WithCancel(s.ctx)
	cancel()
	var leave []func()
	for _, tc := range []struct {
		ctx context.Context
		ok  bool
	}{{s.ctx, true}, {s.ctx, true}, {ended, false}, {other, true}, {other, true}, {ended, false}} {
		f, err := s.fetching.enter(tc.ctx, viewer.From(tc.ctx).Store, 1)
		if (err == nil) != tc.ok {
			t.Fatalf("place %d: %v", len(leave), err)
		}
		if f != nil {
			leave = append(leave, f)
		}
	}
	third, _ := storetest.Merchant(t, s.Store)
	full, cancel := context.WithCancel(third)
	cancel()
	if _, err := s.fetching.enter(full, viewer.From(full).Store, 1); err == nil {
		t.Error("a fifth place")
	}
	for _, f := range leave {
		f()
	}
	if n := len(s.fetching.perStore.stores); n > 0 || !s.fetching.room.TryAcquire(maxFetching) {
		t.Errorf("%d stores are left, or places", n)
	}
}
