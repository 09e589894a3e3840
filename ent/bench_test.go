package ent_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

// BenchmarkInTx is a transaction of one insert, at SQLite's normal durability.
func BenchmarkInTx(b *testing.B) {
	s, err := ent.Open(b.Context(), ent.Config{Database: storetest.SQLite(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ctx, _ := storetest.Merchant(b, s)
	b.ReportAllocs()
	for b.Loop() {
		err := s.InTx(ctx, func(ctx context.Context) error { return add(ctx, s, xid.New().String()) })
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInTxEmpty is the cost of a transaction without statements.
func BenchmarkInTxEmpty(b *testing.B) {
	s, err := ent.Open(b.Context(), ent.Config{Database: storetest.SQLite(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		if err := s.InTx(b.Context(), func(context.Context) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
