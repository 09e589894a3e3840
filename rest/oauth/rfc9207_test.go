package oauth_test

import (
	"net/url"
	"testing"
)

func TestRFC9207_2(t *testing.T) {
	w := sqlite(t)
	for _, tc := range []struct {
		name   string
		answer func() url.Values
	}{
		{"with a code", func() url.Values {
			return w.answer(w.ada, w.authorize(w.ada).form(), "decision=allow").redirected(callback)
		}},
		{"with a refusal", func() url.Values {
			return w.answer(w.ada, w.authorize(w.ada).form(), "decision=deny").redirected(callback)
		}},
		{"with an error", func() url.Values { return w.authorize(w.ada, "scope=nothing").returned(callback) }},
		{"with an error and no state", func() url.Values {
			return w.authorize(w.ada, "-state", "response_type=token").returned(callback)
		}},
		{"whatever iss the request holds", func() url.Values {
			return w.authorize(w.ada, "iss=https://evil.test", "response_type=token").returned(callback)
		}},
	} {
		t.Run("the answer names the issuer: "+tc.name, func(t *testing.T) {
			if q := tc.answer(); len(q["iss"]) != 1 || q.Get("iss") != issuer {
				t.Errorf("iss %q", q["iss"])
			}
		})
	}
}
