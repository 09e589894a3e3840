package xid_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

var kinds = []xid.Kind{
	xid.Store, xid.User, xid.APIKey, xid.App, xid.Grant, xid.Token, xid.Product, xid.Customer, xid.Order, xid.OrderLine,
	xid.Payment, xid.Fulfillment, xid.Note, xid.Export, xid.WebhookEndpoint, xid.Event, xid.Delivery, xid.Attempt,
	xid.Theme, xid.ThemeAsset, xid.MarketplaceTheme, xid.Notification, xid.Audit, xid.Request,
	xid.Invitation, xid.Factor, xid.ShippingZone, xid.ShippingRate, xid.Discount, xid.Collection,
}

type vectors struct {
	Valid []struct {
		ID   string `json:"id"`
		UUID string `json:"uuid"`
	} `json:"valid"`
	Invalid []string `json:"invalid"`
}

// readVectors returns the vectors by file: the copy, and the original if it is next to the project.
func readVectors(t testing.TB) map[string]vectors {
	t.Helper()
	read := map[string]vectors{}
	for _, file := range []string{"testdata/id.json", "../../../shared/vectors/id.json"} {
		b, err := os.ReadFile(file)
		if os.IsNotExist(err) && !strings.HasPrefix(file, "testdata/") {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var v vectors
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		if len(v.Valid) == 0 || len(v.Invalid) == 0 {
			t.Fatalf("%s: no vectors", file)
		}
		read[file] = v
	}
	return read
}

func TestVectors(t *testing.T) {
	for file, v := range readVectors(t) {
		t.Run(file, func(t *testing.T) {
			for _, tc := range v.Valid {
				prefix, _, _ := strings.Cut(tc.ID, "_")
				u, err := xid.Kind(prefix).Parse(tc.ID)
				if got := hex.EncodeToString(u[:]); err != nil || got != strings.ReplaceAll(tc.UUID, "-", "") {
					t.Errorf("Parse(%q) = %s, %v, want %s", tc.ID, got, err, tc.UUID)
				}
				if got := xid.Kind(prefix).Format(u); got != tc.ID {
					t.Errorf("Format = %q, want %q", got, tc.ID)
				}
			}
			for _, text := range v.Invalid {
				for _, k := range kinds {
					if u, err := k.Parse(text); !errors.Is(err, xid.ErrMalformed) || u != xid.Nil {
						t.Errorf("%s.Parse(%q) = %s, %v, want malformed", k, text, u, err)
					}
				}
			}
		})
	}
}

func TestKindsMatchContract(t *testing.T) {
	const contract = "str_ usr_ key_ app_ grt_ tok_ prod_ cus_ ord_ oli_ pay_ ful_ note_ exp_ whk_ evt_ dlv_ att_ " +
		"thm_ ast_ mkt_ ntf_ aud_ req_ inv_ fac_ zone_ rate_ dis_ col_"
	var names []string
	for _, k := range kinds {
		names = append(names, string(k)+"_")
	}
	if got := strings.Join(names, " "); got != contract {
		t.Errorf("kinds are %s, want %s", got, contract)
	}
}

func TestParseChecksKind(t *testing.T) {
	u := xid.New()
	for _, k := range kinds {
		for _, other := range kinds {
			got, err := other.Parse(k.Format(u))
			if (err == nil) != (k == other) || err == nil && got != u {
				t.Errorf("%s.Parse of a %s: %s, %v", other, k, got, err)
			}
		}
	}
}

func TestChangedCharacters(t *testing.T) {
	u := xid.New()
	text := xid.Order.Format(u)
	for i := range text {
		for c := range 256 {
			b := []byte(text)
			b[i] = byte(c)
			got, err := xid.Order.Parse(string(b))
			if err == nil && (got == u) != (string(b) == text) {
				t.Errorf("Parse(%q) = %s", b, got)
			}
		}
	}
}

func TestAppendKeepsPrefix(t *testing.T) {
	u := xid.New()
	if got, want := string(xid.Note.Append([]byte("/notes/"), u)), "/notes/"+xid.Note.Format(u); got != want {
		t.Errorf("Append = %q, want %q", got, want)
	}
	if got := "note_" + u.String(); got != xid.Note.Format(u) {
		t.Errorf("String = %q does not end the public form", got)
	}
}

func TestCompareAgreesWithBytesAndText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ids := []xid.ID{{}, {15: 1}, {0: 0x80}, bytesOf(0xff)}
	for range 100 {
		var u xid.ID
		for i := range u {
			u[i] = byte(r.Uint32())
		}
		near := u
		near[r.IntN(len(near))]++
		ids = append(ids, u, near)
	}
	for _, u := range ids {
		for _, v := range ids {
			want := bytes.Compare(u[:], v[:])
			if got := u.Compare(v); got != want {
				t.Errorf("%s.Compare(%s) = %d, want %d", u, v, got, want)
			}
			if got := strings.Compare(u.String(), v.String()); got != want {
				t.Errorf("the texts %s and %s compare as %d, want %d", u, v, got, want)
			}
		}
	}
}

func bytesOf(b byte) (u xid.ID) {
	for i := range u {
		u[i] = b
	}
	return u
}

func TestStoredForm(t *testing.T) {
	u := xid.New()
	v, err := u.Value()
	if b, ok := v.([]byte); err != nil || !ok || !bytes.Equal(b, u[:]) {
		t.Fatalf("Value() = %v, %v, want the 16 bytes", v, err)
	}
	for _, src := range []any{u[:], string(u[:])} {
		var got xid.ID
		if err := got.Scan(src); err != nil || got != u {
			t.Errorf("Scan(%T) = %s, %v", src, got, err)
		}
	}
	for _, src := range []any{nil, int64(1), []byte{}, u[:15], append(u[:], 0), "", u.String(), xid.Order.Format(u)} {
		got := u
		if err := got.Scan(src); err == nil || got != u {
			t.Errorf("Scan(%v) = %v, want an error and no change", src, err)
		}
	}
}

// A driver reuses its buffer for the next row, so the id must be a copy.
func TestScanCopies(t *testing.T) {
	u := xid.New()
	row := slices.Clone(u[:])
	var got xid.ID
	if err := got.Scan(row); err != nil {
		t.Fatal(err)
	}
	clear(row)
	if got != u {
		t.Error("the id changed with the driver's buffer")
	}
}

func TestNil(t *testing.T) {
	if !xid.Nil.IsNil() || xid.New().IsNil() || xid.First(0).IsNil() {
		t.Error("only the zero id is nil")
	}
}

func FuzzParse(f *testing.F) {
	for _, v := range readVectors(f) {
		for _, tc := range v.Valid {
			f.Add(tc.ID)
		}
		for _, text := range v.Invalid {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		prefix, _, _ := strings.Cut(text, "_")
		k := xid.Kind(prefix)
		u, err := k.Parse(text)
		if err != nil {
			if !errors.Is(err, xid.ErrMalformed) || u != xid.Nil {
				t.Fatalf("Parse(%q) = %s, %v", text, u, err)
			}
			return
		}
		if got := k.Format(u); got != text {
			t.Fatalf("Parse(%q), written again: %q", text, got)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		xid.New()
	}
}

func BenchmarkFormat(b *testing.B) {
	u := xid.New()
	b.ReportAllocs()
	for b.Loop() {
		xid.Order.Format(u)
	}
}

func BenchmarkParse(b *testing.B) {
	text := xid.Order.Format(xid.New())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := xid.Order.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

// lastTime is the last microsecond of the year 9999.
var lastTime = micros.Of(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC))

// times returns microseconds around every boundary and random ones.
func times() []micros.Time {
	r := rand.New(rand.NewPCG(3, 4))
	ts := []micros.Time{0, 1, 999, 1000, 1001, math.MaxInt32, 1<<48 - 1, 1 << 48, 1<<52 - 1, 1 << 52, lastTime - 1,
		lastTime}
	for range 5000 {
		ts = append(ts, micros.Time(r.Int64N(int64(lastTime)+1)))
	}
	return ts
}
