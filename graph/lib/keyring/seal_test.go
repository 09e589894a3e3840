package keyring_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/keyring"
)

func TestSealOpens(t *testing.T) {
	s := parse(t, secret(1)).Sealer(keyring.Encryption)
	for _, tc := range []struct {
		name       string
		plain, aad []byte
	}{
		{"empty", nil, nil},
		{"short", []byte("x"), []byte("row 1")},
		{"an answer", bytes.Repeat([]byte(`{"id":"prod_"}`), 1000), []byte("row 2")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sealed := s.Seal(tc.plain, tc.aad)
			if len(sealed) != len(tc.plain)+keyring.Overhead {
				t.Errorf("%d bytes, want %d", len(sealed), len(tc.plain)+keyring.Overhead)
			}
			if len(tc.plain) > 8 && bytes.Contains(sealed, tc.plain[:8]) {
				t.Error("the plain text shows")
			}
			got, err := s.Open(sealed, tc.aad)
			if err != nil || !bytes.Equal(got, tc.plain) {
				t.Fatalf("Open = %q, %v", got, err)
			}
			if bytes.Equal(sealed, s.Seal(tc.plain, tc.aad)) {
				t.Error("sealed twice to the same bytes")
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	r := parse(t, secret(1))
	s := r.Sealer(keyring.Encryption)
	aad := []byte("row 1")
	sealed := s.Seal([]byte("a stored answer"), aad)
	refused := func(what string, s *keyring.Sealer, sealed, aad []byte) {
		t.Helper()
		if got, err := s.Open(sealed, aad); !errors.Is(err, keyring.ErrOpen) || got != nil {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	refused("other data", s, sealed, []byte("row 2"))
	refused("no data", s, sealed, nil)
	refused("other purpose", r.Sealer(keyring.Links), sealed, aad)
	refused("other secret", parse(t, secret(2)).Sealer(keyring.Encryption), sealed, aad)
	refused("longer", s, append(bytes.Clone(sealed), 0), aad)
	for n := range sealed {
		refused("shorter", s, sealed[:n], aad)
	}
	for i := range sealed {
		for bit := range 8 {
			b := bytes.Clone(sealed)
			b[i] ^= 1 << bit
			refused("one bit", s, b, aad)
		}
	}
}

func TestOpenAfterRotation(t *testing.T) {
	old := parse(t, secret(1)).Sealer(keyring.Encryption)
	both := parse(t, secret(2), secret(1)).Sealer(keyring.Encryption)
	sealed := old.Seal([]byte("x"), nil)
	if got, err := both.Open(sealed, nil); err != nil || string(got) != "x" {
		t.Errorf("the old secret opens no more: %q, %v", got, err)
	}
	if _, err := old.Open(both.Seal([]byte("x"), nil), nil); !errors.Is(err, keyring.ErrOpen) {
		t.Errorf("the first secret does not encrypt: %v", err)
	}
}

func TestOpenWhenIDsCollide(t *testing.T) {
	a, b := twins(t)
	both := parse(t, a, b).Sealer(keyring.Encryption)
	for _, of := range []string{a, b} {
		sealed := parse(t, of).Sealer(keyring.Encryption).Seal([]byte(of), nil)
		if got, err := both.Open(sealed, nil); err != nil || string(got) != of {
			t.Errorf("a text of one twin does not open: %v", err)
		}
	}
}

// Only sealed texts open, and here they all have the same content.
func FuzzOpen(f *testing.F) {
	s := parse(f, secret(1)).Sealer(keyring.Encryption)
	f.Add(s.Seal([]byte("x"), nil))
	f.Add([]byte(nil))
	f.Add([]byte(strings.Repeat("\x01", keyring.Overhead)))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := s.Open(b, nil)
		if err == nil && string(got) != "x" || err != nil && (got != nil || !errors.Is(err, keyring.ErrOpen)) {
			t.Fatalf("Open(%x) = %q, %v", b, got, err)
		}
	})
}

func FuzzSeal(f *testing.F) {
	s := parse(f, secret(1)).Sealer(keyring.Encryption)
	f.Add([]byte("an answer"), []byte("row 1"), uint(3), byte(1))
	f.Add([]byte(nil), []byte(nil), uint(41), byte(0x80))
	f.Fuzz(func(t *testing.T, plain, aad []byte, at uint, flip byte) {
		sealed := s.Seal(plain, aad)
		if got, err := s.Open(sealed, aad); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("Open = %q, %v, want %q", got, err, plain)
		}
		sealed[at%uint(len(sealed))] ^= flip
		if _, err := s.Open(sealed, aad); (err == nil) != (flip == 0) {
			t.Fatalf("byte %d changed by %#x: %v", at%uint(len(sealed)), flip, err)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	s := parse(b, secret(1)).Sealer(keyring.Encryption)
	plain := bytes.Repeat([]byte("x"), 1024)
	b.ReportAllocs()
	b.SetBytes(int64(len(plain)))
	for b.Loop() {
		s.Seal(plain, nil)
	}
}

func BenchmarkOpen(b *testing.B) {
	s := parse(b, secret(1)).Sealer(keyring.Encryption)
	sealed := s.Seal(bytes.Repeat([]byte("x"), 1024), nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Open(sealed, nil); err != nil {
			b.Fatal(err)
		}
	}
}
