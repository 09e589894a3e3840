package baseline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/baseline"
	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// benchSecret signs cursors on both sides.
var benchSecret = strings.Repeat("s", keyring.MinSecret)

// benchSide is one contestant of a benchmark: where it listens.
type benchSide struct {
	name, url string
	app       *corpus.App // to be let in to the corpus's last store
}

// sides runs f for the baseline without layers and for the whole server, on both
// engines with the same few rows. Figures come from cmd/loadgen; these
// benchmarks keep both sides working and are for profiles.
func sides(b *testing.B, f func(b *testing.B, s benchSide, c *corpus.Corpus)) {
	addresses := map[string]func(testing.TB) string{"sqlite": storetest.SQLite}
	if storetest.HaveMySQL(b) {
		addresses["mysql"] = storetest.MySQL
	}
	type engine struct {
		name   string
		url    map[string]string
		corpus *corpus.Corpus
		app    *corpus.App
	}
	var engines []engine
	for _, name := range []string{"sqlite", "mysql"} {
		if address, ok := addresses[name]; ok {
			e := engine{name: name, url: map[string]string{}}
			database := address(b)
			e.url["raw"], e.corpus, e.app = raw(b, database)
			e.url["server"] = whole(b, database)
			engines = append(engines, e)
		}
	}
	for _, side := range []string{"raw", "server"} {
		b.Run(side, func(b *testing.B) {
			for _, e := range engines {
				b.Run(e.name, func(b *testing.B) { f(b, benchSide{side, e.url[side], e.app}, e.corpus) })
			}
		})
	}
}

// raw fills a database and serves the baseline on it.
func raw(b *testing.B, database string) (string, *corpus.Corpus, *corpus.App) {
	b.Helper()
	s, err := ent.Open(b.Context(), ent.Config{Database: database, FullSync: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	c, err := corpus.Fill(b.Context(), s, corpus.Size{Orders: 1500, Stores: 3, Share: 60, Ties: 200, Products: 200},
		nil)
	if err != nil {
		b.Fatal(err)
	}
	app, err := corpus.Register(b.Context(), s, c)
	if err != nil {
		b.Fatal(err)
	}
	ring, err := keyring.Parse(benchSecret)
	if err != nil {
		b.Fatal(err)
	}
	h, err := baseline.New(baseline.Config{Store: s, Keys: apikey.NewKeeper(s), Pages: page.New(ring)})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	return server.URL, c, app
}

// whole starts the server as the program does, but for its rate limits and log.
func whole(b *testing.B, database string) string {
	b.Helper()
	s, err := app.Start(b.Context(), app.Config{
		Storage: app.Storage{Data: b.TempDir(), Database: database, SecretKey: benchSecret},
		Listen:  app.Listen{Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0"},
	}, app.Runtime{Logger: slog.New(slog.DiscardHandler), Getenv: func(string) string { return "" }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Shutdown(context.WithoutCancel(b.Context())); err != nil {
			b.Error(err)
		}
	})
	return s.API
}

// benchGet asks for one address again and again over one connection.
func benchGet(b *testing.B, url, key string) {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	b.ReportAllocs()
	for b.Loop() {
		benchDo(b, r, http.StatusOK)
	}
}

// plainClient does not ask for gzip, which the baseline does not have.
var plainClient = &http.Client{Transport: &http.Transport{DisableCompression: true}}

func benchDo(b *testing.B, r *http.Request, want int) []byte {
	w, err := plainClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	body, err := io.ReadAll(w.Body)
	w.Body.Close()
	if err != nil || w.StatusCode != want {
		b.Fatalf("%s %s: %d %.300s, %v", r.Method, r.URL, w.StatusCode, body, err)
	}
	return body
}

func BenchmarkOrdersList(b *testing.B) {
	sides(b, func(b *testing.B, s benchSide, c *corpus.Corpus) {
		for _, limit := range []int{20, 100} {
			b.Run(strconv.Itoa(limit), func(b *testing.B) {
				benchGet(b, s.url+baseline.Root+"/orders?limit="+strconv.Itoa(limit), c.Shops[0].Key)
			})
		}
	})
}

func BenchmarkOrder(b *testing.B) {
	sides(b, func(b *testing.B, s benchSide, c *corpus.Corpus) {
		benchGet(b, s.url+baseline.Root+"/orders/"+c.Shops[0].Tied, c.Shops[0].Key)
	})
}

func BenchmarkProductsList(b *testing.B) {
	sides(b, func(b *testing.B, s benchSide, c *corpus.Corpus) {
		benchGet(b, s.url+baseline.Root+"/products?limit=100", c.Shops[0].Key)
	})
}

// BenchmarkOrdersGraphQL has no raw side: it is held to the list's.
func BenchmarkOrdersGraphQL(b *testing.B) {
	const query = `{"query":"{orders(first:20){nodes{id number status totalMinor createdAt lineItems{title quantity ` +
		`totalMinor}}}}"}`
	sides(b, func(b *testing.B, s benchSide, c *corpus.Corpus) {
		if s.name == "raw" {
			benchGet(b, s.url+baseline.Root+"/orders?limit=20", c.Shops[0].Key)
			return
		}
		b.ReportAllocs()
		for b.Loop() {
			r, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
				s.url+"/graphql", strings.NewReader(query))
			if err != nil {
				b.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+c.Shops[0].Key)
			r.Header.Set("Content-Type", "application/json")
			if body := benchDo(b, r, http.StatusOK); bytes.Contains(body, []byte(`"errors"`)) {
				b.Fatalf("%.300s", body)
			}
		}
	})
}

func BenchmarkProductCreate(b *testing.B) {
	n := 0
	sides(b, func(b *testing.B, s benchSide, c *corpus.Corpus) {
		b.ReportAllocs()
		for b.Loop() {
			n++
			id := s.name + strconv.Itoa(n)
			body := `{"title":"Bench ` + id + `","price_minor":1250,"currency":"EUR","sku":"` + id + `"}`
			r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.url+baseline.Root+
				"/products", strings.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+c.Shops[1].Key)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", id)
			benchDo(b, r, http.StatusCreated)
		}
	})
}

func BenchmarkCodeExchange(b *testing.B) {
	sides(b, func(b *testing.B, s benchSide, _ *corpus.Corpus) {
		var codes []apikey.Secret
		b.ReportAllocs()
		for b.Loop() {
			if len(codes) == 0 {
				b.StopTimer()
				var err error
				if codes, err = s.app.Codes(b.Context(), 500); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			benchToken(b, s, url.Values{"grant_type": {"authorization_code"}, "code": {codes[0].Reveal()},
				"redirect_uri": {corpus.Callback}, "code_verifier": {corpus.Verifier}})
			codes = codes[1:]
		}
	})
}

func BenchmarkRefresh(b *testing.B) {
	sides(b, func(b *testing.B, s benchSide, _ *corpus.Corpus) {
		list, err := s.app.Tokens(b.Context(), 1)
		if err != nil {
			b.Fatal(err)
		}
		token := list[0].Reveal()
		b.ReportAllocs()
		for b.Loop() {
			token = benchToken(b, s, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}})
		}
	})
}

// benchToken asks the token endpoint as the app and returns the next refresh
// token.
func benchToken(b *testing.B, s benchSide, form url.Values) string {
	form.Set("client_id", s.app.ClientID)
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
		s.url+baseline.Exchange, strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var answer granted
	if err := json.Unmarshal(benchDo(b, r, http.StatusOK), &answer); err != nil || answer.Refresh == "" {
		b.Fatalf("no refresh token: %v", err)
	}
	return answer.Refresh
}
