package ent_test

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// TestPasswords checks that caching_sha2_password works over the network with and without TLS, even
// if the server has not seen the password before, and rejects a wrong password.
func TestPasswords(t *testing.T) {
	folder := storetest.Unpacked()
	if folder == "" {
		return // MariaDB does not have this plugin
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(host)
	m, err := mariadb.StartUnpacked(folder, "", "--skip-networking=0", "--bind-address=127.0.0.1", "--port="+port)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	db, err := m.Empty(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tests := []struct {
		parameter, password string
		want                string // part of the error
	}{
		{"", "opensesame", ""},
		{"?tls=preferred", "opensesame", ""},
		{"?tls=skip-verify", "opensesame", ""},
		{"?tls=true", "opensesame", "certificate"},
		{"", "wrong", "1045"},
		{"?tls=skip-verify", "wrong", "1045"},
	}
	for i, tc := range tests {
		t.Run(tc.parameter+" "+tc.password, func(t *testing.T) {
			user := "u" + strconv.Itoa(i) // not cached by the server
			if _, err := db.ExecContext(t.Context(), "CREATE USER "+user+" IDENTIFIED WITH caching_sha2_password BY"+
				" 'opensesame'"); err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), "GRANT ALL ON shop.* TO "+user); err != nil {
				t.Fatal(err)
			}
			for range 2 { // cached the second time
				s, err := ent.Open(t.Context(), ent.Config{
					Database: "mysql://" + user + ":" + tc.password + "@" + host + "/shop" + tc.parameter,
				})
				if err == nil {
					s.Close()
				}
				if tc.want == "" && err != nil ||
					tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
					t.Errorf("got %v, want %q", err, tc.want)
				}
			}
		})
	}
}
