package ent

import (
	"context"
	stdsql "database/sql"
)

// Raw returns the read pool below ent, only for the benchmarks' baseline. It measures the cost of
// the layers above: the same connections with the same settings, but no tenant policy.
func (s *Store) Raw() *stdsql.DB { return s.readers }

// RawTx begins a transaction below ent, only for the benchmarks' baseline: it is neither retried
// nor joined, and ends with ctx.
func (s *Store) RawTx(ctx context.Context) (*stdsql.Tx, error) { return s.writer.BeginTx(ctx, nil) }
