package problem

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
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
			if f.Kind != tc.kind || status != tc.status || Status(f) != tc.status {
				t.Errorf("got %s %d, want %s %d", f.Kind, status, tc.kind, tc.status)
			}
			if f.Kind == fault.Internal && strings.Contains(string(Append(nil, "", f, "")), "SELECT") {
				t.Error("the cause is shown")
			}
		})
	}
}

// TestStatuses is the table of contract section 2 once more, so that a slip in
// the other one is seen.
func TestStatuses(t *testing.T) {
	want := map[fault.Kind]int{
		fault.NotFound: 404, fault.MethodNotAllowed: 405, fault.AuthenticationRequired: 401, fault.InvalidToken: 401,
		fault.InvalidRequest: 400, fault.RateLimited: 429, fault.VersionRetired: 410, fault.InsufficientScope: 403,
		fault.Forbidden: 403, fault.InvalidParameter: 400, fault.IdempotencyKeyRequired: 400, fault.IdempotencyKeyInvalid: 400,
		fault.IdempotencyKeyReused: 409, fault.IdempotencyInProgress: 409, fault.IdempotencyNotSupported: 400,
		fault.PayloadTooLarge: 413, fault.UnsupportedMediaType: 415, fault.MalformedBody: 400, fault.ValidationFailed: 422,
		fault.LinkInvalid: 403, fault.LinkExpired: 403, fault.FileGone: 410, fault.RangeNotSatisfiable: 416,
		fault.Conflict: 409, fault.Unavailable: 503, fault.Internal: 500,
	}
	for kind, status := range want {
		if got := Status(fault.New(kind, "")); got != status {
			t.Errorf("%s: got %d, want %d", kind, got, status)
		}
	}
}

// TestEveryCodeHasARow reads the constants of package fault: those of type Kind
// and those of the group of state codes.
func TestEveryCodeHasARow(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "ent", "fault", "fault.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		state := strings.HasPrefix(group.Doc.Text(), "State codes")
		for _, s := range group.Specs {
			c := s.(*ast.ValueSpec)
			if kind, ok := c.Type.(*ast.Ident); !state && (!ok || kind.Name != "Kind") {
				continue
			}
			code, err := strconv.Unquote(c.Values[0].(*ast.BasicLit).Value)
			if _, ok := byCode[code]; err != nil || !ok {
				t.Errorf("%s (%q) has no row in kinds", c.Names[0], code)
			}
			checked++
		}
	}
	if checked < len(kinds) {
		t.Errorf("found %d codes in package fault, but %d rows", checked, len(kinds))
	}
}

func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		if k.Code == "" || k.Title == "" || !strings.HasSuffix(k.Sentence, ".") || k.Status < 400 || seen[k.Code] {
			t.Errorf("bad row %+v", k)
		}
		if strings.Contains(k.Anchor(), "_") {
			t.Errorf("%s: anchor %s", k.Code, k.Anchor())
		}
		seen[k.Code] = true
	}
	Kinds()[0].Code = "changed"
	if kinds[0].Code == "changed" {
		t.Error("the table can be changed from outside")
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
