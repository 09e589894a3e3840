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

// revisionTable is the history of migrations of a database.
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

// Ident implements migrate.RevisionReadWriter.
func (revisions) Ident() *migrate.TableIdent { return &migrate.TableIdent{Name: revisionTable} }

// ReadRevisions implements migrate.RevisionReadWriter.
func (r revisions) ReadRevisions(ctx context.Context) ([]*migrate.Revision, error) {
	rows, err := r.conn.QueryContext(ctx, "SELECT "+revisionColumns+" FROM "+revisionTable+" ORDER BY version")
	if err != nil {
		return nil, err
	}
	return scanRevisions(rows)
}

// ReadRevision implements migrate.RevisionReadWriter.
func (r revisions) ReadRevision(ctx context.Context, version string) (*migrate.Revision, error) {
	rows, err := r.conn.QueryContext(ctx, "SELECT "+revisionColumns+" FROM "+revisionTable+" WHERE version = ?",
		version)
	if err != nil {
		return nil, err
	}
	found, err := scanRevisions(rows)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, migrate.ErrRevisionNotExist
	}
	return found[0], nil
}

// WriteRevision implements migrate.RevisionReadWriter.
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

// DeleteRevision implements migrate.RevisionReadWriter.
func (r revisions) DeleteRevision(ctx context.Context, version string) error {
	_, err := r.conn.ExecContext(ctx, "DELETE FROM "+revisionTable+" WHERE version = ?", version)
	return err
}

func scanRevisions(rows *sql.Rows) ([]*migrate.Revision, error) {
	defer rows.Close()
	var all []*migrate.Revision
	for rows.Next() {
		var (
			v            migrate.Revision
			kind, at, us int64
			hashes       string
		)
		err := rows.Scan(&v.Version, &v.Description, &kind, &v.Applied, &v.Total, &at, &us,
			&v.Error, &v.ErrorStmt, &v.Hash, &hashes, &v.OperatorVersion)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(hashes), &v.PartialHashes); err != nil {
			return nil, fmt.Errorf("read revision %s: %w", v.Version, err)
		}
		v.Type, v.ExecutedAt, v.ExecutionTime = migrate.RevisionType(kind), micros.Time(at).Time(),
			time.Duration(us)*time.Microsecond
		all = append(all, &v)
	}
	return all, rows.Err()
}
