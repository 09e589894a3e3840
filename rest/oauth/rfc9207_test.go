package oauth_test

import (
	"testing"
)

func TestRFC9207_2(t *testing.T) {
	w := sqlite(t)
	for _, tc := range []struct {
		name   string
		answer func() *reply
	}{
		{"with a code", func() *reply { return w.answer(w.ada, w.authorize(w.ada).form(), "decision=allow") }},
		{"with a refusal", func() *reply { return w.answer(w.ada, w.authorize(w.ada).form(), "decision=deny") }},
		{"with an error", func() *reply { return w.authorize(nil, "scope=nothing") }},
		{"with an error and no state", func() *reply { return w.authorize(nil, "-state", "response_type=token") }},
		{"whatever iss the request holds", func() *reply {
			return w.authorize(nil, "iss=https://evil.test", "response_type=token")
		}},
	} {
		t.Run("the answer names the issuer: "+tc.name, func(t *testing.T) {
			if q := tc.answer().redirected(callback); len(q["iss"]) != 1 || q.Get("iss") != issuer {
				t.Errorf("iss %q", q["iss"])
			}
		})
	}
}
