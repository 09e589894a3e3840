package ent

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"
)

// maxDelayed bounds the statements of one message: a database takes messages of some megabytes only.
const maxDelayed = 16

// MaxLater is the size in bytes of the values up to which a statement may run [Later].
const MaxLater = 64 << 10

type laterKey struct{}

// Later returns the context in which a small statement runs whose answer nobody needs, such as one
// that notes what its transaction does. On MySQL it waits for others like it, and they are sent in one
// message: before the next statement that is answered, or with the commit. Each is a round trip
// less, which costs both sides more than the row does. Its errors are those of the transaction.
func Later(ctx context.Context) context.Context { return context.WithValue(ctx, laterKey{}, true) }

// delayed are the statements of a transaction that wait to be sent, and their values.
type delayed struct {
	texts  []string
	values []any
}

// delays reports whether a statement of ctx may wait.
func (t *tx) delays(ctx context.Context) bool {
	return t.store.oneMessage() && ctx.Value(laterKey{}) != nil
}

// oneMessage reports whether one message may hold many statements. SQLite has no round trips, and
// vtgate would take the message apart again.
func (s *Store) oneMessage() bool { return s.dialect == dialect.MySQL && s.cluster == nil }

// delay keeps a statement back.
func (t *tx) delay(ctx context.Context, query string, values []any) (stdsql.Result, error) {
	t.later.texts, t.later.values = append(t.later.texts, query), append(t.later.values, values...)
	if len(t.later.texts) == maxDelayed {
		if err := t.send(ctx); err != nil {
			return nil, err
		}
	}
	return unanswered{}, nil
}

// send sends what was kept back.
func (t *tx) send(ctx context.Context) error {
	d := t.later
	if len(d.texts) == 0 {
		return nil
	}
	t.later = delayed{}
	_, err := t.sql.ExecContext(ctx, strings.Join(d.texts, "; "), d.values...)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("send %d statements: %w", len(d.texts), err)
	if classify(err) == duplicate { // whoever runs the next statement would take it for their own
		err = errors.New(err.Error())
	}
	t.dead = err
	return err
}

// unanswered is the result of a statement that was not sent yet.
type unanswered struct{}

var errUnanswered = errors.New("the statement has no answer: it runs later")

// LastInsertId implements sql.Result.
func (unanswered) LastInsertId() (int64, error) { return 0, errUnanswered }

// RowsAffected implements sql.Result.
func (unanswered) RowsAffected() (int64, error) { return 0, errUnanswered }
