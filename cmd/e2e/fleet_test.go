package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

// fleet is the output of status as far as tests read it.
type fleet struct {
	Processes []struct {
		ID, Role, Host, Version string
		PID                     int
		Alive                   bool
	}
	Leases []struct{ Kind, Owner string }
	Shards []struct {
		Shard  string
		Outbox struct{ Waiting int }
	}
}

// Servers and a dispatcher on one database know each other: a key that one revokes is refused by
// the other within two seconds, and each lists all of them.
func TestFleet(t *testing.T) {
	s := either(t)
	s = s.plus("--no-dispatch")
	one := start(t, s)
	two, sends := start(t, s), dispatcher(t, s)
	store := two.demo(t).Stores[0]
	var made struct {
		APIKeyCreate struct {
			Secret string
			APIKey struct{ ID string }
		}
	}
	one.graphql(t, store.StaffToken, `mutation{apiKeyCreate(input:{name:"Short",scopes:["orders.read"]}){secret apiKey{id}}}`,
		nil, &made)
	key := request{As: made.APIKeyCreate.Secret, Path: base + "/orders?limit=1"}
	for _, p := range []*program{one, two} {
		p.send(t, key).want(t, http.StatusOK, "")
	}
	one.graphql(t, store.StaffToken, `mutation($id:ID!){apiKeyRevoke(id:$id){apiKey{revokedAt}}}`,
		map[string]any{"id": made.APIKeyCreate.APIKey.ID}, &struct{}{})
	revoked := time.Now()
	one.send(t, key).want(t, http.StatusUnauthorized, "invalid_token")
	for sent := time.Now(); two.send(t, key).Status == http.StatusOK; sent = time.Now() {
		if late := sent.Sub(revoked); late > 2*time.Second {
			t.Fatalf("a key is good elsewhere %v after it was revoked", late)
		}
		<-time.After(20 * time.Millisecond)
	}

	in := place{"--data", s.Data}
	for i, arg := range s.Args {
		if arg == "--database" {
			in = append(in, arg, s.Args[i+1])
		}
	}
	shown := parse[fleet](t, command(t, in.with("status", "--json")...))
	want := map[int]string{one.cmd.Process.Pid: "server", two.cmd.Process.Pid: "server",
		sends.cmd.Process.Pid: "dispatcher"}
	for _, p := range shown.Processes {
		if p.Role != want[p.PID] || !p.Alive || p.ID == "" || p.Host == "" || p.Version == "" {
			t.Errorf("a process is shown as %+v, want a %q", p, want[p.PID])
		}
		delete(want, p.PID)
	}
	if len(want) > 0 || len(shown.Shards) != storetest.Shards() {
		t.Errorf("not shown: %v; shown: %+v", want, shown)
	}
	code, text := sends.admin(t, "/status")
	if again := parse[fleet](t, text); code != http.StatusOK || len(again.Processes) != 3 {
		t.Errorf("/status answers %d %s", code, text)
	}
	if table := command(t, in.with("status")...); !strings.Contains(table, shown.Processes[0].ID) ||
		!strings.Contains(table, "events in the outbox") {
		t.Errorf("the table lacks something:\n%s", table)
	}
	two.stop(t)
	if left := parse[fleet](t, command(t, in.with("status", "--json")...)); len(left.Processes) != 2 {
		t.Errorf("a process that ended regularly is still listed: %+v", left.Processes)
	}
}
