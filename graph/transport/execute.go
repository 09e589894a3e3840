package transport

import (
	"context"
	"errors"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/cell"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/lib/budget"
	"github.com/storefront-go/storefront/graph/model"
)

// run collects what an execution produces besides the answer.
type run struct {
	mu sync.Mutex
	// failures are internal errors, for the log.
	failures []failure
	// refused is the fault of the mutation field that became user errors.
	refused *fault.Error
	// changed means that a mutation field succeeded.
	changed bool
}

type failure struct {
	path  string
	fault *fault.Error
}

type runKey struct{}

func runOf(ctx context.Context) *run { return ctx.Value(runKey{}).(*run) }

func (r *run) note(path string, f *fault.Error) {
	if f.Kind != fault.Internal && f.Kind != fault.Unavailable {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, failure{path, f})
}

func (r *run) cause() error {
	if len(r.failures) == 0 {
		return nil
	}
	return r.failures[0].fault
}

type outcome struct {
	data   []byte
	errors gqlerror.List
}

// execute runs an operation. It may be called again with the same operation; no state remains from
// an earlier run.
func (h *handler) execute(ctx context.Context, o *operation) (done outcome, r *run) {
	r = &run{}
	middleware := resolveQuery
	if o.op.Operation == ast.Mutation {
		middleware = o.resolveMutation
	}
	ctx = context.WithValue(ctx, runKey{}, r)
	ctx = graphql.WithOperationContext(ctx, &graphql.OperationContext{
		RawQuery: o.text, Variables: o.variables, OperationName: o.op.Name, Doc: o.doc, Operation: o.op,
		DisableIntrospection: !h.Introspection, RecoverFunc: recovered,
		ResolverMiddleware: middleware, RootResolverMiddleware: resolveRoot,
	})
	ctx = graphql.WithResponseContext(ctx, present, recovered)
	defer func() {
		if p := recover(); p != nil { // outside of all fields
			done = outcome{[]byte("null"), gqlerror.List{present(ctx, recovered(ctx, p))}}
		}
	}()
	answer := h.schema.Exec(ctx)(ctx)
	return outcome{answer.Data, append(answer.Errors, graphql.GetErrors(ctx)...)}, r
}

func resolveRoot(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) }

// resolveQuery wraps every field: it marks errors, and counts long strings that a method computed.
func resolveQuery(ctx context.Context, next graphql.Resolver) (any, error) {
	v, err := next(ctx)
	if s, is := v.(string); is && len(s) >= cell.LongValue && err == nil {
		if a := budget.Of(ctx); a != nil {
			err = a.Read(len(s))
		}
	}
	if err != nil {
		return nil, resolved{err}
	}
	return v, nil
}

// resolveMutation turns the faults of a mutation into the user errors of its payload.
func (o *operation) resolveMutation(ctx context.Context, next graphql.Resolver) (any, error) {
	fc := graphql.GetFieldContext(ctx)
	o.passUpload(fc.Args)
	if fc.Object == "Mutation" {
		ctx = ent.WithMeter(ctx, nil) // a change may read more than its answer contains
	}
	v, err := next(ctx)
	if fc.Object != "Mutation" {
		if err != nil {
			return nil, resolved{err}
		}
		return v, nil
	}
	r := runOf(ctx)
	if err == nil {
		r.changed = true
		return v, nil
	}
	if _, ok := errors.AsType[graph.Refusal](err); ok {
		return nil, resolved{err}
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || !userFault(f.Kind) || v == nil {
		return nil, resolved{err}
	}
	r.refused = f
	return refusedPayload(v, userErrors(f, fc.Field)), nil
}

func (h *handler) answer(ctx context.Context, out *response, o *operation) {
	b := answers.Get().(*model.Answer)
	done, r := h.execute(model.WithAnswerBuffer(ctx, b), o)
	h.log(ctx, r)
	// The answer is copied once more with its errors and its cost. The result of a mutation is sent
	// even beyond the budget.
	if err := budget.Of(ctx).Settle(2 * len(done.data)); err != nil && o.op.Operation != ast.Mutation {
		h.refuse(ctx, out, err)
	} else {
		out.outcome(done, o)
	}
	if b.Cap() <= maxPooled {
		answers.Put(b)
	}
}

// answers are pooled, except for very large ones: they are a third of the memory of a page.
var answers = sync.Pool{New: func() any { return new(model.Answer) }}

func (h *handler) log(ctx context.Context, r *run) {
	for _, f := range r.failures {
		if ctx.Err() == nil {
			h.Logger.ErrorContext(ctx, "graphql field failed",
				"request_id", viewer.Request(ctx), "path", f.path, "error", f.fault)
		}
	}
}
