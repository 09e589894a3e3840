package apikey_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/engine/apikey"
)

var kinds = []apikey.Kind{apikey.Key, apikey.Access, apikey.Refresh, apikey.Code, apikey.Staff}

type vectors struct {
	Valid []struct {
		Token  string `json:"token"`
		SHA256 string `json:"sha256"`
	} `json:"valid"`
	Invalid []string `json:"invalid"`
}

// readVectors returns the vectors by file: the copy, and the original if it lies beside the
// project.
func readVectors(t testing.TB) map[string]vectors {
	t.Helper()
	read := map[string]vectors{}
	for _, file := range []string{"testdata/credential.json", "../../../../shared/vectors/credential.json"} {
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
				s, k, ok := apikey.Parse(tc.Token)
				if !ok || string(k) != tc.Token[:4] || s.Reveal() != tc.Token {
					t.Errorf("Parse(%q) = %q, %v", tc.Token, k, ok)
				}
				if h := s.Hash(); hex.EncodeToString(h[:]) != tc.SHA256 {
					t.Errorf("hash of %q = %x, want %s", tc.Token, h, tc.SHA256)
				}
			}
			for _, token := range v.Invalid {
				if s, k, ok := apikey.Parse(token); ok || s != "" || k != "" {
					t.Errorf("Parse(%q) = %q, %v, want refused", token, k, ok)
				}
			}
		})
	}
}

func TestMintedParses(t *testing.T) {
	form := regexp.MustCompile(`^sf[karct]_[0-9A-Za-z]{38}$`)
	seen := map[apikey.Secret]bool{}
	for _, want := range kinds {
		for range 50 {
			s := apikey.Mint(want)
			got, k, ok := apikey.Parse(s.Reveal())
			if !ok || k != want || got != s || !form.MatchString(s.Reveal()) {
				t.Fatalf("Mint(%q) = %q: %q, %v", want, s.Reveal(), k, ok)
			}
			if seen[s] {
				t.Fatal("minted twice")
			}
			seen[s] = true
		}
	}
}

// Every character is equally likely: a byte modulo 62 would give the first eight a quarter more
// than the others, far outside these bounds.
func TestMintIsUnbiased(t *testing.T) {
	counts := map[byte]int{}
	const tokens = 4000
	for range tokens {
		for _, c := range []byte(apikey.Mint(apikey.Key).Reveal()[4:36]) {
			counts[c]++
		}
	}
	if len(counts) != 62 {
		t.Fatalf("%d characters in use, want 62", len(counts))
	}
	const want = tokens * 32 / 62 // about 2,064, standard deviation about 45
	for c, n := range counts {
		if n < want-350 || n > want+350 {
			t.Errorf("%q came %d times, want about %d", c, n, want)
		}
	}
}

// A CRC finds every error within 32 bits, so no change of one character passes.
func TestEveryChangedCharacterIsRefused(t *testing.T) {
	token := readVectors(t)["testdata/credential.json"].Valid[0].Token
	for i := range token {
		for c := range 256 {
			if byte(c) == token[i] {
				continue
			}
			b := []byte(token)
			b[i] = byte(c)
			if _, _, ok := apikey.Parse(string(b)); ok {
				t.Errorf("Parse(%q) accepted", b)
			}
		}
	}
}

func TestHint(t *testing.T) {
	for _, tc := range []struct {
		secret apikey.Secret
		want   string
	}{
		{"sfk_ewxc1ewtpZPGAvLx2PnnY6G3SjBYc75m3QIEyc", "sfk_...c75m"},
		{"sfk_ewxc1ewtpZPGAvLx2PnnY6G3SjBYc75m3QIEy0", ""},
		{"correct horse battery staple", ""},
		{"", ""},
	} {
		if got := apikey.Hint(tc.secret); got != tc.want {
			t.Errorf("Hint(%q) = %q, want %q", tc.secret.Reveal(), got, tc.want)
		}
	}
}

// Printing or encoding a secret, by itself or inside a value, shows nothing of it.
func TestNothingShowsTheText(t *testing.T) {
	s := apikey.Mint(apikey.Access)
	type holder struct {
		Token apikey.Secret
		More  []apikey.Secret
	}
	held := holder{s, []apikey.Secret{s}}
	var shown []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%T %v", "%.10s", "%-60s"} {
		for _, arg := range []any{s, &s, held, &held, map[string]apikey.Secret{"a": s}} {
			if verb == "%T %v" {
				shown = append(shown, fmt.Sprintf(verb, arg, arg))
				continue
			}
			shown = append(shown, fmt.Sprintf(verb, arg))
		}
	}
	for _, v := range []any{s, held, map[string]apikey.Secret{"a": s}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, string(b))
	}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).InfoContext(t.Context(), "x", "token", s, "held", held)
	}
	shown = append(shown, log.String(), s.String(), s.GoString())
	random := s.Reveal()[4:]
	for _, out := range shown {
		if strings.Contains(out, random[:8]) || strings.Contains(out, random[30:]) ||
			strings.Contains(strings.ToLower(out), hex.EncodeToString([]byte(random[:8]))) {
			t.Errorf("the text shows in %q", out)
		}
	}
	if v, err := s.Value(); err == nil || v != nil {
		t.Errorf("Value() = %v, %v, want an error", v, err)
	}
}

func TestParseAndHashAllocateNothing(t *testing.T) {
	token := apikey.Mint(apikey.Key).Reveal()
	if n := testing.AllocsPerRun(100, func() {
		s, _, ok := apikey.Parse(token)
		if h := s.Hash(); !ok || h == [32]byte{} {
			t.Fatal("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, v := range readVectors(f) {
		for _, tc := range v.Valid {
			f.Add(tc.Token)
		}
		for _, token := range v.Invalid {
			f.Add(token)
		}
	}
	f.Fuzz(func(t *testing.T, token string) {
		s, k, ok := apikey.Parse(token)
		if !ok {
			if s != "" || k != "" || apikey.Hint(apikey.Secret(token)) != "" {
				t.Fatalf("refused %q, yet gave %q", token, k)
			}
			return
		}
		if s.Reveal() != token || len(token) != 42 || !strings.HasPrefix(token, string(k)) {
			t.Fatalf("Parse(%q) = %q, %q", token, s.Reveal(), k)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	token := apikey.Mint(apikey.Key).Reveal()
	b.ReportAllocs()
	for b.Loop() {
		apikey.Parse(token)
	}
}

func BenchmarkHash(b *testing.B) {
	s := apikey.Mint(apikey.Key)
	b.ReportAllocs()
	for b.Loop() {
		s.Hash()
	}
}
