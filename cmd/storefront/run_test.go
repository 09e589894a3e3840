package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
)

// outcome is the result of a run of the program.
type outcome struct {
	code     int
	out, err string
}

// cli runs the program with a data folder of the test.
type cli struct {
	t   *testing.T
	env []string
}

func newCLI(t *testing.T) cli {
	return cli{t, []string{"STOREFRONT_DATA=" + filepath.Join(t.TempDir(), "data"), "STOREFRONT_DATABASE="}}
}

func (c cli) run(args ...string) outcome {
	var out, err bytes.Buffer
	code := run(c.t.Context(), args, c.env, stdio{out: &out, err: &err})
	return outcome{code, out.String(), err.String()}
}

// decode runs a command with --json and decodes what it prints.
func (c cli) decode(v any, args ...string) {
	c.t.Helper()
	o := c.run(append(args, "--json")...)
	if o.code != exitOK {
		c.t.Fatalf("%v: %+v", args, o)
	}
	if err := json.Unmarshal([]byte(o.out), v); err != nil {
		c.t.Fatalf("%v prints no JSON: %v\n%s", args, err, o.out)
	}
}

func TestEveryCommandHasExamples(t *testing.T) {
	c := newCLI(t)
	for _, command := range []string{"serve", "migrate apply", "migrate finalize", "migrate lookups", "migrate status",
		"store create", "store list", "store legacy", "store limit",
		"key create", "key list", "key rotate", "key allow", "key revoke",
		"app create", "app list", "app show", "app update", "app disable", "app enable", "app legacy", "staff invite",
		"staff withdraw", "staff invited", "staff list", "staff remove", "staff token", "webhooks listen",
		"webhooks requeue", "reports rebuild",
		"backup", "restore", "import shopify", "secret rotate", "secret reseal", "doctor", "doctor installation",
		"doctor deliveries", "theme check",
		"theme preview", "version"} {
		o := c.run(append(strings.Fields(command), "--help")...)
		if o.code != exitOK || !strings.Contains(o.out, "    storefront "+command) || o.err != "" {
			t.Errorf("%s --help: code %d, %q; no example in\n%s", command, o.code, o.err, o.out)
		}
	}
	if o := c.run(); o.code != exitOK || !strings.Contains(o.out, "Exit codes:") {
		t.Errorf("no arguments: %+v, want the help", o)
	}
}

func TestMistakes(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  string
		args string
		code int
		want string
	}{
		{name: "unknown command", args: "sell", code: exitUsage, want: "sell"},
		{name: "unknown flag", args: "serve --port 1", code: exitUsage, want: "--port"},
		{name: "missing flag", args: "key create", code: exitUsage, want: "--name"},
		{name: "bad variable", env: "STOREFRONT_RATE_LIMIT=fast", args: "serve", code: exitUsage, want: "--rate-limit"},
		{name: "bad value", args: "serve --log-level loud", code: exitUsage, want: "--log-level"},
		{name: "demo for everyone", args: "serve --demo --addr 0.0.0.0:0", code: exitUsage, want: "--demo"},
		{name: "no store", args: "key list", code: exitFailed, want: "store create"},
		{name: "unknown store", args: "key list --store nobody", code: exitFailed, want: "nobody"},
		{name: "bad database", env: "STOREFRONT_DATABASE=postgres://a:opensesame@b/c", args: "store list",
			code: exitUsage, want: "scheme"},
		{name: "a server's bad database", env: "STOREFRONT_DATABASE=postgres://a:opensesame@b/c", args: "serve",
			code: exitUsage, want: "scheme"},
		{name: "bad blobs", args: "serve --blobs ftp://a", code: exitUsage, want: "--blobs"},
		{name: "a bucket's bad parameter", args: "dispatch --blobs s3://a?size=1", code: exitUsage, want: "--blobs"},
		{name: "no certificate", args: "serve --tls-cert missing --tls-key missing", code: exitUsage, want: "--tls-cert"},
		{name: "no folder", args: "serve --data run_test.go", code: exitUsage, want: "--data"},
		{name: "no such exporter", env: "OTEL_TRACES_EXPORTER=zipkin", args: "serve", code: exitUsage, want: "zipkin"},
		{name: "a server's short secret", env: "STOREFRONT_SECRET_KEY=opensesame", args: "serve", code: exitUsage,
			want: "STOREFRONT_SECRET_KEY"},
		{name: "a command's bad address", args: "store list --public-url shop.example", code: exitUsage,
			want: "--public-url"},
		{name: "a command's unknown limit", args: "store list --limit persons=5", code: exitUsage, want: "--limit"},
		{name: "unknown limit", args: "serve --limit persons=5", code: exitUsage, want: "webhook_endpoints"},
		{name: "bad limit", env: "STOREFRONT_LIMIT=people=0", args: "serve", code: exitUsage, want: "1 to 10000"},
		{name: "limit of a rate", args: "serve --limit rate_burst=5", code: exitUsage, want: "--rate-limit"},
		{name: "negative time", args: "key create --name x --scope orders.read --expires=-1h", code: exitUsage,
			want: "--expires"},
		{name: "a token for no time", args: "staff token tom@kite.example --expires 0s", code: exitUsage,
			want: "--expires"},
		{name: "no file of the database", args: "store list --database-file missing", code: exitUsage,
			want: "--database-file"},
		{name: "two databases", env: "STOREFRONT_DATABASE=sqlite:x", args: "store list --database-file run_test.go",
			code: exitUsage, want: "--database"},
		{name: "no file of the secret", env: "STOREFRONT_SECRET_KEY_FILE=missing", args: "store list", code: exitUsage,
			want: "STOREFRONT_SECRET_KEY_FILE"},
		{name: "short secret", env: "STOREFRONT_SECRET_KEY=opensesame", args: "store list", code: exitUsage,
			want: "STOREFRONT_SECRET_KEY"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newCLI(t)
			c.env = append(c.env, tc.env)
			o := c.run(strings.Fields(tc.args)...)
			if o.code != tc.code || !strings.Contains(o.err, tc.want) || o.out != "" {
				t.Errorf("%+v; want code %d and %q", o, tc.code, tc.want)
			}
			if strings.Count(o.err, "\n") != 1 || !strings.HasPrefix(o.err, "storefront: ") ||
				strings.Contains(o.err, "opensesame") {
				t.Errorf("not one clear line: %q", o.err)
			}
		})
	}
}

func TestFlagsBeatVariables(t *testing.T) {
	c := newCLI(t)
	c.env = append(c.env, "STOREFRONT_STORE_DOMAIN=from.variable")
	var made shop
	c.decode(&made, "store", "create", "Kite", "--currency", "EUR", "--owner-email", "ana@kite.example")
	if made.StoreHost != "kite.from.variable" {
		t.Errorf("store_host = %q, want the variable's domain", made.StoreHost)
	}
	var list []shop
	c.decode(&list, "store", "list", "--store-domain", "from.flag")
	if len(list) != 1 || list[0].StoreHost != "kite.from.flag" {
		t.Errorf("%+v, want the flag's domain", list)
	}
	c.env[len(c.env)-1] = "STOREFRONT_STORE_DOMAIN="
	c.decode(&list, "store", "list")
	if list[0].StoreHost != "kite.localhost:8080" {
		t.Errorf("store_host = %q, want the default for an empty variable", list[0].StoreHost)
	}
}

// accept creates the account of the invitee, as the page of the link does.
func (c cli) accept(link, name string) {
	c.t.Helper()
	at := strings.LastIndexByte(link, '/') + 1
	c.core(func(r *graph.Resolver) error {
		_, err := r.AcceptNew(c.t.Context(), link[at:], name, "a quiet kite over the bay")
		return err
	})
}

// core opens the database of the commands.
func (c cli) core(f func(*graph.Resolver) error) {
	c.t.Helper()
	o := app.Opening{Relaxed: true}
	for _, pair := range c.env {
		if v, ok := strings.CutPrefix(pair, "STOREFRONT_DATA="); ok {
			o.Data = v
		} else if v, ok := strings.CutPrefix(pair, "STOREFRONT_DATABASE="); ok {
			o.Database = v
		}
	}
	base, err := app.Open(c.t.Context(), o)
	if err != nil {
		c.t.Fatal(err)
	}
	defer base.Close()
	hooks, err := base.Engine(app.Delivery{}, false, false, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := base.Core(app.Addresses{API: "http://localhost"}, hooks, app.Marketplace{}, nil)
	if err == nil {
		err = f(r)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func TestLifeOfAStore(t *testing.T) {
	c := newCLI(t)
	var made shop
	c.decode(&made, "store", "create", "Kite", "--currency", "EUR", "--owner-email",
		"ana@kite.example")
	if made.Invitation == nil || made.Invitation.Link == nil || made.Invitation.Role != "owner" {
		t.Fatalf("%+v: no invitation of the owner", made)
	}
	c.accept(*made.Invitation.Link, "Ana")

	var first, second key
	c.decode(&first, "key", "create", "--name", "Sync", "--scope", "orders.read,products.write", "--expires", "1h")
	if first.Secret == nil || len(first.Scopes) != 2 || first.ExpiresAt == nil {
		t.Fatalf("%+v: not the key that was asked for", first)
	}
	c.decode(&second, "key", "rotate", first.ID)
	if second.Secret == nil || *second.Secret == *first.Secret {
		t.Fatalf("%+v: no second secret", second)
	}
	if o := c.run("key", "rotate", second.ID); o.code != exitFailed {
		t.Errorf("a third live key: %+v, want a refusal", o)
	}
	var revoked key
	c.decode(&revoked, "key", "revoke", first.ID)
	if revoked.RevokedAt == nil || revoked.Secret != nil {
		t.Errorf("%+v: not revoked", revoked)
	}
	var keys []key
	c.decode(&keys, "key", "list")
	if len(keys) != 2 || keys[0].ID != second.ID {
		t.Errorf("%+v, want both keys, the younger first", keys)
	}
	if o := c.run("key", "list"); strings.Contains(o.out, *second.Secret) || !strings.Contains(o.out, second.Hint) {
		t.Errorf("the list shows the secret, or no hint:\n%s", o.out)
	}

	var asked, other invited
	c.decode(&asked, "staff", "invite", "tom@kite.example", "--role", "support")
	c.decode(&other, "staff", "invite", "eve@kite.example", "--role", "owner")
	var waiting []invited
	if c.decode(&waiting, "staff", "invited"); len(waiting) != 2 || waiting[0].ID != other.ID {
		t.Errorf("%+v, want two invitations", waiting)
	}
	if c.decode(&other, "staff", "withdraw", other.ID); other.Status != "withdrawn" {
		t.Errorf("%+v, want it withdrawn", other)
	}
	c.accept(*asked.Link, "Tom")
	var members []member
	if c.decode(&members, "staff", "list"); len(members) != 2 || members[0].Email != "tom@kite.example" {
		t.Fatalf("%+v, want two people", members)
	}
	added := members[0]
	var made2 token
	if c.decode(&made2, "staff", "token", "TOM@kite.example", "--name", "laptop"); made2.Token == nil ||
		made2.UserID != added.ID || made2.ExpiresAt == nil {
		t.Errorf("%+v: no token of Tom's that ends", made2)
	}
	if o := c.run("staff", "token", "tom@kite.example", "--expires", "8761h"); o.code != exitFailed ||
		!strings.Contains(o.err, "365 days") {
		t.Errorf("more than a year: %+v", o)
	}
	var gone removed
	if c.decode(&gone, "staff", "remove", "tom@kite.example"); *gone.ID != added.ID || len(gone.Left) != 0 {
		t.Errorf("%+v, want %s", gone, added.ID)
	}
	if o := c.run("staff", "remove", "ana@kite.example"); o.code != exitFailed {
		t.Errorf("the last owner went: %+v", o)
	}
	var legacy shop
	if c.decode(&legacy, "store", "legacy", "on", "--store", "kite"); !legacy.Legacy {
		t.Errorf("%+v: not legacy", legacy)
	}
}

func TestMigrate(t *testing.T) {
	c := newCLI(t)
	if storetest.HaveMySQL(t) {
		c.env[1] = "STOREFRONT_DATABASE=" + storetest.EmptyMySQL(t)
	}
	var st status
	c.decode(&st, "migrate", "status")
	if len(st.Pending) == 0 || st.Current != "" {
		t.Errorf("%+v, want pending migrations", st)
	}
	if storetest.HaveMySQL(t) {
		if o := c.run("store", "list"); o.code != exitFailed || !strings.Contains(o.err, "storefront migrate apply") {
			t.Errorf("%+v, want a refusal that names migrate apply", o)
		}
	}
	c.decode(&st, "migrate", "apply")
	if len(st.Pending) != 0 || st.Current == "" {
		t.Errorf("%+v, want none pending", st)
	}
	if o := c.run("migrate", "status"); !regexp.MustCompile(`Pending: +none`).MatchString(o.out) {
		t.Errorf("%+v", o)
	}
}

func TestDoctorExitCode(t *testing.T) {
	c := newCLI(t)
	args := []string{"doctor", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}
	if o := c.run(args...); o.code != exitOK || !strings.Contains(o.out, "ok    database") {
		t.Errorf("%+v, want ok", o)
	}
	c.env = append(c.env, "STOREFRONT_SECRET_KEY=short")
	if o := c.run(args...); o.code != exitFailed || !strings.Contains(o.out, "fail  secret") || o.err != "" {
		t.Errorf("%+v, want a failure", o)
	}
	if o := c.run(append(args, "--json")...); o.code != exitFailed || !strings.Contains(o.out, `"healthy": false`) {
		t.Errorf("%+v, want JSON of a failure", o)
	}
}

// An event that could not be relayed is reported with a failing exit code until it is requeued;
// nothing relays it here.
func TestDoctorDeliveries(t *testing.T) {
	c := newCLI(t)
	var made shop
	c.decode(&made, "store", "create", "Kite", "--currency", "EUR", "--owner-email", "ana@kite.example")
	var o overdue
	if c.decode(&o, "doctor", "deliveries"); !o.Healthy || len(o.Rows) != 0 {
		t.Errorf("%+v", o)
	}
	s, err := app.OpenStore(t.Context(), app.Opening{Storage: app.Storage{Data: strings.TrimPrefix(c.env[0],
		"STOREFRONT_DATA=")}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	store, err := xid.Store.Parse(made.ID)
	if err != nil {
		t.Fatal(err)
	}
	id := xid.New()
	err = s.InTx(viewer.Operator(t.Context(), store), func(ctx context.Context) error {
		return s.DB(ctx).OutboxFailure.Create().SetID(id).SetFailedAt(id.Time()).SetDetail("refused by a trigger").
			Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"doctor", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}
	if got := c.run(args...); got.code != exitFailed || !strings.Contains(got.out, xid.Event.Format(id)) ||
		!strings.Contains(got.out, "storefront webhooks requeue") {
		t.Errorf("%+v", got)
	}
	if got := c.run("doctor", "deliveries"); got.code != exitFailed || got.err != "" ||
		!strings.Contains(got.out, xid.Event.Format(id)) || !strings.Contains(got.out, "refused by a trigger") {
		t.Errorf("%+v", got)
	}
	var back map[string]int
	if c.decode(&back, "webhooks", "requeue"); back["events"] != 1 {
		t.Errorf("%+v", back)
	}
	if got := c.run(args...); got.code != exitOK {
		t.Errorf("%+v", got)
	}
}
