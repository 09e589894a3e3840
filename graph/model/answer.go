package model

import (
	"bytes"
	"context"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/budget"
)

// Answer is the buffer for the answer of an execution. A write beyond [limit.Answer] panics with
// [budget.TooLarge], because marshaling cannot be stopped otherwise.
type Answer struct{ bytes.Buffer }

// Write implements io.Writer.
func (a *Answer) Write(p []byte) (int, error) {
	if a.Len()+len(p) > limit.Answer {
		panic(budget.TooLarge())
	}
	return a.Buffer.Write(p)
}

type answerKey struct{}

// WithAnswerBuffer returns a context with the buffer for an answer. The caller may reuse the buffer
// after sending the answer.
func WithAnswerBuffer(ctx context.Context, a *Answer) context.Context {
	return context.WithValue(ctx, answerKey{}, a)
}

// AnswerBuffer returns the buffer for the answer of ctx, emptied, or a new one.
func AnswerBuffer(ctx context.Context) *Answer {
	a, ok := ctx.Value(answerKey{}).(*Answer)
	if !ok {
		return new(Answer)
	}
	a.Reset()
	return a
}
