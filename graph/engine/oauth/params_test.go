package oauth

import (
	"errors"
	"strings"
	"testing"
)

func TestParseForm(t *testing.T) {
	for _, tc := range []struct {
		name, raw, param, want string
		once, ok               bool
	}{
		{name: "plain", raw: "code=a&client_id=b", param: "code", want: "a", once: true, ok: true},
		{name: "encoded", raw: "code=a%2Bb+c%26", param: "code", want: "a+b c&", once: true, ok: true},
		{name: "empty is absent", raw: "code=", param: "code", once: true, ok: true},
		{name: "no value is absent", raw: "code", param: "code", once: true, ok: true},
		{name: "nothing", param: "code", once: true, ok: true},
		{name: "the first of several is kept", raw: "code=a&code=b", param: "code", want: "a", ok: true},
		{name: "a repeated empty one is repeated", raw: "code=&code=", param: "code", ok: true},
		{name: "a repeated unknown one is repeated", raw: "x=1&x=1&code=a", param: "code", want: "a", ok: true},
		{name: "names are exact", raw: "Code=a", param: "code", once: true, ok: true},
		{name: "bad escape", raw: "code=%zz"},
		{name: "a semicolon is no separator", raw: "a=b;code=c"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := ParseForm(tc.raw)
			if (err == nil) != tc.ok {
				t.Fatalf("error %v", err)
			}
			if err == nil && (p.Get(tc.param) != tc.want || (p.checkRepeated() == nil) != tc.once) {
				t.Errorf("%q, once %v", p.Get(tc.param), p.checkRepeated())
			}
		})
	}
}

func TestParseJSON(t *testing.T) {
	p, err := ParseJSON([]byte(`{"code":"a\u0041 ","client_id":null,"unheard":{"of":[1]},"scope":""}`))
	if err != nil || p.Get("code") != "aA " || p.Get("client_id") != "" || p.Get("scope") != "" ||
		p.Get("unheard") != "" || p.checkRepeated() != nil {
		t.Errorf("%+v, %v", p, err)
	}
	for name, body := range map[string]string{
		"nothing": "", "a list": "[]", "a text": `"code"`, "a number": `{"code":1}`,
		"a list of texts": `{"code":["a"]}`, "an object": `{"code":{}}`,
		"true": `{"code":true}`, "twice": `{"code":"a","code":"b"}`,
		"twice in other letters": "{\"code\":\"a\",\"c\\u006fde\":\"b\"}", "an unknown one twice": `{"x":1,"x":1}`,
		"more behind": `{}{}`, "a comment": `{/**/}`, "bad UTF-8": "{\"code\":\"\xff\"}",
		"deep": strings.Repeat("[", 40) + strings.Repeat("]", 40),
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := ParseJSON([]byte(body)); err == nil || codeOf(err) != InvalidRequest {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}

func codeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// Every refusal of a parser is a valid error response (RFC 6749, section 5.2).
func FuzzParams(f *testing.F) {
	f.Add("code=a&code=b", `{"code":"a"}`)
	f.Add("a=%00;b", `{"code":1}`)
	f.Add("&&=&", "\xff")
	f.Fuzz(func(t *testing.T, raw, body string) {
		_, errForm := ParseForm(raw)
		_, errJSON := ParseJSON([]byte(body))
		for _, err := range []error{errForm, errJSON} {
			e, ok := errors.AsType[*Error](err)
			if err != nil &&
				(!ok || e.Code != InvalidRequest ||
					strings.ContainsFunc(e.Description,
						func(c rune) bool { return c < 0x20 || c > 0x7e || c == '"' || c == '\\' })) {
				t.Errorf("%v", err)
			}
		}
	})
}
