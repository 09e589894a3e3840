package storetest

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
)

// Environment variables of the tests on Vitess; `.ci/vitess` sets them.
const (
	// EnvVitess is the mysql:// address of a keyspace that takes the place of MySQL.
	EnvVitess = "STOREFRONT_TEST_VITESS"
	// EnvShards are the addresses of its shards' databases, below it, with spaces between.
	EnvShards = "STOREFRONT_TEST_VITESS_SHARDS"
)

// keyspace is held by the one test that uses the cluster.
var keyspace sync.Mutex

// Shards returns how many shards there are where a test runs on Vitess, and one elsewhere.
func Shards() int { return max(1, len(strings.Fields(os.Getenv(EnvShards)))) }

// vitess returns the address of the cluster, without any row, for one test after the other.
// Its tables stay: nobody makes them through vtgate.
func vitess(t testing.TB) string {
	t.Helper()
	keyspace.Lock()
	t.Cleanup(keyspace.Unlock)
	for address := range strings.FieldsSeq(os.Getenv(EnvShards)) {
		s, err := ent.Open(t.Context(), ent.Config{Database: address, MaxOpen: 1})
		if err != nil {
			t.Fatalf("open a shard: %v", err)
		}
		err = s.Admin(t.Context(), func(conn *sql.Conn) error {
			return empty(context.Background(), conn, address[strings.LastIndexByte(address, '/')+1:])
		})
		if err != nil {
			t.Fatalf("empty a shard: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("close a shard: %v", err)
		}
	}
	return os.Getenv(EnvVitess)
}
