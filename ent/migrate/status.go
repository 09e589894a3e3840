package migrate

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate/internal/expand"
)

// Status is the migration state of a database.
type Status struct {
	// Current is the newest version that is completely applied; empty for a new database.
	Current string
	// Pending are the versions that [Apply] would apply, in order.
	Pending []string
	// Newer are applied versions that this program does not have but can work with: a newer program
	// has only added to the schema, and writes no format that this one does not know.
	Newer []string
	// Unknown are applied versions that this program does not have and cannot work with. If there
	// are none, it is a format that programs write and that this one does not know.
	Unknown []string
	// Failed is the database's message if the first pending version stopped half-way, as it can on
	// MySQL, whose schema changes are not transactional.
	Failed string
}

// Check reads the state of the database and changes nothing. It fails in the same cases in which
// [Apply] fails before it starts.
func Check(ctx context.Context, s *ent.Store) (Status, error) {
	f, err := folder(s.Dialect())
	if err != nil {
		return Status{}, fmt.Errorf("read migrations: %w", err)
	}
	return check(ctx, s, f)
}

func check(ctx context.Context, s *ent.Store, f fs.FS) (Status, error) {
	dir, err := load(f)
	if err != nil {
		return Status{}, err
	}
	applied, err := history(ctx, s)
	if err != nil {
		return Status{}, fmt.Errorf("read revisions: %w", err)
	}
	st, err := compare(dir, applied)
	if err != nil {
		return st, err
	}
	written, err := formats(ctx, s)
	if err != nil {
		return st, fmt.Errorf("read formats: %w", err)
	}
	for name := range written {
		if !slices.Contains(ent.Formats(), name) {
			st.Unknown, st.Newer = append(st.Unknown, st.Newer...), nil
			if len(st.Unknown) == 0 {
				st.Unknown = []string{string(name)}
			}
			break
		}
	}
	return st, nil
}

// history reads the revisions with the store's reader; without the table there are none.
func history(ctx context.Context, s *ent.Store) ([]*migrate.Revision, error) {
	if there, err := exists(ctx, s, revisionTable); err != nil || !there {
		return nil, err
	}
	return readRevisions(ctx, s.DB(ctx), " ORDER BY version")
}

func exists(ctx context.Context, s *ent.Store, table string) (bool, error) {
	query := "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?"
	if s.Dialect() == dialect.SQLite {
		query = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
	}
	var n int
	err := ent.Read(ctx, s.DB(ctx), func(rows *sql.Rows) error { return rows.Scan(&n) }, query, table)
	return n > 0, err
}

// compare compares the files with the history. An applied file must have the sum that it was
// applied with: atlas itself checks only the pending ones.
func compare(dir migrate.Dir, applied []*migrate.Revision) (st Status, err error) {
	byVersion, versions, err := files(dir)
	if err != nil {
		return st, err
	}
	sums, err := dir.Checksum()
	if err != nil {
		return st, fmt.Errorf("read migrations: %w", err)
	}
	done := map[string]bool{}
	for _, r := range applied {
		f, ok := byVersion[r.Version]
		if !ok {
			if worksWith(r, versions) {
				st.Newer = append(st.Newer, r.Version)
			} else {
				st.Unknown = append(st.Unknown, r.Version)
			}
			continue
		}
		if r.Applied < r.Total || r.Error != "" {
			st.Failed = r.Error
			continue
		}
		if sum, err := sums.SumByName(f.Name()); err != nil || sum != r.Hash {
			return st, fmt.Errorf("migration %s was changed after it was applied", f.Name())
		}
		done[r.Version] = true
		st.Current = r.Version
	}
	for _, v := range versions {
		if !done[v] {
			st.Pending = append(st.Pending, v)
		}
	}
	return st, nil
}

// operator is the prefix of the operator stored in a revision. The newest migration of the oldest
// program that can work on the result follows.
const operator = "storefront, for programs since "

// worksWith reports whether a program with the given migrations can work on the result of a newer
// one.
func worksWith(r *migrate.Revision, versions []string) bool {
	since, ok := strings.CutPrefix(r.OperatorVersion, operator)
	return ok && r.Applied == r.Total && r.Error == "" && len(versions) > 0 && versions[len(versions)-1] >= since
}

// operatorOf returns the operator of the revisions that apply a whole directory.
func operatorOf(dir migrate.Dir) (string, error) {
	files, err := dir.Files()
	if err != nil {
		return "", err
	}
	newest := "0"
	for _, f := range files {
		since, err := expand.Since(f)
		if err != nil {
			return "", err
		}
		newest = max(newest, since)
	}
	return operator + newest, nil
}
