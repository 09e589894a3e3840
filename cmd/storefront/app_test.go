package main

import (
	"slices"
	"strings"
	"testing"
)

// The commands take an app through its whole life.
func TestAppCommands(t *testing.T) {
	c := newCLI(t)
	var made shop
	c.decode(&made, "store", "create", "Kite", "--currency", "EUR", "--owner-email", "ana@kite.example")
	var a client
	c.decode(&a, "app", "create", "Sync", "--redirect-uri", "https://sync.example/cb?a=1,2", "--redirect-uri",
		"com.sync:/cb", "--scope", "orders.read,products.write", "--scope", "themes.read")
	if len(a.ClientID) < 26 || a.Developer != "Kite" || a.Website != nil || a.Version != 1 ||
		!slices.Equal(a.RedirectURIs, []string{"https://sync.example/cb?a=1,2", "com.sync:/cb"}) ||
		!slices.Equal(a.Scopes, []string{"orders.read", "products.write", "themes.read"}) {
		t.Errorf("made %+v", a)
	}
	for _, step := range []struct {
		args []string
		want func(client) bool
	}{
		{[]string{"update", a.ID, "--name", "Sync 2", "--website", "https://sync.example"},
			func(c client) bool {
				return c.Name == "Sync 2" && *c.Website == "https://sync.example" && len(c.Scopes) == 3
			}},
		{[]string{"update", a.ID, "--website", "", "--scope", "orders.read", "--redirect-uri", "http://127.0.0.1/"},
			func(c client) bool {
				return c.Website == nil && slices.Equal(c.Scopes, []string{"orders.read"}) &&
					slices.Equal(c.RedirectURIs, []string{"http://127.0.0.1/"})
			}},
		{[]string{"disable", a.ID}, func(c client) bool { return c.DisabledAt != nil }},
		{[]string{"enable", a.ID}, func(c client) bool { return c.DisabledAt == nil }},
		{[]string{"legacy", "on", a.ID}, func(c client) bool { return c.Legacy }},
		{[]string{"show", a.ID}, func(c client) bool { return c.Legacy && c.Version == 6 && c.ClientID == a.ClientID }},
	} {
		var got client
		if c.decode(&got, append([]string{"app"}, step.args...)...); !step.want(got) {
			t.Errorf("%v: %+v", step.args, got)
		}
	}
	var list []client
	if c.decode(&list, "app", "list"); len(list) != 1 || list[0].ID != a.ID {
		t.Errorf("list %+v", list)
	}
	if o := c.run("app", "list"); !strings.Contains(o.out, a.ClientID) {
		t.Errorf("%+v", o)
	}
	for _, line := range []string{"app enable " + a.ID, "app show app_x",
		"app create X --redirect-uri http://localhost/ --scope orders.read",
		"app create X --redirect-uri https://x.example/ --scope all", "app update " + a.ID + " --scope all"} {
		if o := c.run(strings.Fields(line)...); o.code != exitFailed || strings.Count(o.err, "\n") != 1 || o.out != "" {
			t.Errorf("%s: %+v", line, o)
		}
	}
}
