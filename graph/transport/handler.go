// Package transport serves the core over HTTP as GraphQL: it reads requests, bounds
// what they may cost, runs them and writes their answers.
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

// Idempotency answers a request once; see [idem.Keeper.Run].
type Idempotency interface {
	Run(ctx context.Context, c idem.Claim, f func(context.Context) (idem.Answer, error)) (idem.Answer, bool, error)
}

// Config is what the handler needs.
type Config struct {
	Core *graph.Resolver
	Idem Idempotency
	// Introspection lets callers read the schema.
	Introspection bool
	// MaxDepth, MaxComplexity and MaxBody bound a request; zero means
	// [DefaultDepth], [DefaultComplexity] and [DefaultBody].
	MaxDepth      int
	MaxComplexity int
	MaxBody       int64
	// ResourceMetadata is the address that a challenge names (RFC 9728); empty
	// for none.
	ResourceMetadata string
	// Session returns who a cookie stands for, or nil. It is asked only about
	// POSTs without another credential that Origins lets pass. Nil: no cookies.
	Session func(*http.Request) (*viewer.Viewer, error)
	// Client is who sends a request, behind the trusted proxies; nil knows of none.
	Client func(*http.Request) netip.Addr
	// Origins keeps other sites from using cookies; nil trusts none.
	Origins *http.CrossOriginProtection
	Logger  *slog.Logger
}

// handler serves /graphql.
type handler struct {
	Config
	schema    graphql.ExecutableSchema
	documents *documents
	uploads   *slots
}

// New makes the handler of the core's GraphQL: POST with JSON, and GET for
// queries alone, as the GraphQL-over-HTTP specification has them.
func New(c Config) (http.Handler, error) {
	if c.Core == nil || c.Idem == nil {
		return nil, errors.New("transport: Core and Idem are needed")
	}
	c.MaxDepth = cmp.Or(c.MaxDepth, DefaultDepth)
	c.MaxComplexity = cmp.Or(c.MaxComplexity, DefaultComplexity)
	c.MaxBody = cmp.Or(c.MaxBody, DefaultBody)
	c.Origins = cmp.Or(c.Origins, http.NewCrossOriginProtection())
	c.Logger = cmp.Or(c.Logger, c.Core.Logger)
	if c.Client == nil {
		c.Client = peer
	}
	return &handler{
		Config:    c,
		schema:    c.Core.Executable(),
		documents: newDocuments(graph.Schema(), c.MaxDepth, c.Introspection),
		uploads:   newSlots(),
	}, nil
}

// peer is the address at the other end of a connection.
func peer(r *http.Request) netip.Addr {
	at, _ := netip.ParseAddrPort(r.RemoteAddr) // else the zero address, which no key allows
	return at.Addr()
}

// ServeHTTP checks in the order of contract section 2, then runs the operation.
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
			"Only a themeImport or a productImageAdd by itself may have a body of more than %d bytes.", h.MaxBody))
	case op.op.Operation != ast.Mutation:
		h.answer(ctx, out, op)
	case r.Method == http.MethodGet:
		out.wrongMethod("POST", "A mutation is a POST.")
	case crowded(op) != nil:
		h.refuse(ctx, out, crowded(op))
	default:
		h.change(ctx, out, op, key, keyed)
	}
}

// change runs a mutation, with its idempotency key where it has one.
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

// refuse answers a request that did not get as far as its operation.
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
