package ent

import (
	"context"
	stdsql "database/sql"
)

// Raw returns the read pool below ent, without the tenant policy, for tests that look at rows
// directly.
func (s *Store) Raw() *stdsql.DB { return s.readers }

// RawTx begins a transaction below ent for tests: it is neither retried nor joined, and ends with
// ctx.
func (s *Store) RawTx(ctx context.Context) (*stdsql.Tx, error) { return s.writer.BeginTx(ctx, nil) }
