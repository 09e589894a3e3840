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
	// EnvVitess is the mysql:// address of a keyspace to use instead of MySQL.
	EnvVitess = "STOREFRONT_TEST_VITESS"
	// EnvShards are the addresses of the databases of its shards, separated by spaces.
	EnvShards = "STOREFRONT_TEST_VITESS_SHARDS"
)

// keyspace is locked by the test that uses the cluster.
var keyspace sync.Mutex

// Shards returns the number of shards if tests run on Vitess, and otherwise 1.
func Shards() int { return max(1, len(strings.Fields(os.Getenv(EnvShards)))) }

// keyspaceOf returns the address of the emptied cluster, to one test at a time. Its tables stay, since
// they are not created through vtgate.
func keyspaceOf(t testing.TB) string {
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
