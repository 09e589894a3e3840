package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Contract, section 11.
func TestSignInAllowed(t *testing.T) {
	for _, tc := range []struct {
		addr, api string
		insecure  bool
		want      bool
	}{
		{addr: "127.0.0.1:8080", api: "http://127.0.0.1:8080", want: true},
		{addr: "[::1]:8080", api: "http://[::1]:8080", want: true},
		{addr: "localhost:8080", api: "http://localhost:8080", want: true},
		{addr: "127.0.0.1:8080", api: "http://shop.localhost:8080", want: true},
		{addr: "0.0.0.0:8080", api: "https://shop.example", want: true},
		{addr: "127.0.0.1:8080", api: "https://shop.example", want: true},
		{addr: "0.0.0.0:8080", api: "http://localhost:8080"},
		{addr: ":8080", api: "http://127.0.0.1:8080"},
		{addr: "192.0.2.1:8080", api: "http://192.0.2.1:8080"},
		{addr: "127.0.0.1:8080", api: "http://shop.example"},
		{addr: "127.0.0.1:8080", api: "http://localhost.shop.example"},
		{addr: "0.0.0.0:8080", api: "http://shop.example", insecure: true, want: true},
	} {
		c := Config{Listen: Listen{Addr: tc.addr}, InsecureHTTP: tc.insecure}
		if got := c.signInAllowed(tc.api); got != tc.want {
			t.Errorf("%s as %s (insecure %t): %t, want %t", tc.addr, tc.api, tc.insecure, got, tc.want)
		}
	}
}

// Demo data is not served where others can reach it until its people have their own passwords.
func TestRefusesDemoPeople(t *testing.T) {
	b, err := Open(t.Context(), Opening{Storage: Storage{Data: filepath.Join(t.TempDir(), "data")}, Relaxed: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	add := func(email string, demo bool, hash *string) xid.ID {
		id := xid.New()
		err := b.Store.InTx(t.Context(), func(ctx context.Context) error {
			return b.Store.DB(ctx).User.Create().SetID(id).SetEmail(email).SetName("Ada").SetDemo(demo).
				SetNillablePasswordHash(hash).SetUpdatedAt(micros.Now()).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	everywhere, here := Config{Listen: Listen{Addr: "0.0.0.0:8080"}}, Config{Listen: Listen{Addr: "127.0.0.1:8080"}}
	proxied := here
	proxied.PublicURL = "https://shop.example"
	add("real@example.com", false, new("hash"))
	add("keyless@example.com", true, nil)
	if err := b.refuseDemo(t.Context(), everywhere); err != nil {
		t.Errorf("no demo people: %v", err)
	}
	id := add("demo@example.com", true, new("hash"))
	if err := b.refuseDemo(t.Context(), here); err != nil {
		t.Errorf("loopback: %v", err)
	}
	err = b.refuseDemo(t.Context(), everywhere)
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "demo@example.com") ||
		!strings.Contains(err.Error(), "storefront staff password") || strings.Contains(err.Error(), "keyless") {
		t.Errorf("everywhere: %v", err)
	}
	if err := b.refuseDemo(t.Context(), proxied); err == nil || !strings.Contains(err.Error(), "https://shop.example") {
		t.Errorf("behind a proxy: %v", err)
	}
	c := Config{Storage: Storage{Data: filepath.Dir(b.Store.Redacted())},
		Listen: Listen{Addr: "0.0.0.0:0", AdminAddr: "127.0.0.1:0"}}
	c.Database = b.Store.Redacted()
	c.Data = t.TempDir()
	s, err := Start(t.Context(), c, Runtime{
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), Getenv: func(string) string { return "" },
	})
	if err == nil || !strings.Contains(err.Error(), "demo@example.com") {
		t.Errorf("Start: %v, %v", s, err)
	}
	if _, err := b.Sessions.Reset(t.Context(), id, "another"); err != nil {
		t.Fatal(err)
	}
	if err := b.refuseDemo(t.Context(), everywhere); err != nil {
		t.Errorf("with a password of their own: %v", err)
	}
}
