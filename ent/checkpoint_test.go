package ent_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// TestCheckpoint checks that committed data gets from the write-ahead log into the database file
// without anything waiting for it.
func TestCheckpoint(t *testing.T) {
	address := storetest.SQLite(t)
	s, err := ent.Open(t.Context(), ent.Config{Database: address})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	size := func() int64 {
		f, err := os.Stat(strings.TrimPrefix(address, "sqlite:"))
		if err != nil {
			t.Fatal(err)
		}
		return f.Size()
	}
	before := size()
	err = s.InTx(t.Context(), func(ctx context.Context) error {
		_, err := s.DB(ctx).ExecContext(ctx, "CREATE TABLE filling AS SELECT zeroblob(1000000) AS b")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for limit := time.After(time.Minute); size() < before+900_000; { // free pages are used first
		select {
		case <-limit:
			t.Fatalf("the file has %d bytes, and had %d", size(), before)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
