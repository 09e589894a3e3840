package rest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// with returns the body of a draft with members set or, if nil, removed.
func with(members map[string]any) string {
	m := map[string]any{"title": "Cup", "price_minor": 1, "currency": "EUR"}
	maps.Copy(m, members)
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	b, _ := json.Marshal(m)
	return string(b)
}

// price returns the body of a draft with a literal price.
func price(n string) string { return `{"title":"Cup","currency":"EUR","price_minor":` + n + `}` }

func TestMalformedBodies(t *testing.T) {
	s, m := sqlite(t)
	for name, body := range map[string]string{
		"not JSON": "title=Cup", "cut": `{"title":"Cup"`, "space": " ",
		"comma": `{"title":"Cup",}`, "single quotes": `{'title':'Cup'}`,
		"comment": `{"title":"Cup"/**/}`, "duplicate": `{"title":"Cup","price_minor":1,"currency":"EUR","title":"Cup"}`,
		"duplicate by escape": `{"title":"Cup","price_minor":1,"currency":"EUR","t\u0069tle":"Cup"}`,
		"duplicate inside":    `{"title":"Cup","price_minor":1,"currency":"EUR","tags":[{"a":1,"a":1}]}`,
		"trailing":            draft("Cup") + "x", "two": draft("Cup") + draft("Cup"),
		"trailing comma": draft("Cup") + ",", "BOM": "\ufeff" + draft("Cup"), "UTF-16": "{\x00}\x00",
		"bad UTF-8": "{\"title\":\"C\xff\"}", "bad UTF-8 in a name": "{\"\xc3\x28\":1}",
		"overlong": "{\"title\":\"\xc0\xaf\"}", "surrogate in UTF-8": "{\"title\":\"\xed\xa0\x80\"}",
		"lone surrogate": `{"title":"\ud800"}`, "reversed surrogates": `{"title":"\udc00\ud800"}`,
		"surrogate and text": `{"title":"\ud83dx"}`, "raw control": "{\"title\":\"a\tb\"}",
		"raw NUL": "{\"title\":\"a\x00\"}", "NUL behind": draft("Cup") + "\x00",
		"plus": price("+1"), "leading zero": price("01"), "dot": price(".5"),
		"dot behind": price("1."), "hex": price("0x1"), "NaN": price("NaN"),
		"infinity": price("Infinity"), "true in capitals": price("TRUE"),
		"33 deep": strings.Repeat("[", 33) + strings.Repeat("]", 33), "100,000 deep": strings.Repeat("[", 100_000),
		"33 deep inside": price(strings.Repeat("[", 32) + strings.Repeat("]", 32)),
	} {
		t.Run(name, func(t *testing.T) {
			a := s.do(t, request{As: m.all, Method: "POST", Path: "/products", Body: body}).
				want(http.StatusBadRequest, "malformed_body")
			if len(a.problem().Errors) > 0 {
				t.Errorf("errors: %s", a.Body)
			}
		})
	}
	if got := len(s.do(t, request{As: m.all, Path: "/products"}).list().Data); got != 0 {
		t.Errorf("refused writes created %d products", got)
	}
}

// Faults that follow from a member that could not be read are not listed beside its own.
func TestInvalidLines(t *testing.T) {
	s, m := sqlite(t)
	for _, tc := range []struct {
		name, lines string
		want        []string
	}{
		{"not a list", `5`, []string{"#/lines invalid_type"}},
		{"one of two that exclude each other", `[{"sku":"x","set":"1"}]`,
			[]string{"#/lines/0/set invalid_type"}},
		{"an unknown one instead", `[{"sku":"x","sett":1}]`,
			[]string{"#/lines/0/delta required", "#/lines/0/sett unknown_member"}},
		{"other lines", `[{"sku":"x","set":"1"},{"sku":"x","set":-1},{"sku":"x"}]`,
			[]string{"#/lines/0/set invalid_type", "#/lines/1/set out_of_range", "#/lines/2/delta required"}},
		{"a line that is none", `[1,{"sku":"x","set":-1}]`, []string{"#/lines/0 invalid_type"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := s.do(t, request{As: m.all, Method: "POST", Path: "/inventory/adjustments",
				Body: `{"lines":` + tc.lines + `}`}).want(http.StatusUnprocessableEntity, "validation_failed")
			if diff := cmp.Diff(tc.want, slices.Sorted(slices.Values(a.problem().places()))); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidBodies(t *testing.T) {
	s, m := sqlite(t)
	long := func(n int) string { return strings.Repeat("😀", n) }
	for _, tc := range []struct {
		name, body string
		want       []string
	}{
		{"null", "null", []string{"# invalid_type"}},
		{"array", "[]", []string{"# invalid_type"}},
		{"text", `"x"`, []string{"# invalid_type"}},
		{"number", `1`, []string{"# invalid_type"}},
		{"32 deep", strings.Repeat("[", 32) + strings.Repeat("]", 32), []string{"# invalid_type"}},
		{"32 deep inside", price(strings.Repeat("[", 31) + strings.Repeat("]", 31)),
			[]string{"#/price_minor invalid_type"}},
		{"nothing", "", []string{"#/title required", "#/price_minor required", "#/currency required"}},
		{"nulls", `{"title":null,"price_minor":null,"currency":null}`,
			[]string{"#/title required", "#/price_minor required", "#/currency required"}},
		{"price as text", price(`"15"`), []string{"#/price_minor invalid_type"}},
		{"price of 1.5", price("1.5"), []string{"#/price_minor invalid_type"}},
		{"price of 1e-1", price("1e-1"), []string{"#/price_minor invalid_type"}},
		{"price of a hair more", price("1.00000000000000000000000001"), []string{"#/price_minor invalid_type"}},
		{"price of 2^53", price("9007199254740992"), []string{"#/price_minor out_of_range"}},
		{"price of 2^63", price("9223372036854775808"), []string{"#/price_minor out_of_range"}},
		{"price of 2^64+1", price("18446744073709551617"), []string{"#/price_minor out_of_range"}},
		{"price of -1", price("-1"), []string{"#/price_minor out_of_range"}},
		{"price of 1e400", price("1e400"), []string{"#/price_minor out_of_range"}},
		{"price of 1e999999999999", price("1e999999999999"), []string{"#/price_minor out_of_range"}},
		{"price of 1e-400", price("1e-400"), []string{"#/price_minor invalid_type"}},
		{"price of true", price("true"), []string{"#/price_minor invalid_type"}},
		{"unknown", with(map[string]any{"titel": 1, "a/b~c": 1, "": 1}),
			[]string{"#/ unknown_member", "#/a~1b~0c unknown_member", "#/titel unknown_member"}},
		{"read-only", with(map[string]any{"id": productID, "status": "active"}),
			[]string{"#/id unknown_member", "#/status unknown_member"}},
		{"import", with(map[string]any{"created_at": "2020-01-01T00:00:00Z"}), []string{"#/created_at unknown_member"}},
		{"case", with(map[string]any{"Title": "x"}), []string{"#/Title unknown_member"}},
		{"empty title", with(map[string]any{"title": ""}), []string{"#/title too_short"}},
		{"blank title", with(map[string]any{"title": " \u00a0\u3000"}), []string{"#/title too_short"}},
		{"title of 256", with(map[string]any{"title": long(256)}), []string{"#/title too_long"}},
		{"title with a line", with(map[string]any{"title": "a\nb"}), []string{"#/title invalid_format"}},
		{"title with a tab", with(map[string]any{"title": "a\tb"}), []string{"#/title invalid_format"}},
		{"title with NUL", with(map[string]any{"title": "a\x00b"}), []string{"#/title invalid_format"}},
		{"title with DEL", with(map[string]any{"title": "a\x7f"}), []string{"#/title invalid_format"}},
		{"title with C1", with(map[string]any{"title": "a\u0085"}), []string{"#/title invalid_format"}},
		{"description with escape", with(map[string]any{"description": "a\x1b[0m"}),
			[]string{"#/description invalid_format"}},
		{"description of 65,536", with(map[string]any{"description": strings.Repeat("x", 65536)}),
			[]string{"#/description too_long"}},
		{"currency unknown", with(map[string]any{"currency": "XYZ"}), []string{"#/currency unknown_value"}},
		{"currency with a space", with(map[string]any{"currency": "EUR "}), []string{"#/currency unknown_value"}},
		{"currency empty", with(map[string]any{"currency": ""}), []string{"#/currency unknown_value"}},
		{"currency with a long s", with(map[string]any{"currency": "u\u017fd"}), []string{"#/currency unknown_value"}},
		{"handle empty", with(map[string]any{"handle": ""}), []string{"#/handle too_short"}},
		{"handle of 121", with(map[string]any{"handle": strings.Repeat("a", 121)}), []string{"#/handle too_long"}},
		{"handle in capitals", with(map[string]any{"handle": "Cup"}), []string{"#/handle invalid_format"}},
		{"handle with a space", with(map[string]any{"handle": "a b"}), []string{"#/handle invalid_format"}},
		{"handle with a path", with(map[string]any{"handle": "../a"}), []string{"#/handle invalid_format"}},
		{"51 tags", with(map[string]any{"tags": many(51, "t")}), []string{"#/tags too_long"}},
		{"tag of 65", with(map[string]any{"tags": []string{"a", long(65)}}), []string{"#/tags/1 too_long"}},
		{"blank tag", with(map[string]any{"tags": []string{"", " "}}),
			[]string{"#/tags/0 too_short", "#/tags/1 too_short"}},
		{"tags of all types", with(map[string]any{"tags": []any{1, nil, "a", []int{}}}),
			[]string{"#/tags/0 invalid_type", "#/tags/1 invalid_type", "#/tags/3 invalid_type"}},
		{"tags as text", with(map[string]any{"tags": "a"}), []string{"#/tags invalid_type"}},
		{"sku of 256", with(map[string]any{"sku": long(256)}), []string{"#/sku too_long"}},
		{"vendor of 256", with(map[string]any{"vendor": long(256)}), []string{"#/vendor too_long"}},
		{"type of 256", with(map[string]any{"product_type": long(256)}), []string{"#/product_type too_long"}},
		{"compare at -1", with(map[string]any{"compare_at_price_minor": -1}),
			[]string{"#/compare_at_price_minor out_of_range"}},
		{"stock of 2^31", with(map[string]any{"inventory_quantity": 1 << 31}),
			[]string{"#/inventory_quantity out_of_range"}},
		{"stock of -1", with(map[string]any{"inventory_quantity": -1}), []string{"#/inventory_quantity out_of_range"}},
		{"stock as text", with(map[string]any{"inventory_quantity": "1"}),
			[]string{"#/inventory_quantity invalid_type"}},
		{"everything at once", `{"title":" ","price_minor":"1","currency":5,"sku":true,"tags":["",1],` +
			`"image_url":"http://x.example","colour":"red","inventory_quantity":-1}`,
			[]string{"#/colour unknown_member", "#/currency invalid_type", "#/image_url invalid_format",
				"#/inventory_quantity out_of_range", "#/price_minor invalid_type", "#/sku invalid_type",
				"#/tags/0 too_short", "#/tags/1 invalid_type", "#/title too_short"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := s.do(t, request{As: m.all, Method: "POST", Path: "/products", Body: tc.body}).
				want(http.StatusUnprocessableEntity, "validation_failed")
			want, got := slices.Sorted(slices.Values(tc.want)), slices.Sorted(slices.Values(a.problem().places()))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
	for _, address := range []string{"", "x", "http://a.example/x", "//a.example/x", "https://", "https:///x",
		"https:a.example", "ftp://a.example", "javascript:alert(1)",
		"https://user:secret@a.example/", "https://a.example/a b", "https://a.example/\n", " https://a.example",
		"https://a.example:port/", "https://[::1", "https://a.example/%zz",
		"https://a.example/" + strings.Repeat("x", 2048)} {
		a := s.do(t, request{
			As: m.all, Method: "POST", Path: "/products", Body: with(map[string]any{"image_url": address}),
		})
		if a.want(422, "validation_failed"); !strings.HasPrefix(strings.Join(a.problem().places(), " "),
			"#/image_url ") {
			t.Errorf("image_url %q: %s", address, a.Body)
		}
	}
	if got := len(s.do(t, request{As: m.all, Path: "/products"}).list().Data); got != 0 {
		t.Errorf("refused writes created %d products", got)
	}
}

func many(n int, s string) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(s, i))
	}
	return list
}

func TestGoodBodies(t *testing.T) {
	bodies := map[string]string{
		"1.0": price("1.0"), "1e3": price("1e3"), "1E+3": price("1E+3"), "10e-1": price("10e-1"), "0": price("0"),
		"-0": price("-0"), "0e9": price("0e999999"), "2^53-1": price("9007199254740991"),
		"2^53-1 and zeros":    price("9007199254740991.000"),
		"escapes":             `{"titl\u0065":"\u0043up \ud83d\ude00","price_minor":1,"currency":"\u0045UR"}`,
		"space":               "\r\n\t " + draft("Cup") + " \n",
		"title of 255":        with(map[string]any{"title": strings.Repeat("😀", 255)}),
		"combining":           with(map[string]any{"title": "e\u0301"}),
		"right to left":       with(map[string]any{"title": "كوب \u200f"}),
		"markup":              with(map[string]any{"title": `<script>"'&</script>`}),
		"no letters":          with(map[string]any{"title": "😀😀"}),
		"50 tags":             with(map[string]any{"tags": many(50, strings.Repeat("é", 60))}),
		"tag of 64":           with(map[string]any{"tags": []string{strings.Repeat("😀", 64)}}),
		"no tags":             with(map[string]any{"tags": []string{}}),
		"description":         with(map[string]any{"description": strings.Repeat("😀", 65534) + "\n"}),
		"handle of 120":       with(map[string]any{"handle": strings.Repeat("a-", 60)}),
		"lower-case currency": with(map[string]any{"currency": "eur"}),
		"another currency":    with(map[string]any{"currency": "KWD"}),
		"stock":               with(map[string]any{"inventory_quantity": 1<<31 - 1}),
		"address":             with(map[string]any{"image_url": "https://xn--bcher-kva.example:8443/%C3%BC?q#f"}),
		"texts of 255": with(map[string]any{"sku": strings.Repeat("😀", 255), "vendor": strings.Repeat("😀", 255),
			"product_type": strings.Repeat("😀", 255)}),
		"spaces around": with(map[string]any{"title": " Cup ", "sku": " a ", "vendor": "a ", "tags": []string{" a"}}),
		"long address":  with(map[string]any{"image_url": "https://a.example/" + strings.Repeat("x", 2048-18)}),
	}
	each(t, func(t *testing.T, s *server, m *shop) {
		for name, body := range bodies {
			t.Run(name, func(t *testing.T) {
				// The document's validator supports fewer regular expressions and numbers than JSON
				// Schema.
				made := s.do(t, request{As: m.all, Method: "POST", Path: "/products", Body: body, Free: true})
				p := made.product()
				again := s.do(t, request{As: m.all, Path: "/products/" + p.ID})
				if string(again.Body) != string(made.Body) {
					t.Errorf("read again: %s, made %s", again.Body, made.Body)
				}
				if p.Status != "draft" || p.Version != 1 || p.Tags == nil || p.Currency != strings.ToUpper(p.Currency) {
					t.Errorf("got %+v", p)
				}
				var sent product
				if json.Unmarshal([]byte(body), &sent); sent.Title != p.Title { // nothing is trimmed
					t.Errorf("title %q, sent %q", p.Title, sent.Title)
				}
			})
		}
	})
}

// TestHandles: generated handles never clash; a given handle may.
func TestHandles(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		post := func(body string) *answer {
			return s.do(t, request{As: m.all, Method: "POST", Path: "/products", Body: body})
		}
		for _, tc := range []struct{ title, want string }{
			{"Café Crème – 2 für 1!", "cafe-creme-2-fur-1"}, {"😀", "product"}, {"--a--", "a"},
			{strings.Repeat("ab ", 80), strings.TrimSuffix(strings.Repeat("ab-", 40), "-")},
		} {
			if got := post(with(map[string]any{"title": tc.title})).product().Handle; got != tc.want {
				t.Errorf("%q: handle %q, want %q", tc.title, got, tc.want)
			}
			again := post(with(map[string]any{"title": tc.title})).product()
			if end := again.ID[len(again.ID)-6:]; !strings.HasSuffix(again.Handle, "-"+end) || len(again.Handle) > 120 {
				t.Errorf("%q again: handle %q of %s", tc.title, again.Handle, again.ID)
			}
		}
		post(with(map[string]any{"handle": "mine"})).product()
		if got := post(with(map[string]any{"handle": "mine"})).want(422, "validation_failed").problem().
			places(); !slices.Equal(got, []string{"#/handle taken"}) {
			t.Errorf("taken: %v", got)
		}
		other := newShop(t, s.store, shopRow{})
		s.do(t, request{As: other.all, Method: "POST", Path: "/products",
			Body: with(map[string]any{"handle": "mine"})}).product()
	})
}

func TestBodySize(t *testing.T) {
	s, m := sqlite(t)
	pad := func(n int) string { b := draft("Cup"); return b + strings.Repeat(" ", n-len(b)) }
	post := func(body string) *answer {
		return s.do(t, request{As: m.all, Method: "POST", Path: "/products", Body: body})
	}
	post(pad(1<<20)).want(http.StatusCreated, "")
	post(pad(1<<20+1)).want(http.StatusRequestEntityTooLarge, "payload_too_large")
	chunked := func(r *http.Request) {
		r.ContentLength, r.Body = -1, io.NopCloser(io.LimitReader(strings.NewReader(strings.Repeat("[", 2<<20)), 2<<20))
	}
	s.do(t, request{As: m.all, Method: "POST", Path: "/products", Edit: chunked, Free: true}).
		want(http.StatusRequestEntityTooLarge, "payload_too_large")
	s.do(t, request{As: m.all, Method: "POST", Path: "/products", Free: true, Edit: func(r *http.Request) {
		r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(draft("Chunked")))
	}}).want(http.StatusCreated, "")
}

func TestMediaTypes(t *testing.T) {
	s, m := sqlite(t)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, draft("Cup"))
	z.Close()
	for _, tc := range []struct {
		media, encoding, body string
		status                int
		code                  string
	}{
		{media: "application/json", body: draft("a"), status: 201},
		{media: "application/json; charset=utf-8", body: draft("a"), status: 201},
		{media: "Application/JSON;charset=UTF-8", body: draft("a"), status: 201},
		{media: "application/json", encoding: "identity", body: draft("a"), status: 201},
		{body: draft("a"), status: 415, code: "unsupported_media_type"},
		{media: "text/plain", body: draft("a"), status: 415, code: "unsupported_media_type"},
		{media: "application/x-www-form-urlencoded", body: "title=a", status: 415, code: "unsupported_media_type"},
		{media: "multipart/form-data; boundary=x", body: draft("a"), status: 415, code: "unsupported_media_type"},
		{media: "application/problem+json", body: draft("a"), status: 415, code: "unsupported_media_type"},
		{media: "application/jsonx", body: draft("a"), status: 415, code: "unsupported_media_type"},
		{media: "json", body: draft("a"), status: 415, code: "unsupported_media_type"},
		{media: "application/json, text/plain", body: draft("a"), status: 415, code: "unsupported_media_type"},
		{media: "application/json", encoding: "gzip", body: zipped.String(), status: 415,
			code: "unsupported_media_type"},
		{media: "application/json", encoding: "br", body: draft("a"), status: 415, code: "unsupported_media_type"},
		{status: 422, code: "validation_failed"}, // an empty body may have any media type
		{media: "text/plain", status: 422, code: "validation_failed"},
	} {
		t.Run(tc.media+tc.encoding, func(t *testing.T) {
			s.do(t, request{As: m.all, Method: "POST", Path: "/products", Body: tc.body,
				Header: map[string]string{"Content-Type": tc.media, "Content-Encoding": tc.encoding}}).
				want(tc.status, tc.code)
		})
	}
}
