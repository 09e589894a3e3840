package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// emitted are the events of each command that ends by itself. Only the import touches orders,
// products or customers, and no command ends a grant.
var emitted = map[string]string{
	"store create": "", "store legacy": "", "store limit": "",
	"key create": "", "key rotate": "", "key allow": "", "key revoke": "",
	"app create": "", "app update": "", "app disable": "", "app enable": "", "app legacy": "", "app verify": "",
	"staff invite": "", "staff withdraw": "", "staff remove": "", "staff token": "", "staff password": "",
	"staff reset-factors": "",
	"migrate apply":       "", "migrate finalize": "", "migrate lookups": "", "secret rotate": "", "secret reseal": "",
	"webhooks requeue": "", "reports rebuild": "", "import shopify": "product.created",
}

// silent are the commands that write nothing themselves: they read, write files, or serve what
// other tests send.
var silent = []string{"serve", "dispatch", "backup", "restore", "migrate status", "store list", "key list",
	"app list", "app show", "staff list", "staff invited", "status", "webhooks listen", "webhooks test",
	"doctor installation", "doctor deliveries", "theme check", "theme preview", "mcp", "version"}

// TestEventsOfCommands runs every command that writes, with an app that a store allowed, and reads
// the event log of all stores after each.
func TestEventsOfCommands(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { runCommands(t, newCLI(t), "") })
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) {
			c, database := newCLI(t), storetest.EmptyMySQL(t)
			c.env[1] = "STOREFRONT_DATABASE=" + database
			runCommands(t, c, database)
		})
	}
}

// runLookups runs the command that only MySQL below Vitess needs.
func runLookups(t *testing.T, c cli, database string, run func(any, ...string)) {
	t.Helper()
	if database == "" {
		o := c.run("migrate", "lookups")
		if o.code != exitFailed || !strings.Contains(o.err, "not a MySQL below Vitess") {
			t.Errorf("on SQLite: %+v", o)
		}
		return
	}
	var first, second map[string]int64
	run(&first, "migrate", "lookups")
	run(&second, "migrate", "lookups")
	if first["changed"] == 0 || second["changed"] != 0 {
		t.Errorf("%d rows changed, then %d", first["changed"], second["changed"])
	}
}

func runCommands(t *testing.T, c cli, database string) {
	var st status
	c.decode(&st, "migrate", "apply")
	s, err := app.OpenStore(t.Context(), app.Opening{Relaxed: true,
		Storage: app.Storage{Data: strings.TrimPrefix(c.env[0], "STOREFRONT_DATA="), Database: database}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	log, ran := new(storetest.Log), map[string]bool{"migrate apply": true}
	run := func(v any, args ...string) {
		t.Helper()
		c.decode(v, args...)
		name := strings.Join(args[:2], " ")
		ran[name] = true
		if got := log.Since(t, s); got != emitted[name] {
			t.Errorf("%s emitted %q, want %q", name, got, emitted[name])
		}
	}
	run(&st, "migrate", "finalize")
	var made, legacy shop
	run(&made, "store", "create", "Kite", "--currency", "EUR", "--owner-email", "ana@kite.example")
	run(&legacy, "store", "legacy", "on")
	runLookups(t, c, database, run)
	ran["migrate lookups"] = true
	run(new([]bound), "store", "limit", "people=7")
	var first, second key
	run(&first, "key", "create", "--name", "Sync", "--scope", "orders.read")
	run(&second, "key", "rotate", first.ID)
	run(&second, "key", "allow", second.ID, "--from", "192.0.2.0/24")
	run(&second, "key", "revoke", first.ID)
	var token map[string]any
	var asked, other invited
	run(&asked, "staff", "invite", "tom@kite.example", "--role", "developer")
	run(&other, "staff", "invite", "eve@kite.example", "--role", "developer")
	run(&other, "staff", "withdraw", other.ID)
	c.accept(*made.Invitation.Link, "Ana")
	c.accept(*asked.Link, "Tom")
	var members []member
	c.decode(&members, "staff", "list")
	person := members[0]
	var a client
	run(&a, "app", "create", "Sync", "--redirect-uri", "https://sync.example/cb", "--scope", "orders.read")
	letIn(t, s, made.ID, a.ID, person.ID)
	run(&a, "app", "update", a.ID, "--scope", "products.read")
	run(&a, "app", "disable", a.ID)
	run(&a, "app", "enable", a.ID)
	run(&a, "app", "verify", "on", a.ID)
	run(&a, "app", "legacy", "on", a.ID)
	run(&token, "staff", "token", "tom@kite.example", "--name", "laptop")
	run(&token, "staff", "password", "tom@kite.example")
	run(&token, "staff", "reset-factors", "tom@kite.example")
	var gone removed
	run(&gone, "staff", "remove", "tom@kite.example")
	if len(gone.Left) != 1 || gone.Left[0].Kind != "grant" || gone.Left[0].Name != "Sync" {
		t.Errorf("what Tom leaves: %+v", gone.Left)
	}
	run(new(any), "import", "shopify", oneProduct(t), "--apply")
	run(new(any), "secret", "rotate")
	run(new(any), "secret", "reseal")
	run(new(map[string]int), "webhooks", "requeue")
	run(new(map[string]int), "reports", "rebuild")
	for name := range emitted {
		if !ran[name] {
			t.Errorf("%s was not run", name)
		}
	}
}

// letIn writes a grant of the store to its app.
func letIn(t *testing.T, s *ent.Store, shop, client, person string) {
	t.Helper()
	ids := map[xid.Kind]xid.ID{}
	for kind, text := range map[xid.Kind]string{xid.Store: shop, xid.App: client, xid.User: person} {
		id, err := kind.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		ids[kind] = id
	}
	err := s.InTx(viewer.Operator(t.Context(), ids[xid.Store]), func(ctx context.Context) error {
		now := micros.Now()
		return s.DB(ctx).Grant.Create().SetAppStoreID(ids[xid.Store]).SetAppID(ids[xid.App]).SetUserID(ids[xid.User]).
			SetUserName("Tom").SetScopes("orders.read").SetRedirectURI("https://sync.example/cb").
			SetCodeChallenge(strings.Repeat("c", 43)).SetCodeExpiresAt(now).SetCodeUsedAt(now).
			SetRefreshExpiresAt(now.Add(time.Hour)).SetExpiresAt(now.Add(time.Hour)).SetUpdatedAt(now).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every command is on one of the two lists.
func TestEveryCommandIsListed(t *testing.T) {
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range parser.Model.Leaves(false) {
		name := strings.TrimPrefix(leaf.FullPath(), parser.Model.Name+" ")
		if _, writes := emitted[name]; writes == slices.Contains(silent, name) {
			t.Errorf("%q is on no list or on both", name)
		}
	}
}
