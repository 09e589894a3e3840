package problem

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/fault"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestAppend(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    *fault.Error
	}{
		{"validation_failed", fault.Invalid(
			fault.Field{Pointer: "#/price_minor", Code: fault.InvalidType, Detail: "Must be an integer."},
			fault.Field{Pointer: "#/a~1b", Code: fault.UnknownMember, Detail: "Is not known here."},
			fault.Field{Code: fault.InvalidType, Detail: "The body must be a JSON object."})},
		{"invalid_parameter", &fault.Error{Kind: fault.InvalidParameter, Detail: "Bad query.",
			Fields: []fault.Field{{Parameter: "limit", Code: fault.InvalidFormat, Detail: "Must be digits."}}}},
		{"idempotency_key_required", &fault.Error{Kind: fault.IdempotencyKeyRequired, Detail: "Send a key.",
			Fields: []fault.Field{{Header: "Idempotency-Key", Pointer: "#", Code: fault.Required, Detail: "Is missing."}}}},
		{"not_found", fault.Missing("order")},
		{"state", fault.State(fault.OutOfStock, `Only 2 of "MUG" are left.`)},
		{"state_without_row", fault.State("kiln_cold", "The kiln is still cold.")},
		{"internal_error", must(Of(errors.New("dial tcp 10.0.0.1: refused")))},
		{"without_detail", &fault.Error{Kind: fault.Unavailable, Err: errors.New("secret cause")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Append(nil, "https://api.example", tc.f, "req_01")
			path := filepath.Join("testdata", tc.name+".json")
			if *update {
				var pretty any
				_ = json.Unmarshal(got, &pretty)
				text, _ := json.MarshalIndent(pretty, "", "  ")
				if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, want), decode(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func must(f *fault.Error, _ int) *fault.Error { return f }

func decode(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

func TestMemberOrder(t *testing.T) {
	got := string(Append([]byte("x"), "http://h", fault.New(fault.RateLimited, "Slow down."), "req_1"))
	want := `x{"type":"http://h/docs/problems#rate-limited","title":"Too many requests","status":429,"code":"rate_limited",` +
		`"detail":"Slow down.","request_id":"req_1","errors":[]}`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestOf(t *testing.T) {
	missing := fault.Missing("order")
	for _, tc := range []struct {
		name   string
		err    error
		kind   fault.Kind
		status int
	}{
		{"fault", missing, fault.NotFound, 404},
		{"wrapped", fmt.Errorf("load: %w", missing), fault.NotFound, 404},
		{"joined", errors.Join(errors.New("x"), missing), fault.NotFound, 404},
		{"state", fault.State(fault.LastOwner, "x"), fault.Conflict, 409},
		{"unknown state", fault.State("kiln_cold", "x"), fault.Conflict, 409},
		{"state named like another kind", fault.State("not_found", "x"), fault.Conflict, 409},
		{"forbidden", fault.New(fault.Forbidden, "x"), fault.Forbidden, 403},
		{"foreign", errors.New("SELECT secret"), fault.Internal, 500},
		{"unknown kind", fault.New("mystery", "x"), fault.Internal, 500},
		{"nil fault", (*fault.Error)(nil), fault.Internal, 500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, status := Of(tc.err)
			if f.Kind != tc.kind || status != tc.status {
				t.Errorf("got %s %d, want %s %d", f.Kind, status, tc.kind, tc.status)
			}
			if f.Kind == fault.Internal && strings.Contains(string(Append(nil, "", f, "")), "SELECT") {
				t.Error("the cause is shown")
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	f := fault.Invalid(fault.Field{Pointer: "#/price_minor", Code: fault.InvalidType, Detail: "Must be an integer."})
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		Append(buf, "https://api.example", f, "req_01")
	}
}
