package keyring_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// secret returns a distinct root secret of the minimum length.
func secret(n int) string { return fmt.Sprintf("secret-%025d", n) }

func parse(t testing.TB, secrets ...string) *keyring.Ring {
	t.Helper()
	r, err := keyring.Parse(strings.Join(secrets, ","))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// twins returns two secrets whose keys share their id.
func twins(t testing.TB) (a, b string) {
	t.Helper()
	seen := map[byte]string{}
	for n := range 257 { // one more than there are ids
		s := secret(n)
		id := parse(t, s).KeyIDs()[0]
		if first, ok := seen[id]; ok {
			return first, s
		}
		seen[id] = s
	}
	t.Fatal("257 secrets have distinct one-byte ids")
	return "", ""
}

func TestParse(t *testing.T) {
	a, b := secret(1), secret(2)
	for _, tc := range []struct {
		name, list string
		keys       int
		refusal    string
	}{
		{name: "one", list: a, keys: 1},
		{name: "two", list: a + "," + b, keys: 2},
		{name: "space around", list: " \t" + a + " ,\n" + b + "\r\n", keys: 2},
		{name: "the same twice", list: a + "," + b + "," + a, keys: 2},
		{name: "text beyond ASCII counts bytes", list: strings.Repeat("é", 16), keys: 1},
		{name: "empty", refusal: "empty"},
		{name: "blank", list: " \n", refusal: "empty"},
		{name: "31 bytes", list: a[:31], refusal: "secret 1: 31 bytes"},
		{name: "31 bytes and space", list: a[:31] + "   ", refusal: "secret 1: 31 bytes"},
		{name: "the second too short", list: a + ",short", refusal: "secret 2: 5 bytes"},
		{name: "comma at the end", list: a + ",", refusal: "secret 2: 0 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := keyring.Parse(tc.list)
			if tc.refusal != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refusal) {
					t.Fatalf("error %v, want %q", err, tc.refusal)
				}
				if strings.Contains(err.Error(), "short") || strings.Contains(err.Error(), a[:12]) {
					t.Errorf("%v quotes a secret", err)
				}
				return
			}
			if err != nil || len(r.MACs(keyring.Cursors)) != tc.keys {
				t.Fatalf("%v, want %d keys", err, tc.keys)
			}
		})
	}
}

func TestMACKeysAreDistinctAndStable(t *testing.T) {
	r := parse(t, secret(1), secret(2))
	seen := map[[keyring.KeyLen]byte]string{}
	for _, purpose := range []string{keyring.Cursors, keyring.Links, keyring.Cookies, keyring.Encryption} {
		for i, k := range r.MACs(purpose) {
			use := fmt.Sprint(purpose, " ", i)
			if other, ok := seen[k.Key]; ok {
				t.Errorf("%s and %s share a key", use, other)
			}
			seen[k.Key] = use
			if k.ID != r.KeyIDs()[i] {
				t.Errorf("%s: id %d, want %d", use, k.ID, r.KeyIDs()[i])
			}
		}
	}
	// Neither the position in the list nor a restart changes a key.
	turned := parse(t, secret(2), secret(1)).MACs(keyring.Links)
	if k := r.MACs(keyring.Links); k[0] != turned[1] || k[1] != turned[0] {
		t.Error("the keys depend on the order of the list")
	}
}

// Stored data depend on the derivation: changing it would silently invalidate every cursor, link
// and sealed text.
func TestDerivationIsPinned(t *testing.T) {
	r := parse(t, "0123456789abcdef0123456789abcdef")
	got := map[string]string{"id": hex.EncodeToString(r.KeyIDs())}
	for _, purpose := range []string{keyring.Cursors, keyring.Links, keyring.Cookies} {
		k := r.MACs(purpose)[0]
		got[purpose] = hex.EncodeToString(k.Key[:])
	}
	want := map[string]string{
		"id":            "66",
		keyring.Cursors: "2be999e23f741bf29b053919944d268e4d5ad22bafd351b517fd1d4119580af2",
		keyring.Links:   "ffd62933aa571120d02bf8b0b70fc36cba823e204e738e5676ccb89853b756a0",
		keyring.Cookies: "3c9747670dfb2ea1d93d2a2f2862f16aa055232178c16e6c220393682bfd0146",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
}

func TestKeysAreNotPrinted(t *testing.T) {
	r := parse(t, secret(7))
	key := r.MACs(keyring.Cursors)[0]
	values := []any{r, key, &key, r.MACs(keyring.Links), r.Sealer(keyring.Encryption)}
	var out strings.Builder
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).InfoContext(t.Context(), "x", "ring", r, "key", key, "sealer", values[4])
	out.WriteString(log.String())
	for _, bad := range []string{
		secret(7), hex.EncodeToString([]byte(secret(7))[:8]), hex.EncodeToString(key.Key[:8]),
		fmt.Sprintf("%d %d %d", key.Key[0], key.Key[1], key.Key[2]), "block",
	} {
		if strings.Contains(strings.ToLower(out.String()), bad) {
			t.Errorf("%q shows", bad)
		}
	}
}
