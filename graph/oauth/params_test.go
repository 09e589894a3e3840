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
		{"plain", "code=a&client_id=b", "code", "a", true, true},
		{"encoded", "code=a%2Bb+c%26", "code", "a+b c&", true, true},
		{"empty is absent", "code=", "code", "", true, true},
		{"no value is absent", "code", "code", "", true, true},
		{"nothing", "", "code", "", true, true},
		{"the first of several is kept", "code=a&code=b", "code", "a", false, true},
		{"a repeated empty one is repeated", "code=&code=", "code", "", false, true},
		{"a repeated unknown one is repeated", "x=1&x=1&code=a", "code", "a", false, true},
		{"names are exact", "Code=a", "code", "", true, true},
		{"bad escape", "code=%zz", "", "", false, false},
		{"a semicolon parts nothing", "a=b;code=c", "", "", false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := ParseForm(tc.raw)
			if (err == nil) != tc.ok {
				t.Fatalf("error %v", err)
			}
			if err == nil && (p.Get(tc.param) != tc.want || (p.once() == nil) != tc.once) {
				t.Errorf("%q, once %v", p.Get(tc.param), p.once())
			}
		})
	}
}

func TestParseJSON(t *testing.T) {
	p, err := ParseJSON([]byte(`{"code":"a\u0041 ","client_id":null,"unheard":{"of":[1]},"scope":""}`))
	if err != nil || p.Get("code") != "aA " || p.Get("client_id") != "" || p.Get("scope") != "" || p.Get("unheard") != "" || p.once() != nil {
		t.Errorf("%+v, %v", p, err)
	}
	for name, body := range map[string]string{
		"nothing": "", "a list": "[]", "a text": `"code"`, "a number": `{"code":1}`, "a list of texts": `{"code":["a"]}`, "an object": `{"code":{}}`,
		"true": `{"code":true}`, "twice": `{"code":"a","code":"b"}`, "twice in other letters": "{\"code\":\"a\",\"c\\u006fde\":\"b\"}", "an unknown one twice": `{"x":1,"x":1}`,
		"more behind": `{}{}`, "a comment": `{/**/}`, "bad UTF-8": "{\"code\":\"\xff\"}", "deep": strings.Repeat("[", 40) + strings.Repeat("]", 40),
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

// Every refusal of a parser can be shown (RFC 6749, section 5.2).
func FuzzParams(f *testing.F) {
	f.Add("code=a&code=b", `{"code":"a"}`)
	f.Add("a=%00;b", `{"code":1}`)
	f.Add("&&=&", "\xff")
	f.Fuzz(func(t *testing.T, raw, body string) {
		_, errForm := ParseForm(raw)
		_, errJSON := ParseJSON([]byte(body))
		for _, err := range []error{errForm, errJSON} {
			e, ok := errors.AsType[*Error](err)
			if err != nil && (!ok || e.Code != InvalidRequest || strings.ContainsFunc(e.Description, func(c rune) bool { return c < 0x20 || c > 0x7e || c == '"' || c == '\\' })) {
				t.Errorf("%v", err)
			}
		}
	})
}
