package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/graph/lib/cache"
)

// MaxAnswer is the largest API answer that a tool returns, in bytes.
const MaxAnswer = 1 << 20

// ErrTooLarge is returned for an answer of more than [MaxAnswer] bytes.
var ErrTooLarge = errors.New("the answer is too large: ask for fewer rows with limit")

// A server with all tools takes about serverBytes of memory; keptServers of them are cached at
// most.
const (
	serverBytes = 16 << 10
	keptServers = 128
)

// Handler answers agents over streamable HTTP without sessions: messages are independent, so any
// process may get the next one.
type Handler struct {
	tools   []*Tool
	version string
	servers *cache.Cache[scope.Set, *sdk.Server]
	open    func(*http.Request) (scope.Set, API)
	next    http.Handler
}

// NewHandler returns a handler. The sender of each message has been authenticated before; open
// returns the sender's scopes and the API as it answers that sender.
func NewHandler(
	tools []*Tool, version string, log *slog.Logger, open func(*http.Request) (scope.Set, API),
) *Handler {
	h := &Handler{tools: tools, version: version, open: open,
		servers: cache.NewCache[scope.Set, *sdk.Server](keptServers * serverBytes)}
	h.next = sdk.NewStreamableHTTPHandler(h.server, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: log, MaxRequestBodyBytes: limit.Body,
		// The protection is for servers without authentication. Here a credential authenticates the
		// sender, which no web page has by itself, and a proxy on this machine passes the public
		// host on.
		DisableLocalhostProtection: true,
	})
	return h
}

type sender struct {
	scopes scope.Set
	api    API
}

type senderKey struct{}

func senderOf(ctx context.Context) sender { return ctx.Value(senderKey{}).(sender) }

// bySender is the API as it answers the sender of the message in the context.
type bySender struct{}

// Do implements [API].
func (bySender) Do(ctx context.Context, r *Request) (status int, answer []byte, err error) {
	return senderOf(ctx).api.Do(ctx, r)
}

// server returns the server with the tools of the sender of a message.
func (h *Handler) server(r *http.Request) *sdk.Server {
	scopes := senderOf(r.Context()).scopes
	s, ok := h.servers.Get(scopes)
	if !ok {
		s = NewServer(Within(h.tools, scopes), bySender{}, h.version)
		h.servers.Put(scopes, s, serverBytes)
	}
	return s
}

// batchRefused answers a JSON-RPC batch. The SDK would answer batches of clients that name no
// protocol version, and one of thousands of messages would count as a single request.
const batchRefused = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,` +
	`"message":"Batches are not supported: send each message in a request of its own."}}`

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := bufio.NewReader(http.MaxBytesReader(w, r.Body, limit.Body))
	if first(body) == '[' {
		w.Header()["Content-Type"] = []string{"application/json"}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, batchRefused)
		return
	}
	scopes, api := h.open(r)
	r = r.WithContext(context.WithValue(r.Context(), senderKey{}, sender{scopes, api}))
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	h.next.ServeHTTP(w, r)
}

// first skips white space and returns the first byte of a JSON value without consuming it, or 0 if
// there is none. The next read returns the error again.
func first(r *bufio.Reader) byte {
	for {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return 0
		case bytes.IndexByte([]byte(" \t\r\n"), b) < 0:
			_ = r.UnreadByte()
			return b
		}
	}
}
