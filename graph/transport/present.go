package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Codes of errors that only GraphQL has; the others come from [fault.Kind].
const (
	codeSyntax     = "graphql_syntax"
	codeInvalid    = "graphql_invalid"
	codeTooLarge   = "query_too_large"
	codeTooDeep    = "query_too_deep"
	codeTooCostly  = "query_too_complex"
	codeOperation  = "operation_not_found"
	codeVariables  = "invalid_variables"
	codeArgument   = "invalid_argument"
	internalDetail = "Internal error. We have logged it under the request id."
)

// explained returns the fault in an error of a method. Any other error becomes an Internal fault
// with a fixed text that wraps the cause.
func explained(err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f != nil && f.Kind != fault.Internal {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &fault.Error{Kind: fault.Unavailable, Detail: "The request timed out.",
			RetryAfter: time.Second, Err: err}
	}
	if f, ok := errors.AsType[*fault.Error](core.Explain("request", err)); ok && f.Kind == fault.Unavailable {
		return f
	}
	return &fault.Error{Kind: fault.Internal, Detail: internalDetail, Err: err}
}

// resolved marks an error that a method or a directive returned, as opposed to an error of the
// executor about arguments.
type resolved struct{ error }

// Unwrap returns the wrapped error.
func (r resolved) Unwrap() error { return r.error }

// present turns an error of the execution into the error of the answer, and records internal ones
// for the log.
func present(ctx context.Context, err error) *gqlerror.Error {
	if err == nil {
		return nil
	}
	path := graphql.GetPath(ctx)
	g, isGraphQL := errors.AsType[*gqlerror.Error](err)
	if isGraphQL && g.Path != nil {
		path = g.Path
	}
	var f *fault.Error
	switch r, ok := errors.AsType[resolved](err); {
	case ok:
		f = explained(r.error)
	case isGraphQL && argumentError(ctx):
		f = &fault.Error{Kind: fault.InvalidParameter, Code: codeArgument, Detail: shorten(g.Message)}
	default: // a result that violates the schema, or a panic
		f = explained(err)
	}
	runOf(ctx).note(path.String(), f)
	shown := presentFault(viewer.Request(ctx), f)
	shown.Path = path
	return shown
}

// argumentError reports whether the executor refused the arguments of a field: then they were never
// set.
func argumentError(ctx context.Context) bool {
	fc := graphql.GetFieldContext(ctx)
	return fc != nil && fc.Args == nil && fc.Field.Field != nil && len(fc.Field.Definition.Arguments) > 0
}

func presentFault(request string, f *fault.Error) *gqlerror.Error {
	x := map[string]any{"code": f.Name()}
	if request != "" {
		x["request_id"] = request
	}
	switch f.Kind {
	case fault.InsufficientScope:
		x["scope"] = f.Scope
	case fault.RateLimited, fault.Unavailable, fault.IdempotencyInProgress:
		x["retry_after"] = wire.RetrySeconds(f.RetryAfter)
	}
	if f.Limit != "" {
		x["limit"] = f.Limit
	}
	if len(f.Fields) > 0 {
		x["errors"] = presentFields(f.Fields)
	}
	return &gqlerror.Error{Message: cmp.Or(f.Detail, string(f.Kind)), Extensions: x}
}

func presentFields(fields []fault.Field) []map[string]string {
	shown := make([]map[string]string, len(fields))
	for i, f := range fields {
		shown[i] = map[string]string{"code": f.Code, "detail": f.Detail}
		switch {
		case f.Header != "":
			shown[i]["header"] = f.Header
		case f.Parameter != "":
			shown[i]["argument"] = f.Parameter
		default:
			shown[i]["pointer"] = f.Pointer
		}
	}
	return shown
}

func requestError(code, message string) *gqlerror.Error {
	return &gqlerror.Error{Message: message, Extensions: map[string]any{"code": code}}
}

// shorten truncates a message that quotes the caller's input.
func shorten(message string) string {
	const limit = 300
	if len(message) <= limit {
		return message
	}
	return strings.ToValidUTF8(message[:limit], "") + "…"
}

// recovered turns a panic into an internal error with its stack for the log.
func recovered(_ context.Context, v any) error {
	if f, is := v.(error); is {
		if f, is := errors.AsType[*fault.Error](f); is { // for example, an answer that is too large
			return resolved{f}
		}
	}
	return resolved{fmt.Errorf("panic: %v\n%s", v, debug.Stack())}
}
