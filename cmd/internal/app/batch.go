package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Lines are buffered for this long, or until there are this many bytes.
const (
	batchTime = 10 * time.Millisecond
	batchSize = 32 << 10
)

// batch writes lines together: a busy server logs thousands a second, and each write would be a
// system call. A process that is killed loses the buffered lines.
type batch struct {
	to io.Writer

	mu    sync.Mutex
	lines []byte
	timer *time.Timer // runs while lines are buffered
}

func newBatch(to io.Writer) *batch {
	b := &batch{to: to}
	b.mu.Lock() // for the timer that runs now
	defer b.mu.Unlock()
	b.timer = time.AfterFunc(batchTime, func() { _ = b.Flush() }) // the next line reports an error
	return b
}

func (b *batch) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines) == 0 {
		b.timer.Reset(batchTime)
	}
	b.lines = append(b.lines, line...)
	if len(b.lines) < batchSize {
		return len(line), nil
	}
	return len(line), b.write()
}

func (b *batch) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.write()
}

func (b *batch) write() error {
	b.timer.Stop()
	if len(b.lines) == 0 {
		return nil
	}
	_, err := b.to.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}

// prompt is a handler over a batch that flushes warnings and errors at once.
type prompt struct {
	slog.Handler
	lines *batch
}

func (p prompt) Handle(ctx context.Context, r slog.Record) error {
	err := p.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		err = errors.Join(err, p.lines.Flush())
	}
	return err
}

func (p prompt) WithAttrs(attrs []slog.Attr) slog.Handler {
	return prompt{p.Handler.WithAttrs(attrs), p.lines}
}

func (p prompt) WithGroup(name string) slog.Handler {
	return prompt{p.Handler.WithGroup(name), p.lines}
}
