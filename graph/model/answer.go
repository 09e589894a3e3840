package model

import (
	"bytes"
	"context"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/budget"
)

// Answer is the buffer that an execution writes its answer into. A write beyond [limit.Answer]
// panics with [budget.TooLarge]: nothing else ends what is marshaled.
type Answer struct{ bytes.Buffer }

// Write implements io.Writer.
func (a *Answer) Write(p []byte) (int, error) {
	if a.Len()+len(p) > limit.Answer {
		panic(budget.TooLarge())
	}
	return a.Buffer.Write(p)
}

type answerKey struct{}

// WithAnswerBuffer gives an execution the buffer for its answer. The caller may use it again
// once the answer was sent.
func WithAnswerBuffer(ctx context.Context, a *Answer) context.Context {
	return context.WithValue(ctx, answerKey{}, a)
}

// AnswerBuffer returns the buffer of an execution's answer, empty.
func AnswerBuffer(ctx context.Context) *Answer {
	a, ok := ctx.Value(answerKey{}).(*Answer)
	if !ok {
		return new(Answer)
	}
	a.Reset()
	return a
}
