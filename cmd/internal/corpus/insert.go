package corpus

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

const (
	// batch is how many rows one statement inserts: SQLite takes 32,766 arguments.
	batch = 500
	// commitEvery is how many statements one transaction holds.
	commitEvery = 40
)

// bulk inserts rows of one table, many with each statement. The caller handles transactions.
type bulk struct {
	conn    *sql.Conn
	head    string
	columns int
	full    string // the statement of a whole batch
	args    []any
}

func newBulk(conn *sql.Conn, table string, columns ...string) *bulk {
	b := &bulk{conn: conn, columns: len(columns),
		head: "INSERT INTO `" + table + "` (`" + strings.Join(columns, "`, `") + "`) VALUES "}
	b.full = b.text(batch)
	return b
}

func (b *bulk) text(rows int) string {
	row := "(" + strings.Repeat("?, ", b.columns-1) + "?)"
	return b.head + strings.Repeat(row+", ", rows-1) + row
}

// add buffers a row; every batch-th call inserts.
func (b *bulk) add(ctx context.Context, values ...any) error {
	if len(values) != b.columns {
		return fmt.Errorf("%s: %d values", b.head, len(values))
	}
	b.args = append(b.args, values...)
	if len(b.args) < batch*b.columns {
		return nil
	}
	return b.flush(ctx)
}

func (b *bulk) flush(ctx context.Context) error {
	rows := len(b.args) / b.columns
	if rows == 0 {
		return nil
	}
	text := b.full
	if rows < batch {
		text = b.text(rows)
	}
	_, err := b.conn.ExecContext(ctx, text, b.args...)
	clear(b.args)
	b.args = b.args[:0]
	if err != nil {
		return fmt.Errorf("%s…: %w", b.head, err)
	}
	return nil
}

func exec(ctx context.Context, conn *sql.Conn, list ...string) error {
	for _, text := range list {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}
