// Package transport serves GraphQL over HTTP: it reads requests, bounds their cost, runs them and
// writes the answers.
package transport

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/idem"
)

// Config holds the dependencies of the handler.
type Config struct {
	Core *graph.Resolver
	Idem *idem.Keeper
	// Introspection allows callers to read the schema.
	Introspection bool
	// ResourceMetadata is the URL in challenges (RFC 9728); empty for none.
	ResourceMetadata string
	// Session returns the viewer of a session cookie, or nil. It is only called for POST requests
	// without another credential that pass Origins. Nil disables cookies.
	Session func(*http.Request) (*viewer.Viewer, error)
	// Client returns the client's address as the trusted proxies report it; nil uses the peer.
	Client func(*http.Request) netip.Addr
	// Origins keeps other sites from using cookies; nil trusts none.
	Origins *http.CrossOriginProtection
	Logger  *slog.Logger
}

type handler struct {
	Config
	schema    graphql.ExecutableSchema
	documents *documents
	uploads   *slots
}

// New returns the GraphQL handler: POST with JSON, and GET for queries only, as in the
// GraphQL-over-HTTP specification. It fails if Core or Idem is missing.
func New(c Config) (http.Handler, error) {
	if c.Core == nil || c.Idem == nil {
		return nil, errors.New("transport: Core and Idem are needed")
	}
	c.Origins = cmp.Or(c.Origins, http.NewCrossOriginProtection())
	c.Logger = cmp.Or(c.Logger, c.Core.Logger)
	if c.Client == nil {
		c.Client = peer
	}
	return &handler{
		Config:    c,
		schema:    c.Core.Executable(),
		documents: newDocuments(graph.Schema(), c.Introspection),
		uploads:   newSlots(),
	}, nil
}

func peer(r *http.Request) netip.Addr {
	at, _ := netip.ParseAddrPort(r.RemoteAddr) // on an error the zero address, which no key allows
	return at.Addr()
}

// ServeHTTP checks the request in the order of contract section 2 and runs the operation.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := newResponse(w, r)
	if r.Method != http.MethodPost && r.Method != http.MethodGet {
		out.wrongMethod("GET, POST", "Send a POST.")
		return
	}
	v, err := h.authenticate(r)
	if err != nil {
		h.refuse(r.Context(), out, err)
		return
	}
	answer := h.Core.Answers.Open(v.Store)
	defer answer.Close()
	ctx := answer.With(viewer.With(r.Context(), v))
	key, keyed, err := idempotencyKey(r)
	if err != nil {
		h.refuse(ctx, out, err)
		return
	}
	params, err := h.read(w, r.WithContext(ctx))
	defer params.upload.leave()
	if err != nil {
		h.refuse(ctx, out, err)
		return
	}
	op, errs := h.prepare(params)
	if len(errs) > 0 {
		out.invalid(errs, op)
		return
	}
	switch {
	case params.upload != nil && uploadsAlone(op) == "":
		out.fault(fault.Newf(fault.PayloadTooLarge,
			"Only a themeImport or a productImageAdd by itself may have a body of more than %d bytes.", maxBody))
	case op.op.Operation != ast.Mutation:
		h.answer(ctx, out, op)
	case r.Method == http.MethodGet:
		out.wrongMethod("POST", "A mutation must be sent with POST.")
	case checkBatch(op) != nil:
		h.refuse(ctx, out, checkBatch(op))
	default:
		h.change(ctx, out, op, key, keyed)
	}
}

// change runs a mutation, with its idempotency key if it has one.
func (h *handler) change(ctx context.Context, out *response, op *operation, key string, keyed bool) {
	if err := h.Core.BodyLeft(ctx, int64(op.body.Len())); err != nil {
		h.refuse(ctx, out, err)
		return
	}
	if keyed {
		h.once(ctx, out, op, key)
		return
	}
	h.answer(ctx, out, op)
}

// refuse answers a request whose operation did not run.
func (h *handler) refuse(ctx context.Context, out *response, err error) {
	f := explained(err)
	if f.Kind == fault.Internal {
		h.Logger.ErrorContext(ctx, "graphql request failed", "request_id", viewer.Request(ctx), "error", err)
	}
	if f.Kind == fault.AuthenticationRequired || f.Kind == fault.InvalidToken {
		out.w.Header().Set("WWW-Authenticate", h.challenge(f.Kind))
	}
	out.fault(f)
}
