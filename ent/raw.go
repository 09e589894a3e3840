package ent

import (
	"context"
	stdsql "database/sql"
)

// Raw returns the pool of reads below ent. It is for the benchmarks' baseline
// alone, which measures what the layers above it cost: the same connections
// with the same settings, but no tenant policy.
func (s *Store) Raw() *stdsql.DB { return s.readers }

// RawTx begins a transaction below ent, for the benchmarks' baseline alone: it
// is neither retried nor joined, and ends with ctx.
func (s *Store) RawTx(ctx context.Context) (*stdsql.Tx, error) { return s.writer.BeginTx(ctx, nil) }
