package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

// schema is the output of migrate.
type schema struct {
	Database, Current, Failed string
	Pending, Unknown          []string
	Unfinalized               []string
}

// report is the output of doctor.
type report struct {
	Healthy  bool
	Findings []struct{ Check, Grade, Found, Mend string }
}

// grade is how a check of doctor ended.
func (r report) grade(check string) string {
	for _, f := range r.Findings {
		if f.Check == check {
			return f.Grade
		}
	}
	return ""
}

// parse decodes what a command printed with --json.
func parse[T any](t *testing.T, out string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return v
}

// oneLine checks that a failed command has written one line and nothing else.
func oneLine(t *testing.T, code, want int, out, log string) {
	t.Helper()
	if code != want || out != "" || strings.Count(log, "\n") != 1 || !strings.HasPrefix(log, "storefront: ") {
		t.Errorf("exit code %d, want %d and one line:\n%s%s", code, want, out, log)
	}
}

// On MySQL the schema never changes without the operator: serve says what is pending, doctor how to
// repair it, and migrate does it.
func TestMigrate(t *testing.T) {
	storetest.Sequential(t)
	if !storetest.HaveMySQL(t) {
		return
	}
	data, database := t.TempDir(), storetest.EmptyMySQL(t)
	in := place{"--data", data, "--database", database}
	listen := []string{"--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}
	with := func(command string, more ...string) []string {
		return in.with(append(strings.Fields(command), more...)...)
	}

	code, out, log := try(t, with("serve", append(listen, "--log-level", "error")...)...)
	oneLine(t, code, 1, out, log)
	if !strings.Contains(log, "pending") || !strings.Contains(log, "storefront migrate apply") ||
		!strings.Contains(log, "--migrate") {
		t.Errorf("serve does not say how to go on: %s", log)
	}
	code, out, log = try(t, with("store list")...)
	oneLine(t, code, 1, out, log)

	before := parse[schema](t, command(t, with("migrate status", "--json")...))
	if before.Current != "" || len(before.Pending) == 0 || before.Failed != "" {
		t.Errorf("before: %+v", before)
	}
	code, out, _ = try(t, with("doctor", append(listen, "--json")...)...)
	if r := parse[report](t, out); code != 1 || r.Healthy ||
		r.grade("migrations") != "fail" || r.grade("database") != "ok" {
		t.Errorf("doctor before: %d %s", code, out)
	}

	after := parse[schema](t, command(t, with("migrate apply", "--json")...))
	if after.Current != before.Pending[len(before.Pending)-1] || len(after.Pending) != 0 {
		t.Errorf("after: %+v", after)
	}
	if again := parse[schema](t, command(t, with("migrate apply", "--json")...)); again.Current != after.Current {
		t.Errorf("applied again: %+v", again)
	}
	p := start(t, settings{Data: data, Args: []string{"--database", database}})
	p.send(t, request{Path: "/openapi.json"}).want(t, http.StatusOK, "")
	if r := parse[report](t, command(t, with("doctor", append(listen, "--json")...)...)); !r.Healthy ||
		r.grade("migrations") != "ok" || r.grade("clock") != "ok" {
		t.Errorf("doctor after: %+v", r)
	}
}

// The embedded database migrates by itself, and doctor creates nothing.
func TestMigrateSQLite(t *testing.T) {
	data := demoData(t)
	st := parse[schema](t, command(t, "migrate", "status", "--data", data, "--json"))
	if st.Current == "" || len(st.Pending) != 0 || len(st.Unfinalized) != 0 {
		t.Errorf("%+v", st)
	}
	r := parse[report](t, command(t, "doctor", "--data", data, "--addr", "127.0.0.1:0",
		"--admin-addr", "127.0.0.1:0", "--json"))
	for _, check := range []string{"settings", "data", "secret", "database", "migrations", "clock"} {
		if r.grade(check) != "ok" {
			t.Errorf("doctor: %s is %q: %+v", check, r.grade(check), r.Findings)
		}
	}
}
