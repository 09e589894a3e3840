package model

import (
	"bytes"
	"context"
)

type answerKey struct{}

// WithAnswerBuffer gives an execution the buffer in which it leaves its answer: whoever has
// written that out may use it again.
func WithAnswerBuffer(ctx context.Context, b *bytes.Buffer) context.Context {
	return context.WithValue(ctx, answerKey{}, b)
}

// AnswerBuffer returns the buffer of an execution's answer, empty.
func AnswerBuffer(ctx context.Context) *bytes.Buffer {
	b, ok := ctx.Value(answerKey{}).(*bytes.Buffer)
	if !ok {
		return new(bytes.Buffer)
	}
	b.Reset()
	return b
}
