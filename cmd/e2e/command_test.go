package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
)

// commands are all commands of the program.
var commands = []string{"serve", "migrate", "migrate apply", "migrate finalize", "migrate lookups", "migrate status",
	"store", "store create", "store list", "store legacy", "store limit",
	"key", "key create", "key list", "key rotate", "key allow", "key revoke",
	"app", "app create", "app list", "app show", "app update", "app disable", "app enable", "app legacy", "staff",
	"staff invite", "staff withdraw", "staff invited", "staff list", "staff remove", "staff token", "staff password",
	"staff reset-factors",
	"dispatch", "webhooks", "webhooks listen", "webhooks requeue", "reports",
	"reports rebuild", "doctor", "doctor installation", "doctor deliveries",
	"theme", "theme check", "theme preview", "version"}

func TestHelp(t *testing.T) {
	storetest.Sequential(t)
	for _, name := range append([]string{""}, commands...) {
		code, out, log := try(t, append(strings.Fields(name), "--help")...)
		if code != 0 || log != "" || !strings.Contains(out, strings.TrimSpace("Usage: storefront "+name)) {
			t.Errorf("%s --help: %d\n%s%s", name, code, out, log)
		}
	}
	_, out, _ := try(t, "serve", "--help")
	for _, want := range []string{"--database", "--public-url", "STOREFRONT_DATABASE", "storefront serve --demo"} {
		if !strings.Contains(out, want) {
			t.Errorf("serve --help does not show %s", want)
		}
	}
	if code, out, _ := try(t); code != 0 || !strings.Contains(out, "Usage: storefront") {
		t.Errorf("no arguments: %d\n%s", code, out)
	}
}

// A usage error is one line, and nothing is created.
func TestUsage(t *testing.T) {
	storetest.Sequential(t)
	data := demoData(t)
	for _, line := range []string{"bogus", "serve bogus", "serve --colour red",
		"serve --addr nonsense", "serve --addr 127.0.0.1:99999",
		"serve --demo --addr 0.0.0.0:0", "serve --rate-limit -1", "serve --rate-limit many",
		"serve --demo-orders -1", "serve --public-url ftp://x",
		"serve --public-url http://x/path", "serve --trusted-proxies 10.0.0.0/99",
		"serve --tls-cert x", "serve --log-level loud", "key create", "key create --name x", "key rotate",
		"store legacy maybe", "store create", "serve --limit persons=5", "staff invite a@b.example --role king",
		"app create X --scope orders.read", "app create X --redirect-uri https://x.example/",
		"app legacy maybe app_1", "app update", "key create --name x --scope orders.read --expires -1h",
		"version --verbose"} {
		code, out, log := try(t, strings.Fields(line)...)
		oneLine(t, code, 2, out, log)
	}
	for _, line := range []string{"key create --name x --scope orders.read",
		"store limit --store kestrel-bikes persons=5", "store limit --store kestrel-bikes people=0",
		"store limit --store kestrel-bikes stores=5", "store limit --store kestrel-bikes people",
		"key create --store nobody --name x --scope orders.read",
		"key create --store kestrel-bikes --name x --scope orders.delete",
		"key create --store kestrel-bikes --name x --scope ,", "key rotate --store kestrel-bikes key_1",
		"key revoke --store kestrel-bikes key_01h455vb4pex5vsknk084sn02q",
		"app create X --store kestrel-bikes --redirect-uri http://localhost/ --scope orders.read",
		"app show --store kestrel-bikes app_1", "staff token --store kestrel-bikes nobody@kestrel-bikes.example",
		"staff remove --store kestrel-bikes mirela@kestrel-bikes.example",
		"store create X --currency XYZ --owner-email a@b.example",
		"store create X --currency EUR --owner-email nonsense",
		"store create X --handle kestrel-bikes --currency EUR --owner-email a@b.example"} {
		code, out, log := try(t, append(strings.Fields(line), "--data", data)...)
		oneLine(t, code, 1, out, log)
	}
}

func TestVersionCommand(t *testing.T) {
	v := parse[map[string]any](t, command(t, "version", "--json"))
	if v["go"] == "" || v["version"] == nil {
		t.Errorf("%v", v)
	}
}

// place holds the flags of a command's data.
type place []string

// with puts a command and its arguments in front of them.
func (p place) with(args ...string) []string { return append(args, p...) }

// made is a key as printed.
type made struct{ ID, Secret string }

// A key works once it is created; after a rotation both keys work, and a revocation ends one of
// them. A running server refuses it within seconds.
func TestKeyCommands(t *testing.T) {
	storetest.Sequential(t)
	t.Parallel()
	data := demoData(t)
	p := start(t, settings{Data: data, Args: []string{"--rate-limit", "0"}})
	in := place{"--data", data, "--store", "kestrel-bikes", "--json"}
	first := parse[made](t, command(t,
		in.with("key", "create", "--name", "Sync", "--scope", "products.write", "--scope", "orders.read")...))
	me := request{As: first.Secret, Path: base + "/me"}
	var identity struct {
		Credential    struct{ ID string }
		GrantedScopes []string `json:"granted_scopes"`
	}
	p.send(t, me).want(t, http.StatusOK, "").decode(t, &identity)
	if identity.Credential.ID != first.ID || len(identity.GrantedScopes) != 2 {
		t.Errorf("%+v", identity)
	}
	write := request{As: first.Secret, Path: base + "/products", Body: draft("By key", "BY-KEY"), Key: "rotation"}
	answered := p.send(t, write).want(t, http.StatusCreated, "")

	second := parse[made](t, command(t, in.with("key", "rotate", first.ID)...))
	for _, secret := range []string{first.Secret, second.Secret} {
		p.send(t, request{As: secret, Path: base + "/me"}).want(t, http.StatusOK, "")
	}
	write.As = second.Secret
	if again := p.send(t, write); !same(answered, again) || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("behind a rotation a retry does not meet its first answer: %d %s", again.Status, again.Body)
	}
	code, out, log := try(t, in.with("key", "rotate", second.ID)...)
	oneLine(t, code, 1, out, log)

	command(t, in.with("key", "revoke", first.ID)...)
	p.awaitAnswer(t, me, http.StatusUnauthorized)
	p.send(t, request{As: second.Secret, Path: base + "/me"}).want(t, http.StatusOK, "")
	parse[made](t, command(t, in.with("key", "rotate", second.ID)...))
	if list := parse[[]made](t, command(t, in.with("key", "list")...)); len(list) != len(scope.All())+1+3 {
		t.Errorf("%d keys are listed", len(list))
	}
}

// Commands register, change and disable an app beside a running server, which shows each change
// only to the people of its store.
func TestAppCommands(t *testing.T) {
	storetest.Sequential(t)
	t.Parallel()
	data := demoData(t)
	p := start(t, settings{Data: data, Args: []string{"--demo"}})
	stores := p.demo(t).Stores
	in := place{"--data", data, "--store", "kestrel-bikes", "--json"}
	app := parse[struct {
		ID       string
		ClientID string `json:"client_id"`
	}](t, command(t, in.with("app", "create", "Sync", "--redirect-uri", "com.example.sync:/cb",
		"--scope", "orders.read,products.write")...))
	shown := func(store demo.Store) (at struct {
		Apps struct {
			Nodes []struct {
				ID, Name, ClientID string
				Scopes             []string
				DisabledAt         *time.Time
			}
		}
	}) {
		p.graphql(t, store.StaffToken, "{apps{nodes{id name clientId scopes disabledAt}}}", nil, &at)
		return at
	}
	if got := shown(stores[0]).Apps.Nodes; len(got) != 2 || got[0].ClientID != app.ClientID ||
		len(got[0].Scopes) != 2 || got[1].ID != p.demo(t).OAuthApp.ID {
		t.Errorf("%+v", got)
	}
	if got := shown(stores[1]).Apps.Nodes; len(got) != 0 {
		t.Errorf("another store has %+v", got)
	}
	command(t, in.with("app", "update", app.ID, "--name", "Sync 2", "--scope", "orders.read")...)
	command(t, in.with("app", "disable", app.ID)...)
	if got := shown(stores[0]).Apps.Nodes[0]; got.Name != "Sync 2" || len(got.Scopes) != 1 || got.DisabledAt == nil {
		t.Errorf("%+v", got)
	}
	code, out, log := try(t, in.with("app", "disable", app.ID)...)
	oneLine(t, code, 1, out, log)
}

// nearTerm is the contract's time for a change by another process to take effect.
const nearTerm = 10 * time.Second

// awaitAnswer repeats a request until the answer has the status, within the contract's time.
func (p *program) awaitAnswer(t *testing.T, r request, status int) *answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), nearTerm)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		a := p.send(t, r)
		if a.Status == status {
			return a
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s still answers %d after %v, want %d", r.Path, a.Status, nearTerm, status)
		}
	}
}

// Inside one process a revocation takes effect at once.
func TestRevoke(t *testing.T) {
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo"}})
	store := p.demo(t).Stores[0]
	var data struct {
		APIKeyCreate struct {
			Secret string
			APIKey struct{ ID string }
		}
		APIKeyRotate struct{ Secret string }
		APIKeyRevoke struct {
			APIKey struct{ RevokedAt *time.Time }
		}
	}
	p.graphql(t, store.StaffToken,
		`mutation{apiKeyCreate(input:{name:"Short",scopes:["orders.read"]}){secret apiKey{id}}}`, nil, &data)
	key := request{As: data.APIKeyCreate.Secret, Path: base + "/orders"}
	p.send(t, key).want(t, http.StatusOK, "")
	id := map[string]any{"id": data.APIKeyCreate.APIKey.ID}
	p.graphql(t, store.StaffToken, `mutation($id:ID!){apiKeyRotate(id:$id){secret}}`, id, &data)
	p.send(t, key).want(t, http.StatusOK, "")
	p.graphql(t, store.StaffToken, `mutation($id:ID!){apiKeyRevoke(id:$id){apiKey{revokedAt}}}`, id, &data)
	p.send(t, key).want(t, http.StatusUnauthorized, "invalid_token")
	key.As = data.APIKeyRotate.Secret
	p.send(t, key).want(t, http.StatusOK, "")
}

// A store, its owner and their token are created from nothing, without the demo.
func TestStoreCommands(t *testing.T) {
	storetest.Sequential(t)
	data := t.TempDir()
	in := place{"--data", data, "--json"}
	store := parse[struct {
		ID, Handle, Currency string
		Invitation           struct{ Email, Link string }
	}](t, command(t, in.with("store", "create", "Blue Door Books", "--currency", "gbp",
		"--owner-email", "ana@bluedoor.example")...))
	if store.Handle != "blue-door-books" || store.Currency != "GBP" || store.Invitation.Link == "" {
		t.Errorf("%+v", store)
	}
	p := start(t, settings{Data: data})
	p.person(t).accept(store.Invitation.Link, "ana@bluedoor.example", "Ana")
	token := parse[struct{ Token string }](t, command(t, in.with("staff", "token", "ana@bluedoor.example")...)).Token
	key := parse[made](t, command(t, in.with("key", "create", "--name", "x", "--scope", "products.read")...))
	tom := parse[struct{ Link string }](t, command(t, in.with("staff", "invite", "tom@bluedoor.example",
		"--role", "support")...))
	p.person(t).accept(tom.Link, "tom@bluedoor.example", "Tom")
	support := parse[struct{ Token string }](t, command(t, in.with("staff", "token", "tom@bluedoor.example")...)).Token

	var got struct{ Store struct{ ID, Name string } }
	for _, who := range []string{token, support} {
		p.graphql(t, who, "{store{id name}}", nil, &got)
		if got.Store.ID != store.ID || got.Store.Name != "Blue Door Books" {
			t.Errorf("%+v", got)
		}
	}
	p.post(t, support, "{apiKeys{nodes{id}}}", nil).want(t, http.StatusOK, "forbidden")
	p.send(t, request{As: key.Secret, Path: base + "/products"}).want(t, http.StatusOK, "")
	p.send(t, request{As: token, Path: base + "/products"}).want(t, http.StatusUnauthorized, "invalid_token")

	command(t, in.with("staff", "remove", "tom@bluedoor.example")...)
	if list := parse[[]struct{ Email string }](t, command(t, in.with("staff", "list")...)); len(list) != 1 {
		t.Errorf("%+v", list)
	}
	if list := parse[[]struct{ ID string }](t, command(t, in.with("store", "list")...)); len(list) != 1 ||
		list[0].ID != store.ID {
		t.Errorf("%+v", list)
	}
}
