package password

import (
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"
)

// Queue is a separate queue.
type Queue = queue

// NewQueue returns one.
func NewQueue() *Queue { return newQueue() }

// Enter is [queue.enter].
func (q *queue) Enter(ctx context.Context) (leave func(), err error) { return q.enter(ctx) }

// Left counts the requests in the queue and the running hashes.
func (q *queue) Left() int {
	return q.known.running + q.strange.running + len(q.known.waiting) + len(q.strange.waiting) + len(q.requests)
}

// Turn takes one of the turns; the returned function releases it.
func Turn(t *testing.T) func() {
	t.Helper()
	done, err := turns.enter(Known(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// Common returns the list of common passwords.
func Common(t *testing.T) []string {
	t.Helper()
	list, err := gzip.NewReader(strings.NewReader(common))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(list)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// MadeOf is the second half of [Weak].
func MadeOf(text string, personal ...string) bool { return isMadeOf(strings.ToLower(text), personal) }
