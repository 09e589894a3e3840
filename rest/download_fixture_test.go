package rest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/rest/account"
)

const fileName = "orders-2026-03-01.csv.gz"

// memory is an export's file as the engine would return it. The test fails if two goroutines use it
// at once, or one uses it after Close.
type memory struct {
	t   testing.TB
	ctx context.Context // ends reads, like the engine's
	*bytes.Reader
	failAt int64 // reads from this offset fail
	err    error
	hang   bool // reads block until ctx ends instead
	busy   sync.Mutex
	closed bool
}

func (m *memory) use() func() {
	if !m.busy.TryLock() {
		m.t.Error("the file is used by two at once")
	}
	if m.closed {
		m.t.Error("the file is used after it was closed")
	}
	return m.busy.Unlock
}

// Read implements io.Reader.
func (m *memory) Read(b []byte) (int, error) {
	defer m.use()()
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	at := m.Size() - int64(m.Len())
	if at >= m.failAt && m.hang {
		<-m.ctx.Done()
		return 0, m.ctx.Err()
	}
	if at >= m.failAt {
		return 0, m.err
	}
	b = b[:min(int64(len(b)), m.failAt-at)]
	return m.Reader.Read(b)
}

// Seek implements io.Seeker.
func (m *memory) Seek(offset int64, whence int) (int64, error) {
	defer m.use()()
	return m.Reader.Seek(offset, whence)
}

// Close implements io.Closer.
func (m *memory) Close() error {
	defer m.use()()
	m.closed = true
	return nil
}

// counter serves downloads of one file.
type counter struct {
	t        testing.TB
	links    *link.Signer
	handler  http.Handler
	registry *prometheus.Registry
	log      *bytes.Buffer
	logMu    sync.Mutex

	store, id xid.ID
	body      []byte
	edit      func(*memory)
	openErr   error
	opened    int
	last      *memory
}

// Write implements io.Writer for the log.
func (c *counter) Write(b []byte) (int, error) {
	c.logMu.Lock()
	defer c.logMu.Unlock()
	return c.log.Write(b)
}

func (c *counter) logged() string {
	c.logMu.Lock()
	defer c.logMu.Unlock()
	return c.log.String()
}

func newCounter(t testing.TB, size int) *counter {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("download ", 5))
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{t: t, links: link.New(ring), registry: prometheus.NewRegistry(), log: new(bytes.Buffer),
		store: xid.New(), id: xid.New(), body: make([]byte, size)}
	for i := range c.body {
		c.body[i] = byte(i ^ i>>8 ^ i>>16)
	}
	a := &API{Config: Config{
		APIHost: "https://api.test", Links: c.links, Logger: slog.New(slog.NewJSONHandler(c, nil)),
		Account: new(account.Account),
	},
		metrics: newMetrics(c.registry, new(idem.Keeper))}
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	router.PathPrefix(downloadRoot).Handler(a.downloads(c.open))
	router.NotFoundHandler = a.handler(nil, a.notFound)
	c.handler = router
	return c
}

func (c *counter) open(ctx context.Context, store, id xid.ID) (*file, error) {
	c.opened++
	if c.openErr != nil {
		return nil, c.openErr
	}
	if store != c.store || id != c.id {
		c.t.Errorf("opened %s of %s", id, store)
	}
	sum := sha256.Sum256(c.body)
	c.last = &memory{t: c.t, ctx: ctx, Reader: bytes.NewReader(c.body), failAt: math.MaxInt64}
	if c.edit != nil {
		c.edit(c.last)
	}
	return &file{name: fileName, contentType: "application/gzip",
		sha256: hex.EncodeToString(sum[:]), content: c.last}, nil
}

func (c *counter) tag() string { return fmt.Sprintf(`"sha256-%x"`, sha256.Sum256(c.body)) }

// address returns the link of the file.
func (c *counter) address(expires time.Duration) string {
	return c.links.Sign(downloadRoot+xid.Export.Format(c.id)+"/"+fileName,
		micros.Now().Add(expires), "store", xid.Store.Format(c.store))
}

// serve answers one request without a network.
func (c *counter) serve(method, target string, headers ...string) *http.Response {
	c.t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " " + target +
		" HTTP/1.1\r\nHost: api.test\r\n\r\n")))
	if err != nil {
		c.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	r.RemoteAddr = "192.0.2.1:1234"
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w.Result()
}

func text(t testing.TB, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// refused checks the status and code of a problem, and that no header describes the file.
func refused(t testing.TB, what string, res *http.Response, status int, code string) {
	t.Helper()
	var p struct{ Code, Type, Detail string }
	body := text(t, res)
	_ = json.Unmarshal([]byte(body), &p)
	if res.StatusCode != status || p.Code != code || res.Header.Get("Content-Type") != "application/problem+json" ||
		!strings.HasSuffix(p.Type, "#"+strings.ReplaceAll(code, "_", "-")) || p.Detail == "" {
		t.Errorf("%s: %d %s, want %d %s", what, res.StatusCode, body, status, code)
	}
	if got := res.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("%s: Cache-Control %q", what, got)
	}
	for _, name := range []string{"Content-Disposition", "Etag", "Accept-Ranges", "Last-Modified"} {
		if got := res.Header.Get(name); got != "" {
			t.Errorf("%s: %s: %s", what, name, got)
		}
	}
}
