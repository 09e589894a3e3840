package oauth_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// host serves the metadata documents of clients, by https on this machine.
type host struct {
	*httptest.Server
	answer atomic.Pointer[http.HandlerFunc]
	asked  atomic.Int64
}

func newHost(t testing.TB) *host {
	h := new(host)
	h.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		(*h.answer.Load())(w, r)
	}))
	t.Cleanup(h.Close)
	h.serve("Helper", callback)
	return h
}

// serve answers every path with the document of a client at that path.
func (h *host) serve(name string, redirects ...string) {
	h.handle(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"client_id": %q, "client_name": %q, "redirect_uris": ["%s"]}`, h.URL+r.URL.Path, name,
			strings.Join(redirects, `", "`))
	})
}

func (h *host) handle(f http.HandlerFunc) { h.answer.Store(&f) }

// documents reads from the host only.
func (h *host) documents() oauth.Documents {
	roots := x509.NewCertPool()
	roots.AddCert(h.Certificate())
	return oauth.Documents{Egress: egress.Policy{AllowLoopback: true}, RootCAs: roots}
}

// documented returns a stage with an unregistered client.
func documented(t testing.TB, s *ent.Store) (*stage, *host) {
	t.Helper()
	st, h := newStage(t, s), newHost(t)
	st.documents = h.documents()
	st.serve()
	st.app.ClientID = h.URL + "/client.json"
	return st, h
}

// asks begins an authorization request, with optional changes of the parameters.
func (st *stage) asks(ctx context.Context, more ...string) (*oauth.Request, error) {
	pairs := map[string]string{"response_type": "code", "client_id": st.app.ClientID, "redirect_uri": callback,
		"code_challenge": challenge(verifier), "code_challenge_method": "S256"}
	for i := 0; i < len(more); i += 2 {
		pairs[more[i]] = more[i+1]
	}
	var list []string
	for name, value := range pairs {
		list = append(list, name, value)
	}
	return st.Begin(ctx, form(st.t, list...))
}

func from(t testing.TB, address string) context.Context {
	return viewer.WithOrigin(t.Context(), viewer.Origin{Client: netip.MustParseAddr(address)})
}

func TestDocumentRefused(t *testing.T) {
	st, h := documented(t, storetest.Open(t))
	st.LimitFetch(300 * time.Millisecond)
	for name, answer := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/moved") {
				http.Redirect(w, r, r.URL.Path+"/moved", http.StatusFound)
				return
			}
			t.Error("a redirect was followed")
		},
		"no such document": http.NotFound,
		"no JSON": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
		},
		"too large": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"client_id": %q, "redirect_uris": [%q], "x": %q}`, h.URL+r.URL.Path, callback,
				strings.Repeat("x", 5<<10))
		},
		"another client": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"client_id": %q, "redirect_uris": [%q]}`, h.URL+"/another.json", callback)
		},
		"slow": func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("{"))
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"hung up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			h.handle(answer)
			id := h.URL + "/" + strings.ReplaceAll(name, " ", "-")
			if _, err := st.asks(t.Context(), "client_id", id); code(err) != oauth.InvalidClient {
				t.Errorf("%v", err)
			}
			h.serve("Helper", callback)
			if _, err := st.asks(t.Context(), "client_id", id); code(err) != oauth.InvalidClient {
				t.Errorf("asked again at once: %v", err)
			}
		})
	}
}

// The addresses of a host name are checked when they are dialed.
func TestDocumentAtPrivateAddress(t *testing.T) {
	st, h := documented(t, storetest.Open(t))
	st.documents.Egress = egress.Policy{}
	st.serve()
	if _, err := st.asks(t.Context()); code(err) != oauth.InvalidClient {
		t.Errorf("%v", err)
	}
	u, err := url.Parse(st.app.ClientID)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Fetch(t.Context(), u); err == nil || h.asked.Load() > 0 {
		t.Errorf("fetched: %v, asked %d times", err, h.asked.Load())
	}
}

func TestDocumentCache(t *testing.T) {
	st, h := documented(t, storetest.Open(t))
	for range 30 {
		if r, err := st.asks(t.Context()); err != nil || r.App.Name != "Helper" {
			t.Fatal(err)
		}
	}
	if n := h.asked.Load(); n != 1 {
		t.Errorf("the document was fetched %d times", n)
	}
}

// A network causes few fetches, whatever clients it names, and the total is bounded too.
func TestDocumentRate(t *testing.T) {
	st, h := documented(t, storetest.Open(t))
	try := func(address string) (n int) {
		for i := range 40 {
			_, err := st.asks(from(t, address), "client_id", fmt.Sprintf("%s/%s/%d", h.URL, address, i))
			if code(err) == oauth.TemporarilyUnavailable {
				break
			}
			n++
		}
		return n
	}
	if n := try("192.0.2.1"); n < 12 || n > 15 {
		t.Errorf("one network caused %d fetches", n)
	}
	total := int(h.asked.Load())
	for i := range 10 {
		total += try(fmt.Sprintf("192.0.2.%d", 10+i))
	}
	if total < 60 || total > 80 {
		t.Errorf("all networks caused %d fetches", total)
	}
}
