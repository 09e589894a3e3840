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
			Fields: []fault.Field{
				{Header: "Idempotency-Key", Pointer: "#", Code: fault.Required, Detail: "Is missing."},
			}}},
		{"not_found", fault.Missing("order")},
		{"state", fault.State(fault.OutOfStock, `Only 2 of "MUG" are left.`)},
		{"limit_reached", fault.AtLimit("people", "The limit people is reached: 500 staff of a store.")},
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
	want := `x{"type":"http://h/docs/problems#rate-limited","title":"Too many requests","status":429,` +
		`"code":"rate_limited","detail":"Slow down.","request_id":"req_1","errors":[]}`
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
		{name: "fault", err: missing, kind: fault.NotFound, status: 404},
		{name: "wrapped", err: fmt.Errorf("load: %w", missing), kind: fault.NotFound, status: 404},
		{name: "joined", err: errors.Join(errors.New("x"), missing), kind: fault.NotFound, status: 404},
		{name: "state", err: fault.State(fault.LastOwner, "x"), kind: fault.Conflict, status: 409},
		{name: "unknown state", err: fault.State("kiln_cold", "x"), kind: fault.Conflict, status: 409},
		{name: "state named like another kind", err: fault.State("not_found", "x"), kind: fault.Conflict, status: 409},
		{name: "forbidden", err: fault.New(fault.Forbidden, "x"), kind: fault.Forbidden, status: 403},
		{name: "foreign", err: errors.New("SELECT secret"), kind: fault.Internal, status: 500},
		{name: "unknown kind", err: fault.New("mystery", "x"), kind: fault.Internal, status: 500},
		{name: "nil fault", err: (*fault.Error)(nil), kind: fault.Internal, status: 500},
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
