package wire_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// TestStatuses repeats the table of contract section 2, to catch a mistake in the other one.
func TestStatuses(t *testing.T) {
	want := map[fault.Kind]int{
		fault.NotFound: 404, wire.MethodNotAllowed: 405, wire.RequestTimeout: 408,
		fault.AuthenticationRequired: 401, fault.InvalidToken: 401,
		fault.InvalidRequest: 400, fault.RateLimited: 429, fault.VersionRetired: 410, fault.InsufficientScope: 403,
		fault.Forbidden: 403, fault.SecondFactorRequired: 403, fault.ProofRequired: 403,
		fault.InvalidParameter: 400, fault.IdempotencyKeyRequired: 400,
		fault.IdempotencyKeyInvalid: 400, fault.IdempotencyKeyReused: 409, fault.IdempotencyInProgress: 409,
		fault.IdempotencyNotSupported: 400, fault.PayloadTooLarge: 413, wire.UnsupportedMediaType: 415,
		fault.MalformedBody: 400, fault.ValidationFailed: 422, fault.LinkInvalid: 403, fault.LinkExpired: 403,
		fault.FileGone: 410, wire.RangeNotSatisfiable: 416, fault.Conflict: 409, fault.Unavailable: 503,
		fault.Internal: 500,
	}
	for kind, number := range want {
		if got := wire.StatusOf(fault.New(kind, "")); got != number {
			t.Errorf("%s: got %d, want %d", kind, got, number)
		}
	}
}

// An answer is stored with a key if the same request would get it again: contract, section 3.
func TestLasting(t *testing.T) {
	for _, f := range []*fault.Error{
		fault.New(fault.MalformedBody, ""), fault.Invalid(), fault.Missing("order"), fault.New(fault.Conflict, ""),
		fault.State(fault.OutOfStock, ""), fault.State("kiln_cold", ""),
	} {
		if !wire.Lasting(f) {
			t.Errorf("%s would not be kept", f.Name())
		}
	}
	n := 0
	for _, k := range wire.Problems() {
		if k.Lasting != wire.Lasting(&fault.Error{Kind: fault.Kind(k.Code)}) && k.Status != 409 {
			t.Errorf("%s: the row and its answer differ", k.Code)
		}
		if k.Lasting {
			n++
		}
	}
	if want := 4 + 20; n != want { // the kinds above, and the state codes
		t.Errorf("%d rows are kept, want %d", n, want)
	}
}

func TestProblemOf(t *testing.T) {
	for _, tc := range []struct {
		name   string
		f      *fault.Error
		code   string
		status int
		known  bool
	}{
		{name: "a kind", f: fault.Missing("order"), code: "not_found", status: 404, known: true},
		{name: "a state", f: fault.State(fault.LastOwner, ""), code: "last_owner", status: 409, known: true},
		{name: "a state without a row", f: fault.State("kiln_cold", ""), code: "kiln_cold", status: 409, known: true},
		{name: "a state named like another kind", f: fault.State("not_found", ""), code: "not_found", status: 409,
			known: true},
		{name: "a kind without a row", f: fault.New("mystery", ""), code: "internal_error", status: 500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k, known := wire.ProblemOf(tc.f)
			if k.Code != tc.code || k.Status != tc.status || known != tc.known {
				t.Errorf("got %s %d %v, want %s %d %v", k.Code, k.Status, known, tc.code, tc.status, tc.known)
			}
		})
	}
}

// TestEveryCodeHasARow reads the constants of type Kind, and the state codes.
func TestEveryCodeHasARow(t *testing.T) {
	rows := map[string]bool{}
	for _, k := range wire.Problems() {
		rows[k.Code] = true
	}
	checked := 0
	for _, path := range []string{filepath.Join("..", "..", "..", "ent", "fault", "fault.go"), "status.go"} {
		for name, code := range codes(t, path) {
			if !rows[code] {
				t.Errorf("%s (%q) has no row", name, code)
			}
			checked++
		}
	}
	if checked != len(rows) {
		t.Errorf("found %d codes, but %d rows", checked, len(rows))
	}
}

// codes returns the codes that a file declares, by constant.
func codes(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		state := strings.HasPrefix(group.Doc.Text(), "State codes")
		for _, s := range group.Specs {
			c := s.(*ast.ValueSpec)
			literal, ok := c.Values[0].(*ast.BasicLit)
			if !ok || !state && c.Type == nil {
				continue
			}
			if found[c.Names[0].Name], err = strconv.Unquote(literal.Value); err != nil {
				t.Fatal(err)
			}
		}
	}
	return found
}

func TestProblems(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range wire.Problems() {
		if k.Code == "" || k.Title == "" || !strings.HasSuffix(k.Sentence, ".") || k.Status < 400 || seen[k.Code] {
			t.Errorf("bad row %+v", k)
		}
		if strings.Contains(k.Anchor(), "_") {
			t.Errorf("%s: anchor %s", k.Code, k.Anchor())
		}
		seen[k.Code] = true
	}
	wire.Problems()[0].Code = "changed"
	if wire.Problems()[0].Code == "changed" {
		t.Error("the table can be changed from outside")
	}
}

func TestRetrySeconds(t *testing.T) {
	for d, want := range map[time.Duration]int{
		0: 1, -time.Second: 1, time.Millisecond: 1, time.Second: 1,
		1500 * time.Millisecond: 2, 3 * time.Second: 3, 3*time.Second + 1: 4,
	} {
		if got := wire.RetrySeconds(d); got != want {
			t.Errorf("%s: got %d, want %d", d, got, want)
		}
	}
}
