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

// run is one execution of an operation: what came of it beside the answer.
type run struct {
	mu sync.Mutex
	// failures are the errors of our own, for the log.
	failures []failure
	// refused is the fault that became user errors, of the mutation field.
	refused *fault.Error
	// changed reports whether a mutation field ran to its end.
	changed bool
}

type failure struct {
	path  string
	fault *fault.Error
}

type runKey struct{}

func runOf(ctx context.Context) *run { return ctx.Value(runKey{}).(*run) }

// note keeps an error of our own for the log.
func (r *run) note(path string, f *fault.Error) {
	if f.Kind != fault.Internal && f.Kind != fault.Unavailable {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, failure{path, f})
}

// cause is the first error of our own, nil when there was none.
func (r *run) cause() error {
	if len(r.failures) == 0 {
		return nil
	}
	return r.failures[0].fault
}

// outcome is what an execution answers.
type outcome struct {
	data   []byte
	errors gqlerror.List
}

// execute runs an operation. It may be called again with the same operation:
// nothing of an earlier run is kept.
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
		if p := recover(); p != nil { // outside of every field
			done = outcome{[]byte("null"), gqlerror.List{present(ctx, recovered(ctx, p))}}
		}
	}()
	answer := h.schema.Exec(ctx)(ctx)
	return outcome{answer.Data, append(answer.Errors, graphql.GetErrors(ctx)...)}, r
}

func resolveRoot(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) }

// resolveQuery runs around every field: it marks errors, and counts long texts that a method
// made.
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

// resolveMutation turns what a mutation refuses into the user errors of its
// payload.
func (o *operation) resolveMutation(ctx context.Context, next graphql.Resolver) (any, error) {
	fc := graphql.GetFieldContext(ctx)
	o.giveJudged(fc.Args)
	if fc.Object == "Mutation" {
		ctx = ent.WithMeter(ctx, nil) // a change may read more than its answer shows
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
	payload := payloads[fc.Field.Definition.Type.Name()]
	if !ok || !userFault(f.Kind) || payload == nil {
		return nil, resolved{err}
	}
	r.refused = f
	return payload(userErrors(f, fc.Field)), nil
}

// answer runs an operation and sends what comes of it.
func (h *handler) answer(ctx context.Context, out *response, o *operation) {
	b := answers.Get().(*model.Answer)
	done, r := h.execute(model.WithAnswerBuffer(ctx, b), o)
	h.log(ctx, r)
	// The answer is copied once more with its errors and its cost. What a mutation did is
	// answered however much is being sent.
	if err := budget.Of(ctx).Settle(2 * len(done.data)); err != nil && o.op.Operation != ast.Mutation {
		h.refuse(ctx, out, err)
	} else {
		out.outcome(done, o)
	}
	if b.Cap() <= maxPooled {
		answers.Put(b)
	}
}

// answers are used again from query to query, unless one grew very large: they are a third
// of what a page costs in memory.
var answers = sync.Pool{New: func() any { return new(model.Answer) }}

// log writes the errors of our own, each once and with its place.
func (h *handler) log(ctx context.Context, r *run) {
	for _, f := range r.failures {
		if ctx.Err() == nil {
			h.Logger.ErrorContext(ctx, "graphql field failed",
				"request_id", viewer.Request(ctx), "path", f.path, "error", f.fault)
		}
	}
}
