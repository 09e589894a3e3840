package ent

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"
)

// maxDelayed limits the statements of one message: databases accept only messages of some
// megabytes.
const maxDelayed = 16

// MaxLater is the maximum size in bytes of the values of a statement that runs [Later].
const MaxLater = 64 << 10

type laterKey struct{}

// Later returns the context for a small statement whose result is not needed, such as a log entry.
// On MySQL it is delayed and sent in one message with others like it: before the next statement
// with a result, or with the commit. Each saves a round trip, which costs both sides more than the
// row does. Its errors are errors of the transaction.
func Later(ctx context.Context) context.Context { return context.WithValue(ctx, laterKey{}, true) }

// delayed are the unsent statements of a transaction and their values.
type delayed struct {
	texts  []string
	values []any
}

func (t *tx) delays(ctx context.Context) bool {
	return t.store.canBatch() && ctx.Value(laterKey{}) != nil
}

// canBatch reports whether one message may contain several statements. SQLite has no round trips,
// and vtgate would split the message again.
func (s *Store) canBatch() bool { return s.dialect == dialect.MySQL && s.cluster == nil }

func (t *tx) delay(ctx context.Context, query string, values []any) (stdsql.Result, error) {
	if err := single(query); err != nil {
		return nil, err
	}
	t.later.texts, t.later.values = append(t.later.texts, query), append(t.later.values, values...)
	if len(t.later.texts) == maxDelayed {
		if err := t.send(ctx, joinsLater); err != nil {
			return nil, err
		}
	}
	return unanswered{}, nil
}

// send sends the delayed statements, with COMMIT if how is joinsCommit.
func (t *tx) send(ctx context.Context, how joins) error {
	d := t.later
	if len(d.texts) == 0 {
		return nil
	}
	t.later = delayed{}
	_, err := t.sql.ExecContext(how.with(ctx), strings.Join(d.texts, "; "), d.values...)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("send %d statements: %w", len(d.texts), err)
	if classify(err) == duplicate { // the caller of the next statement would take it for its own
		err = errors.New(err.Error())
	}
	t.dead = err
	return err
}

// unanswered is the result of a statement that was not sent yet.
type unanswered struct{}

var errUnanswered = errors.New("the statement has no answer: it runs later")

func (unanswered) LastInsertId() (int64, error) { return 0, errUnanswered }

func (unanswered) RowsAffected() (int64, error) { return 0, errUnanswered }
