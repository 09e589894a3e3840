package page_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/page"
)

const urlAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func secret(n int) string { return fmt.Sprintf("secret-%025d", n) }

func ring(t testing.TB, secrets ...string) *keyring.Ring {
	t.Helper()
	r, err := keyring.Parse(strings.Join(secrets, ","))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// store returns the id of a fictitious store.
func store(n byte) xid.ID { return xid.ID{15: n} }

// sample returns a list and a position in it, the same in every run.
func sample() (page.List, page.Position) {
	t := micros.Time(1_772_000_000_123_456)
	u := xid.First(t)
	copy(u[9:], "seven b")
	return page.List{Name: "orders", Store: store(1), Filters: page.Canonical("status", "open")},
		page.Position{Time: t, ID: u}
}

func TestCursorOpens(t *testing.T) {
	c := page.New(ring(t, secret(1)))
	l, at := sample()
	r := rand.New(rand.NewPCG(1, 2))
	positions := []page.Position{at, {}, {Time: math.MaxInt64, ID: xid.ID{0: 0xff}}, {Time: -1}}
	for range 500 {
		positions = append(positions, page.Position{Time: micros.Time(r.Int64()), ID: xid.New()})
	}
	for _, want := range positions {
		text := c.Sign(l, want)
		if len(text) != 56 || strings.Trim(text, urlAlphabet) != "" {
			t.Errorf("cursor %q, want 56 characters of base64url", text)
		}
		if got, ok := c.Open(l, text); !ok || got != want {
			t.Errorf("Open = %v, %v, want %v", got, ok, want)
		}
	}
}

// build computes a cursor a second time, from the description in contract section 4.
func build(version byte, k keyring.MACKey, l page.List, at page.Position) string {
	head := binary.BigEndian.AppendUint64([]byte{version, k.ID}, uint64(at.Time))
	head = append(head, at.ID[:]...)
	mac := hmac.New(sha256.New, k.Key[:])
	for _, part := range [][]byte{
		binary.BigEndian.AppendUint64(nil, uint64(len(l.Name))), []byte(l.Name), l.Store[:],
		binary.BigEndian.AppendUint64(nil, uint64(len(l.Filters))), []byte(l.Filters), head,
	} {
		mac.Write(part)
	}
	return base64.RawURLEncoding.EncodeToString(append(head, mac.Sum(nil)[:16]...))
}

func TestLayout(t *testing.T) {
	rg := ring(t, secret(1))
	c, k := page.New(rg), rg.MACs(keyring.Cursors)[0]
	l, at := sample()
	if got, want := c.Sign(l, at), build(1, k, l, at); got != want {
		t.Errorf("Sign = %s, want %s", got, want)
	}
	for _, version := range []byte{0, 2, 255} {
		if _, ok := c.Open(l, build(version, k, l, at)); ok {
			t.Errorf("a signed cursor of version %d opens", version)
		}
	}
}

// A cursor with any character changed to any other byte is ignored.
func TestEveryChangedCharacterIsAbsent(t *testing.T) {
	c := page.New(ring(t, secret(1), secret(2)))
	l, at := sample()
	text := c.Sign(l, at)
	for i := range text {
		for ch := range 256 {
			if byte(ch) == text[i] {
				continue
			}
			b := []byte(text)
			b[i] = byte(ch)
			if got, ok := c.Open(l, string(b)); ok || got != (page.Position{}) {
				t.Fatalf("character %d as %#02x: %v, %v", i, ch, got, ok)
			}
		}
	}
}

func TestOtherSpellingsAreAbsent(t *testing.T) {
	c := page.New(ring(t, secret(1)))
	l, at := sample()
	text := c.Sign(l, at)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	later := append([]byte{2}, raw[1:]...)
	for name, s := range map[string]string{
		"empty": "", "padded": text + "=", "line end behind": text + "\n",
		"line end within": text[:28] + "\n" + text[28:], "line end for a character": text[:55] + "\n",
		"space before": " " + text, "cut": text[:55], "twice": text + text,
		"hex": fmt.Sprintf("%x", raw), "another version": base64.RawURLEncoding.EncodeToString(later),
		"another alphabet": strings.NewReplacer("-", "+", "_", "/").Replace(text) + "+",
		"zeros":            strings.Repeat("A", 56), "not text": strings.Repeat("\xff", 56),
		"huge": strings.Repeat("A", 1<<16), "percent": "%41" + text[1:],
	} {
		if got, ok := c.Open(l, s); ok || got != (page.Position{}) {
			t.Errorf("%s: %v, %v, want absent", name, got, ok)
		}
	}
}

func TestCursorOfAnotherListIsAbsent(t *testing.T) {
	c := page.New(ring(t, secret(1)))
	l, at := sample()
	text := c.Sign(l, at)
	moved := strings.Repeat("x", 16)
	for name, other := range map[string]page.List{
		"another name":      {Name: "products", Store: l.Store, Filters: l.Filters},
		"another store":     {Name: l.Name, Store: store(2), Filters: l.Filters},
		"no filter":         {Name: l.Name, Store: l.Store},
		"another filter":    {Name: l.Name, Store: l.Store, Filters: page.Canonical("status", "closed")},
		"one filter more":   {Name: l.Name, Store: l.Store, Filters: page.Canonical("status", "open", "sku", "a")},
		"bytes moved over":  {Name: l.Name + l.Filters, Store: l.Store},
		"name and store":    {Name: l.Name + moved, Store: l.Store, Filters: l.Filters},
		"everything absent": {},
	} {
		if _, ok := c.Open(other, text); ok {
			t.Errorf("%s: the cursor opens", name)
		}
	}
}

func TestRotationKeepsOldCursors(t *testing.T) {
	l, at := sample()
	before := page.New(ring(t, secret(1)))
	during := page.New(ring(t, secret(2), secret(1)))
	after := page.New(ring(t, secret(2)))
	old, young := before.Sign(l, at), during.Sign(l, at)
	for _, tc := range []struct {
		name string
		c    *page.Codec
		text string
		want bool
	}{
		{name: "old while both are there", c: during, text: old, want: true},
		{name: "young while both are there", c: during, text: young, want: true},
		{name: "young after the old key left", c: after, text: young, want: true},
		{name: "old after the old key left", c: after, text: old},
		{name: "young before", c: before, text: young},
	} {
		if got, ok := tc.c.Open(l, tc.text); ok != tc.want || ok && got != at {
			t.Errorf("%s: %v, %v, want %v", tc.name, got, ok, tc.want)
		}
	}
}

// Two secrets may share the byte that identifies them; both must verify.
func TestCollidingKeyIDs(t *testing.T) {
	l, at := sample()
	seen := map[byte]string{}
	for n := range 257 {
		s := secret(n)
		kid := ring(t, s).KeyIDs()[0]
		if first, ok := seen[kid]; ok {
			both := page.New(ring(t, first, s))
			if got, ok := both.Open(l, page.New(ring(t, s)).Sign(l, at)); !ok || got != at {
				t.Errorf("the second of two equal ids does not verify")
			}
			return
		}
		seen[kid] = s
	}
	t.Fatal("257 secrets have distinct one-byte ids")
}

// A pooled MAC state is used by one call at a time.
func TestManyGoroutines(t *testing.T) {
	c := page.New(ring(t, secret(1), secret(2)))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			l := page.List{Name: "orders", Store: store(byte(g)), Filters: strings.Repeat("f", g*7)}
			for n := range 300 {
				want := page.Position{Time: micros.Time(n), ID: store(byte(n))}
				if got, ok := c.Open(l, c.Sign(l, want)); !ok || got != want {
					t.Errorf("Open = %v, %v, want %v", got, ok, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

func FuzzOpen(f *testing.F) {
	c := page.New(ring(f, secret(1)))
	l, at := sample()
	signed := c.Sign(l, at)
	for _, s := range []string{signed, "", signed[:55], signed + "=", strings.Repeat("A", 56)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := c.Open(l, text)
		if ok != (text == signed) || ok && got != at || !ok && got != (page.Position{}) {
			t.Fatalf("Open(%q) = %v, %v", text, got, ok)
		}
	})
}

func BenchmarkSign(b *testing.B) {
	c := page.New(ring(b, secret(1)))
	l, at := sample()
	b.ReportAllocs()
	for b.Loop() {
		c.Sign(l, at)
	}
}

func BenchmarkOpen(b *testing.B) {
	c := page.New(ring(b, secret(1)))
	l, at := sample()
	text := c.Sign(l, at)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Open(l, text); !ok {
			b.Fatal("absent")
		}
	}
}
