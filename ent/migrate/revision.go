package migrate

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
)

const revisionTable = "schema_revisions"

const revisionColumns = "version, description, type, applied, total, executed_at, execution_us, " +
	"error, error_statement, hash, partial_hashes, operator"

var createRevisions = map[string]string{
	dialect.MySQL: `CREATE TABLE IF NOT EXISTS ` + revisionTable + ` (
		version varbinary(64) NOT NULL PRIMARY KEY, description varchar(255) NOT NULL, type bigint NOT NULL,
		applied bigint NOT NULL, total bigint NOT NULL, executed_at bigint NOT NULL, execution_us bigint NOT NULL,
		error mediumtext NOT NULL, error_statement mediumtext NOT NULL, hash varbinary(64) NOT NULL,
		partial_hashes mediumtext NOT NULL, operator varchar(255) NOT NULL
	) CHARSET utf8mb4 COLLATE utf8mb4_bin`,
	dialect.SQLite: `CREATE TABLE IF NOT EXISTS ` + revisionTable + ` (
		version text NOT NULL PRIMARY KEY, description text NOT NULL, type integer NOT NULL,
		applied integer NOT NULL, total integer NOT NULL, executed_at integer NOT NULL, execution_us integer NOT NULL,
		error text NOT NULL, error_statement text NOT NULL, hash text NOT NULL,
		partial_hashes text NOT NULL, operator text NOT NULL
	)`,
}

// revisions stores the history in the database. It implements migrate.RevisionReadWriter.
type revisions struct{ conn *sql.Conn }

func (revisions) Ident() *migrate.TableIdent { return &migrate.TableIdent{Name: revisionTable} }

func (r revisions) ReadRevisions(ctx context.Context) ([]*migrate.Revision, error) {
	return readRevisions(ctx, r.conn, " ORDER BY version")
}

func (r revisions) ReadRevision(ctx context.Context, version string) (*migrate.Revision, error) {
	found, err := readRevisions(ctx, r.conn, " WHERE version = ?", version)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, migrate.ErrRevisionNotExist
	}
	return found[0], nil
}

func (r revisions) WriteRevision(ctx context.Context, v *migrate.Revision) error {
	hashes, err := json.Marshal(v.PartialHashes)
	if err != nil {
		return err
	}
	values := []any{v.Version, v.Description, int64(v.Type), v.Applied, v.Total, int64(micros.Of(v.ExecutedAt)),
		v.ExecutionTime.Microseconds(), v.Error, v.ErrorStmt, v.Hash, string(hashes), v.OperatorVersion}
	_, err = r.conn.ExecContext(ctx, "INSERT INTO "+revisionTable+" ("+revisionColumns+
		") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values...)
	if !ent.IsDuplicate(err) {
		return err
	}
	_, err = r.conn.ExecContext(ctx, "UPDATE "+revisionTable+" SET description = ?, type = ?, applied = ?, total = ?, "+
		"executed_at = ?, execution_us = ?, error = ?, error_statement = ?, hash = ?, partial_hashes = ?, "+
		"operator = ? "+
		"WHERE version = ?", append(values[1:], v.Version)...)
	return err
}

func (r revisions) DeleteRevision(ctx context.Context, version string) error {
	_, err := r.conn.ExecContext(ctx, "DELETE FROM "+revisionTable+" WHERE version = ?", version)
	return err
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// readRevisions reads the revisions that meet a condition, or in an order.
func readRevisions(ctx context.Context, from querier, rest string, args ...any) (all []*migrate.Revision, err error) {
	err = ent.Read(ctx, from, func(rows *sql.Rows) error {
		var (
			v            migrate.Revision
			kind, at, us int64
			hashes       string
		)
		err := rows.Scan(&v.Version, &v.Description, &kind, &v.Applied, &v.Total, &at, &us,
			&v.Error, &v.ErrorStmt, &v.Hash, &hashes, &v.OperatorVersion)
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(hashes), &v.PartialHashes); err != nil {
			return fmt.Errorf("read revision %s: %w", v.Version, err)
		}
		v.Type, v.ExecutedAt, v.ExecutionTime = migrate.RevisionType(kind), micros.Time(at).Time(),
			time.Duration(us)*time.Microsecond
		all = append(all, &v)
		return nil
	}, "SELECT "+revisionColumns+" FROM "+revisionTable+rest, args...)
	return all, err
}
