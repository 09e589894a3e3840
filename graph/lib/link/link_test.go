package link_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/link"
)

const (
	path = "/downloads/exp_01h455vb4pex5vsknk084sn02q/orders-2026-03-01.csv.gz"
	str  = "str_01h455vb4pex5vsknk084sn02r"
)

// now is the time of these tests, on a whole second.
var now = micros.Of(time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC))

func ring(t testing.TB, secrets ...int) *keyring.Ring {
	t.Helper()
	texts := make([]string, len(secrets))
	for i, n := range secrets {
		texts[i] = fmt.Sprintf("secret-%025d", n)
	}
	r, err := keyring.Parse(strings.Join(texts, ","))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// verify verifies an address, split as by a server.
func verify(s *link.Signer, address string, at micros.Time) (map[string]string, error) {
	p, query, _ := strings.Cut(address, "?")
	return s.Verify(p, query, at)
}

func TestSignedAddressVerifies(t *testing.T) {
	s := link.New(ring(t, 1))
	for name, params := range map[string][]string{
		"none":    nil,
		"store":   {"store", str},
		"several": {"theme", "thm_x", "store", str, "empty", ""},
		"odd": {"a b", "c&d=e", "ü?#", "%26signature=x", "plus", "1+1", "line", "a\nb", "signature2",
			"&signature=x"},
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string]string{}
			for i := 0; i < len(params); i += 2 {
				want[params[i]] = params[i+1]
			}
			got, err := verify(s, s.Sign(path, now.Add(time.Minute), params...), now)
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Errorf("error %v, parameters (-want +got):\n%s", err, d)
			}
		})
	}
}

// Computes an address a second time.
func TestForm(t *testing.T) {
	r := ring(t, 1)
	k := r.MACs(keyring.Links)[0]
	signed := fmt.Sprintf("expires=%d&store=%s&note=a+b%%26c", now.Time().Unix()+900, str)
	mac := hmac.New(sha256.New, k.Key[:])
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(path))))
	mac.Write([]byte(path + signed))
	want := path + "?" + signed + "&signature=" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	got := link.New(r).Sign(path, now.Add(15*time.Minute), "store", str, "note", "a b&c")
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	u, err := url.Parse(got)
	if err != nil || u.EscapedPath() != path || u.Query().Get("store") != str || len(u.Query().Get("signature")) != 43 {
		t.Errorf("parsed: %v, %v", u, err)
	}
}

func TestExpiry(t *testing.T) {
	s := link.New(ring(t, 1))
	for _, tc := range []struct {
		name    string
		expires micros.Time
		at      micros.Time
		want    error
	}{
		{name: "before", expires: now, at: now - 1},
		{name: "at", expires: now, at: now, want: link.ErrExpired},
		{name: "after", expires: now, at: now + 1, want: link.ErrExpired},
		{name: "long after", expires: now, at: now.Add(1000 * time.Hour), want: link.ErrExpired},
		{name: "a part of a second does not count", expires: now + 999_999, at: now, want: link.ErrExpired},
		{name: "before 1970", expires: -5_000_000, at: -6_000_000},
		{name: "long before", expires: now},
	} {
		t.Run(tc.name, func(t *testing.T) {
			address := s.Sign(path, tc.expires, "store", str)
			if _, err := verify(s, address, tc.at); !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			// An expired address that was altered is forged: its time does not count.
			if _, err := verify(s, strings.Replace(address, "expires=", "expires=9", 1), tc.at); !errors.Is(err,
				link.ErrForged) {
				t.Errorf("altered: %v, want ErrForged", err)
			}
		})
	}
}

// Each byte replaced by every other byte, removed, duplicated, and each byte inserted at each
// position: always ErrForged.
func TestEveryAlterationIsForged(t *testing.T) {
	s := link.New(ring(t, 1, 2))
	address := s.Sign(path, now.Add(time.Minute), "store", str)
	forged := func(what, altered string) {
		t.Helper()
		if altered == address {
			return
		}
		// Every way to split it, since the caller might find another question mark.
		if got, err := verify(s, altered, now); !errors.Is(err, link.ErrForged) || got != nil {
			t.Fatalf("%s: %v, %v\n%q", what, got, err, altered)
		}
		if i := strings.LastIndexByte(altered, '?'); i >= 0 {
			if _, err := s.Verify(altered[:i], altered[i+1:], now); !errors.Is(err, link.ErrForged) {
				t.Fatalf("%s, split late: %v\n%q", what, err, altered)
			}
		}
	}
	for i := range len(address) + 1 {
		for ch := range 256 {
			b := string([]byte{byte(ch)})
			forged(fmt.Sprintf("%q put in at %d", b, i), address[:i]+b+address[i:])
			if i < len(address) {
				forged(fmt.Sprintf("byte %d as %q", i, b), address[:i]+b+address[i+1:])
			}
		}
		if i < len(address) {
			forged(fmt.Sprintf("byte %d left out", i), address[:i]+address[i+1:])
			forged(fmt.Sprintf("cut at %d", i), address[:i])
		}
	}
}

// Spellings that a lenient parser would consider the same address.
func TestOtherSpellingsAreForged(t *testing.T) {
	s := link.New(ring(t, 1))
	address := s.Sign(path, now.Add(time.Minute), "store", str, "view", "a b")
	p, query, _ := strings.Cut(address, "?")
	signed, signature, _ := strings.Cut(query, "&signature=")
	expires, params, _ := strings.Cut(signed, "&")
	for name, q := range map[string]string{
		"nothing":                "",
		"no signature":           signed,
		"an empty signature":     signed + "&signature=",
		"padded":                 query + "=",
		"a parameter more":       query + "&x=1",
		"a parameter before":     "x=1&" + query,
		"signature first":        "signature=" + signature + "&" + signed,
		"another order":          params + "&" + expires + "&signature=" + signature,
		"the store twice":        signed + "&store=other&signature=" + signature,
		"the expiry twice":       "expires=99999999999&" + query,
		"the signature twice":    query + "&signature=" + signature,
		"two signatures":         signed + "&signature=x&signature=" + signature,
		"percent for a letter":   strings.Replace(query, "store", "%73tore", 1),
		"percent for a plus":     strings.Replace(query, "a+b", "a%20b", 1),
		"percent in a signature": signed + "&signature=%" + fmt.Sprintf("%02X", signature[0]) + signature[1:],
		"semicolons":             strings.ReplaceAll(query, "&", ";"),
		"a leading ampersand":    "&" + query,
		"a trailing ampersand":   query + "&",
		"a doubled ampersand":    strings.Replace(query, "&", "&&", 1),
		"upper case":             strings.ToUpper(query),
		"leading zero":           strings.Replace(query, "expires=", "expires=0", 1),
		"plus sign":              strings.Replace(query, "expires=", "expires=%2B", 1),
		"fragment":               query + "#x",
		"the other base64": signed + "&signature=" + strings.NewReplacer("-", "+", "_", "/").Replace(signature) +
			"=",
		"huge":      query + strings.Repeat("&x=1", 1<<16),
		"line end":  query + "\n",
		"null byte": query + "\x00",
	} {
		if got, err := s.Verify(p, q, now); !errors.Is(err, link.ErrForged) || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, other := range map[string]string{
		"another path": strings.Replace(p, "02q", "02r", 1), "a slash more": p + "/", "a doubled slash": "/" + p,
		"percent for a letter": strings.Replace(p, "orders", "%6Frders", 1), "no path": "", "a dot": "/." + p,
	} {
		if _, err := s.Verify(other, query, now); !errors.Is(err, link.ErrForged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The last of the 43 characters has two spare bits: four texts decode to each signature, and only
// one of them is valid.
func TestSpareBitsOfTheSignature(t *testing.T) {
	s := link.New(ring(t, 1))
	address := s.Sign(path, now.Add(time.Minute))
	want, err := base64.RawURLEncoding.DecodeString(address[len(address)-43:])
	if err != nil {
		t.Fatal(err)
	}
	twins := 0
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for _, ch := range alphabet {
		twin := address[:len(address)-1] + string(ch)
		got, err := base64.RawURLEncoding.DecodeString(twin[len(twin)-43:])
		if err != nil || string(got) != string(want) || twin == address {
			continue
		}
		twins++
		if _, err := verify(s, twin, now); !errors.Is(err, link.ErrForged) {
			t.Errorf("the signature ends in %c too: %v", ch, err)
		}
	}
	if twins != 3 {
		t.Errorf("%d twins of the signature, want 3", twins)
	}
}

// Bytes cannot move between the path and the query, or between parameters.
func TestOneSignatureOneMeaning(t *testing.T) {
	s := link.New(ring(t, 1))
	expires := now.Add(time.Minute)
	distinct := map[string]string{}
	for name, address := range map[string]string{
		"download":           s.Sign("/downloads/a", expires, "store", "b"),
		"preview":            s.Sign("/", expires, "store", "b"),
		"another name":       s.Sign("/downloads/a", expires, "theme", "b"),
		"another value":      s.Sign("/downloads/a", expires, "store", "c"),
		"another time":       s.Sign("/downloads/a", expires.Add(time.Second), "store", "b"),
		"two for one":        s.Sign("/downloads/a", expires, "store", "b", "c", "d"),
		"one that holds two": s.Sign("/downloads/a", expires, "store", "b&c=d"),
		"order":              s.Sign("/downloads/a", expires, "c", "d", "store", "b"),
		"part of the path":   s.Sign("/downloads/aexpires", expires, "store", "b"),
	} {
		signature := address[len(address)-43:]
		if other, ok := distinct[signature]; ok {
			t.Errorf("%s and %s have one signature", name, other)
		}
		distinct[signature] = name
	}
}

func TestRotation(t *testing.T) {
	before, during, after := link.New(ring(t, 1)), link.New(ring(t, 2, 1)), link.New(ring(t, 2))
	expires := now.Add(time.Minute)
	old, young := before.Sign(path, expires, "store", str), during.Sign(path, expires, "store", str)
	for _, tc := range []struct {
		name    string
		s       *link.Signer
		address string
		want    error
	}{
		{name: "old while both are there", s: during, address: old},
		{name: "young while both are there", s: during, address: young},
		{name: "young after the old key left", s: after, address: young},
		{name: "old after the old key left", s: after, address: old, want: link.ErrForged},
		{name: "young before", s: before, address: young, want: link.ErrForged},
	} {
		if _, err := verify(tc.s, tc.address, now); !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

// The keys of other purposes do not sign links.
func TestPurpose(t *testing.T) {
	r := ring(t, 1)
	s := link.New(r)
	signed := fmt.Sprintf("expires=%d", now.Time().Unix()+60)
	for _, purpose := range []string{keyring.Cursors, keyring.Cookies, ""} {
		k := r.MACs(purpose)[0]
		mac := hmac.New(sha256.New, k.Key[:])
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(path))))
		mac.Write([]byte(path + signed))
		q := signed + "&signature=" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
		if _, err := s.Verify(path, q, now); !errors.Is(err, link.ErrForged) {
			t.Errorf("%q: %v", purpose, err)
		}
	}
}

func TestManyGoroutines(t *testing.T) {
	s := link.New(ring(t, 1, 2))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := range 100 {
				p := fmt.Sprintf("/downloads/%d/%d", g, n)
				if _, err := verify(s, s.Sign(p, now.Add(time.Minute), "store", str), now); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// Random parameters are returned unchanged, and no randomly altered address verifies.
func TestRandom(t *testing.T) {
	s := link.New(ring(t, 1))
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		value := make([]byte, r.IntN(40))
		for i := range value {
			value[i] = byte(r.Uint32())
		}
		address := s.Sign(path, now.Add(time.Minute), "v", string(value))
		got, err := verify(s, address, now)
		if err != nil || got["v"] != string(value) {
			t.Fatalf("%q: %q, %v", value, got["v"], err)
		}
		b := []byte(address)
		b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		if _, err := verify(s, string(b), now); !errors.Is(err, link.ErrForged) {
			t.Fatalf("%q: %v", b, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	s := link.New(ring(f, 1))
	address := s.Sign(path, now.Add(time.Minute), "store", str)
	p, query, _ := strings.Cut(address, "?")
	late := s.Sign(path, now.Add(-time.Minute), "store", str)
	_, lateQuery, _ := strings.Cut(late, "?")
	f.Add(p, query)
	f.Add(p, lateQuery)
	f.Add("", "")
	f.Add(p, "expires=&signature=")
	f.Add("/", "expires=9&store=%zz&signature=AAAA")
	f.Fuzz(func(t *testing.T, path, q string) {
		got, err := s.Verify(path, q, now)
		want := link.ErrForged
		switch path + "?" + q {
		case address:
			want = nil
		case late:
			want = link.ErrExpired
		}
		if path != p {
			want = link.ErrForged
		}
		if !errors.Is(err, want) || (err == nil) != (want == nil) || (got == nil) != (err != nil) {
			t.Fatalf("Verify(%q, %q) = %v, %v, want %v", path, q, got, err, want)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	s := link.New(ring(b, 1))
	p, query, _ := strings.Cut(s.Sign(path, now.Add(time.Minute), "store", str), "?")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Verify(p, query, now); err != nil {
			b.Fatal(err)
		}
	}
}
