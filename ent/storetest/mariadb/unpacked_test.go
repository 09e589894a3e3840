package mariadb

import (
	"os"
	"strings"
	"testing"
)

// TestStartUnpacked starts the MySQL that the environment names, if any.
func TestStartUnpacked(t *testing.T) {
	if _, err := StartUnpacked(t.TempDir(), ""); err == nil {
		t.Error("started a server from an empty folder")
	}
	folder := os.Getenv("STOREFRONT_TEST_MYSQLD")
	if folder == "" {
		return
	}
	s, err := StartUnpacked(folder, "", "--max-connections=77")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	db, err := s.Empty(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	var version string
	err = db.QueryRowContext(t.Context(), "SELECT @@max_connections, @@version").Scan(&n, &version)
	if err != nil || n != 77 || strings.Contains(version, "MariaDB") {
		t.Errorf("got %d, %s, %v, want our setting of MySQL", n, version, err)
	}
}
