package migrate

import (
	"context"
	"crypto/md5" //nolint:gosec // where rows lie is no secret
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
)

// Lookup is a table in which Vitess looks up the shard of a row when its store or person is
// unknown.
type Lookup struct {
	// Name is the name of the table, and Owner that of the table with the rows.
	Name, Owner string
	// Find is the column by which a row of the owner is found, and By the column whose hash
	// determines its shard.
	Find, By string
}

// VSchema returns the VSchema of the tables for Vitess, as JSON.
func VSchema() ([]byte, error) { return embedded.ReadFile("vitess/vschema.json") }

// Lookups returns the lookup tables of Vitess, sorted by name.
func Lookups() ([]Lookup, error) {
	text, err := VSchema()
	if err != nil {
		return nil, err
	}
	var k struct {
		Vindexes map[string]struct {
			Owner  string
			Params struct{ From string }
		}
		Tables map[string]struct {
			Columns []struct{ Column string } `json:"column_vindexes"`
		}
	}
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("read the vschema: %w", err)
	}
	var list []Lookup
	for _, name := range slices.Sorted(maps.Keys(k.Vindexes)) {
		if v := k.Vindexes[name]; v.Owner != "" {
			list = append(list, Lookup{name, v.Owner, v.Params.From, k.Tables[v.Owner].Columns[0].Column})
		}
	}
	return list, nil
}

// ErrNotBelowVitess is returned for a database that is not MySQL, or that is Vitess itself, which
// maintains its lookup tables on its own.
var ErrNotBelowVitess = errors.New("the database is not a MySQL below Vitess")

// MakeLookups creates the tables of [Lookups] that are missing.
func MakeLookups(ctx context.Context, s *ent.Store) error {
	if s.Dialect() != dialect.MySQL || s.Sharded() {
		return ErrNotBelowVitess
	}
	text, err := embedded.ReadFile("vitess/lookup.sql")
	if err != nil {
		return err
	}
	return s.Admin(ctx, func(conn *sql.Conn) error {
		for statement := range strings.Lines(string(text)) {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("create the lookup tables: %w", err)
			}
		}
		return nil
	})
}

// FillLookups calls [MakeLookups] and fills the tables from rows that were not written through
// Vitess. A wrong entry is corrected. It returns the number of changed rows as counted by MySQL,
// where a correction counts twice. The result is 0 if Vitess has always maintained the tables, or
// if nothing bypassed it since they were filled.
func FillLookups(ctx context.Context, s *ent.Store) (changed int64, err error) {
	if err := MakeLookups(ctx, s); err != nil {
		return 0, err
	}
	list, err := Lookups()
	if err != nil {
		return 0, err
	}
	err = s.Admin(ctx, func(conn *sql.Conn) error {
		for _, l := range list {
			n, err := l.fill(ctx, conn)
			if changed += n; err != nil {
				return fmt.Errorf("fill %s: %w", l.Name, err)
			}
		}
		return nil
	})
	return changed, err
}

// batch is the number of rows that are read and locked at a time.
const batch = 1000

func (l Lookup) fill(ctx context.Context, conn *sql.Conn) (changed int64, err error) {
	after := [2][]byte{{}, {}}
	for n := batch; n == batch; {
		tx, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return changed, err
		}
		var c int64
		if n, c, err = l.fillSome(ctx, tx, &after); err != nil {
			return changed, errors.Join(err, tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return changed, err
		}
		changed += c
	}
	return changed, nil
}

// fillSome fills the entries of the rows after a position, and advances it. The rows are locked so
// that none is deleted while its entry is written.
func (l Lookup) fillSome(ctx context.Context, tx *sql.Tx, after *[2][]byte) (n int, changed int64, err error) {
	var values []any
	err = ent.Read(ctx, tx, func(rows *sql.Rows) error {
		err := rows.Scan(&after[0], &after[1])
		sum := md5.Sum(after[1]) //nolint:gosec // Vitess's binary_md5; MySQL has no MD5 since 9.6
		values = append(values, after[0], sum[:])
		return err
	}, fmt.Sprintf("SELECT `%s`, `%s` FROM `%s` WHERE `%[1]s` > ? OR `%[1]s` = ? AND"+
		" `%[2]s` > ? ORDER BY `%[1]s`, `%[2]s` LIMIT %[4]d LOCK IN SHARE MODE", l.Find, l.By, l.Owner, batch),
		after[0], after[0], after[1])
	if err != nil || len(values) == 0 {
		return 0, 0, err
	}
	n = len(values) / 2
	r, err := tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO `%s` (`%s`, `keyspace_id`) VALUES (?, ?)%s"+
		" ON DUPLICATE KEY UPDATE `keyspace_id` = VALUES(`keyspace_id`)", l.Name, l.Find, strings.Repeat(", (?, ?)", n-1)),
		values...)
	if err != nil {
		return 0, 0, err
	}
	changed, err = r.RowsAffected()
	return n, changed, err
}
