package wire_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// at parses a time and fails the test if it is invalid.
func at(t *testing.T, text string) micros.Time {
	t.Helper()
	v, err := micros.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestGrantRevoked compares the event of a revoked grant with its golden file.
func TestGrantRevoked(t *testing.T) {
	id := func(second string) xid.ID { return xid.First(at(t, "2026-03-05T09:30:"+second+"Z")) }
	revoked, why := at(t, "2026-04-01T00:00:00.000001Z"), state.GrantCodeReused
	app := &db.App{ID: id("01"), Name: `Bridge "2"`, ClientID: "abcdefghijklmnopqrstuvwxyz"}
	g := &db.Grant{ID: id("02"), StoreID: id("03"), UserID: id("04"), UserName: "Olive Ünal",
		Scopes: "products.write orders.read products.read", RedirectURI: "https://bridge.example/secret",
		CodeChallenge: "challenge", ExpiresAt: at(t, "2026-09-01T09:30:02Z"),
		RevokedAt: &revoked, RevokedReason: &why, Version: 2, EventSequence: 1}
	got := wire.AppendEvent(nil,
		wire.Event{ID: id("05"), Type: event.AppGrantRevoked, Occurred: revoked, Store: g.StoreID, Kind: xid.Grant,
			Resource: g.ID, Version: g.Version, Sequence: g.EventSequence, Object: wire.AppendGrant(nil, g, app)})
	const file = "testdata/app.grant_revoked.json"
	if *update {
		var indented bytes.Buffer
		if err := json.Indent(&indented, got, "", "  "); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(indented.Bytes(), '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(decode(t, golden), decode(t, got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// An active grant has neither a time nor a reason of its end.
func TestActiveGrant(t *testing.T) {
	got := decode(t, wire.AppendGrant(nil, &db.Grant{Scopes: "themes.read"}, &db.App{}))
	for _, name := range []string{"revoked_at", "revoked_reason"} {
		if v, ok := got[name]; !ok || v != nil {
			t.Errorf("%s is %v, there: %t; want null", name, v, ok)
		}
	}
}

func decode(t *testing.T, b []byte) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return v
}
