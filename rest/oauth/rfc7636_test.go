package oauth_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// pkce holds pairs and bad verifiers, created by another program.
type pkce struct {
	Valid []struct {
		Verifier  string `json:"code_verifier"`
		Challenge string `json:"code_challenge"`
	}
	InvalidVerifiers []string `json:"invalid_verifiers"`
}

func vectors(t *testing.T) (v pkce) {
	t.Helper()
	b, err := os.ReadFile("testdata/pkce.json")
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil || len(v.Valid) < 4 || len(v.InvalidVerifiers) < 6 {
		t.Fatalf("vectors: %v, %d and %d", err, len(v.Valid), len(v.InvalidVerifiers))
	}
	return v
}

func TestRFC7636_4_1(t *testing.T) {
	w := sqlite(t)
	for _, bad := range vectors(t).InvalidVerifiers {
		t.Run("a verifier is 43 to 128 unreserved characters: "+bad[:min(len(bad), 45)], func(t *testing.T) {
			want := "invalid_grant"
			if bad == "" {
				want = "invalid_request"
			}
			// The challenge is the one that the bad verifier would have.
			code := w.code("code_challenge=" + challenge(bad))
			w.exchange(code, "code_verifier="+bad).refused(http.StatusBadRequest, want)
		})
	}
}

func TestRFC7636_4_2(t *testing.T) {
	w := sqlite(t)
	for _, v := range vectors(t).Valid {
		t.Run("the challenge is the base64url of the SHA-256: "+v.Challenge, func(t *testing.T) {
			w.exchange(w.code("code_challenge="+v.Challenge), "code_verifier="+v.Verifier).tokens()
		})
	}
	own := challenge(verifier)
	for name, bad := range map[string]string{
		"too short": own[:42], "too long": own + "A", "padded": own + "=", "the other alphabet": "+/" + own[2:],
		"bits that mean nothing": own[:42] + "N", "not of the alphabet": own[:42] + "!",
		"a line break": own[:21] + "\n" + own[21:],
	} {
		t.Run("another form is refused: "+name, func(t *testing.T) {
			if q := w.authorize(w.ada, "code_challenge="+bad).returned(callback); q.Get("error") != "invalid_request" {
				t.Errorf("%v", q)
			}
		})
	}
}

func TestRFC7636_4_3(t *testing.T) {
	w := sqlite(t)
	for _, method := range []string{"-code_challenge_method", "code_challenge_method=", "code_challenge_method=plain",
		"code_challenge_method=s256", "code_challenge_method=S512", "code_challenge_method=S256 plain"} {
		t.Run("S256 is named, since the default is plain: "+method, func(t *testing.T) {
			q := w.authorize(w.ada, method).returned(callback)
			if q.Get("error") != "invalid_request" ||
				!strings.Contains(q.Get("error_description"), "transform algorithm not supported") {
				t.Errorf("%v", q) // the words of section 4.4.1
			}
		})
	}
}

func TestRFC7636_4_4(t *testing.T) {
	w := sqlite(t)
	t.Run("4.4: the challenge is kept with the code", func(t *testing.T) {
		w.code()
		if g := w.grants()[0]; g.CodeChallenge != challenge(verifier) {
			t.Errorf("%s", g.CodeChallenge)
		}
	})
	t.Run("4.4.1: a request without a challenge is refused", func(t *testing.T) {
		for _, change := range []string{"-code_challenge", "code_challenge="} {
			q := w.authorize(w.ada, change).returned(callback)
			if q.Get("error") != "invalid_request" || !strings.Contains(q.Get("error_description"), "code_challenge") {
				t.Errorf("%v", q)
			}
		}
	})
}

func TestRFC7636_4_5(t *testing.T) {
	w := sqlite(t)
	code := w.code()
	w.exchange(code, "-code_verifier").refused(http.StatusBadRequest, "invalid_request")
	w.exchange(code, "code_verifier=").refused(http.StatusBadRequest, "invalid_request")
	w.exchange(code).tokens()
}

func TestRFC7636_4_6(t *testing.T) {
	w := sqlite(t)
	other := strings.Repeat("b", 43)
	t.Run("a verifier that is not behind the challenge is invalid_grant", func(t *testing.T) {
		code := w.code()
		for _, wrong := range []string{other, challenge(verifier), verifier + "A", strings.ToLower(verifier)} {
			w.exchange(code, "code_verifier="+wrong).refused(http.StatusBadRequest, "invalid_grant")
		}
		w.exchange(code).tokens() // a failed first try consumes nothing
	})
	t.Run("verifiers of two codes are not mixed up", func(t *testing.T) {
		one, two := w.code(), w.code("code_challenge="+challenge(other))
		w.exchange(one, "code_verifier="+other).refused(http.StatusBadRequest, "invalid_grant")
		w.exchange(two, "code_verifier="+verifier).refused(http.StatusBadRequest, "invalid_grant")
		w.exchange(one, "code_verifier="+verifier).tokens()
		w.exchange(two, "code_verifier="+other).tokens()
	})
}
