package intake_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/intake"
)

// read returns all records of a file. Unless each is 0, it opens the file anew after as many.
func read(t testing.TB, file string, each int) (records []*intake.Record, err error) {
	t.Helper()
	return readKind(t, state.ImportProducts, file, each)
}

func readKind(t testing.TB, kind state.ImportKind, file string, each int) (records []*intake.Record, err error) {
	t.Helper()
	f, err := intake.Sniff([]byte(file[:min(len(file), intake.HeadBytes)]), kind, "EUR")
	if err != nil {
		return nil, err
	}
	at, lines := f.Start()
	r := f.Open(strings.NewReader(file[at:]), at, lines)
	for n := 1; ; n++ {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return records, err
		}
		records = append(records, rec)
		if each > 0 && n%each == 0 {
			at, lines = r.Position()
			r = f.Open(strings.NewReader(file[at:]), at, lines)
		}
	}
}

// one returns the members of the only record of a file, and its notes.
func one(t *testing.T, file string) (members map[string]any, rec *intake.Record) {
	t.Helper()
	all, err := read(t, file, 0)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d records, %v", len(all), err)
	}
	if all[0].JSON != nil {
		if err := json.Unmarshal(all[0].JSON, &members); err != nil {
			t.Fatal(err)
		}
	}
	return members, all[0]
}

func TestSources(t *testing.T) {
	size := []any{map[string]any{"name": "Size", "values": []any{"S", "M"}}}
	unit := func(sku, value string, price float64) map[string]any {
		return map[string]any{"sku": sku, "options": []any{value}, "price_minor": price}
	}
	for _, tc := range []struct {
		name, file string
		want       map[string]any
	}{
		{"own", "\ufeffhandle;title;price_minor;tags;options\nmug;'=1+1;1250;\"[\"\"a\"\"]\";[]\n",
			map[string]any{"handle": "mug", "title": "=1+1", "price_minor": 1250.0, "tags": []any{"a"},
				"options": []any{}}},
		{"shopify", "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Status\r\n" +
			"mug,Mug,Size,S,M-S,12.50,active\r\nmug,,,M,M-M,13.00,\r\n",
			map[string]any{"handle": "mug", "title": "Mug", "status": "active", "options": size,
				"variants": []any{unit("M-S", "S", 1250), unit("M-M", "M", 1300)}}},
		{"woocommerce", "ID,Type,SKU,Name,Published,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)\n" +
			"7,variable,M,Mug,1,,,Size,\"S, M\"\n8,variation,M-S,,1,12.50,id:7,Size,S\n" +
			"9,variation,M-M,,1,13,M,Size,M\n",
			map[string]any{"external_reference": "7", "title": "Mug", "status": "active", "options": size,
				"variants": []any{unit("M-S", "S", 1250), unit("M-M", "M", 1300)}}},
		{"medusa", "Product Handle,Product Title,Product Status,Variant SKU,Variant Price USD,Variant Price EUR," +
			"Variant Option 1 Name,Variant Option 1 Value\nmug,Mug,published,M-S,99,12.50,Size,S\n" +
			"mug,Mug,published,M-M,99,13.00,Size,M\n",
			map[string]any{"handle": "mug", "title": "Mug", "status": "active", "options": size,
				"variants": []any{unit("M-S", "S", 1250), unit("M-M", "M", 1300)}}},
		{"unknown", "Name\tPrice\tSlug\nMug\t12.50\tmug\n",
			map[string]any{"handle": "mug", "title": "Mug", "price_minor": 1250.0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, rec := one(t, tc.file)
			if diff := cmp.Diff(tc.want, got); diff != "" || rec.Problem != "" {
				t.Errorf("%s (-want +got):\n%s", rec.Problem, diff)
			}
		})
	}
}

func addresses(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("https://a.example/%d.jpg", i))
	}
	return list
}

// TestImages: images keep the order of the file, each once, and variants name theirs.
func TestImages(t *testing.T) {
	image := func(id, url string, alt ...string) any {
		m := map[string]any{"id": id, "url": "https://a.example/" + url}
		if len(alt) > 0 {
			m["alt"] = alt[0]
		}
		return m
	}
	const a, b, c = "https://a.example/a", "https://a.example/b", "https://a.example/c"
	for _, tc := range []struct {
		name, file  string
		want, shown []any
	}{
		{name: "shopify", file: "Handle,Title,Option1 Name,Option1 Value,Variant Price,Image Src,Image Position," +
			"Image Alt Text,Variant Image\nmug,Mug,Size,S,1," + b + ",2,Back," + c +
			"\nmug,,,M,1," + a + ",1,Front," + a +
			"\nmug,,,,," + b + ",2,,\n",
			want:  []any{image("1", "a", "Front"), image("2", "b", "Back"), image("3", "c")},
			shown: []any{"3", "1"}},
		{name: "woocommerce", file: "ID,Type,SKU,Name,Regular price,Parent,Images,Attribute 1 name," +
			"Attribute 1 value(s)\n7,variable,M,Mug,,,\"" + a + ", " + b + "\",Size,\"S, M\"\n" +
			"8,variation,M-S,,1,id:7," + c + ",Size,S\n9,variation,M-M,,1,M,,Size,M\n",
			want: []any{image("1", "a"), image("2", "b"), image("3", "c")}, shown: []any{"3", nil}},
		{name: "medusa", file: "Product Handle,Product Title,Product Thumbnail,Product Image 1,Product Image 2\n" +
			"mug,Mug," + a + "," + a + "," + b + "\n", want: []any{image("1", "a"), image("2", "b")}},
		{name: "own", file: "handle,images\n" +
			"mug,\"[{\"\"id\"\":\"\"img_1\"\",\"\"url\"\":\"\"" + a + "\"\",\"\"alt\"\":null},\"\"" +
			b + "\"\"]\"\n", want: []any{image("img_1", "a"), image("2", "b")}},
		{name: "commas", file: "handle,images\nmug,\"" + a + ",w=1," + b + "\"\n",
			want: []any{image("1", "a,w=1"), image("2", "b")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, rec := one(t, tc.file)
			if diff := cmp.Diff(any(tc.want), got["images"]); diff != "" || rec.Problem != "" {
				t.Errorf("%s (-want +got):\n%s", rec.Problem, diff)
			}
			variants, _ := got["variants"].([]any)
			for i, want := range tc.shown {
				if shown := variants[i].(map[string]any)["image"]; shown != want {
					t.Errorf("variant %d shows %v, want %v", i, shown, want)
				}
			}
		})
	}
}

// TestNotes: what cannot be imported whole is clipped, and said.
func TestNotes(t *testing.T) {
	const head = "Handle,Title,Body (HTML),Variant Price,Variant Barcode,Tags,Image Src,Variant Inventory Tracker," +
		"Variant Inventory Qty,Variant Inventory Policy,SEO Title\n"
	for _, tc := range []struct{ name, row, want string }{
		{"title", "mug," + strings.Repeat("x", 300) + ",,1,,,,,,,", "title is shortened"},
		{"handle", "Größe,Mug,,1,,,,,,,", "replaced"},
		{"barcode", "mug,Mug,,1,123,,,,,,", "not a GTIN"},
		{"images", "mug,Mug,,1,,," + strings.Join(addresses(25), "|") + ",,,,", "1 images above 24"},
		{"image", "mug,Mug,,1,,,ftp://a/1,,,,", "no https"},
		{"html", "mug,Mug,<img src=x>,1,,,,,,,", "images in the description"},
		{"oversold", "mug,Mug,,1,,,,shopify,3,continue,", "not tracked"},
		{"negative", "mug,Mug,,1,,,,shopify,-3,deny,", "3 units too few"},
		{"tags", "mug,Mug,,1,," + strings.Repeat("x", 80) + ",,,,,", "tag is shortened"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, rec := one(t, head+tc.row+"\n")
			if rec.JSON == nil || !strings.Contains(strings.Join(rec.Notes, " "), tc.want) {
				t.Errorf("%q, %q", rec.Problem, rec.Notes)
			}
		})
	}
	f, err := intake.Sniff([]byte(head), state.ImportProducts, "EUR")
	if err != nil || !cmp.Equal(f.Ignored(), []string{"SEO Title"}) {
		t.Errorf("ignored: %v, %v", f.Ignored(), err)
	}
}

func TestProblems(t *testing.T) {
	const head = "handle,title,price,gift_card,status,option1_name,option1_value\n"
	for _, tc := range []struct{ name, file, want string }{
		{"price", head + "a,A,\"1,5\",,,,", "is not an amount"},
		{"gift card", head + "a,A,1,yes,,,", "Gift cards"},
		{"status", head + "a,A,1,,sold,,", "is not active"},
		{"twins", head + "a,A,1,,,,\na,A,2,,,,", "no option"},
		{"no value", head + "a,A,1,,,Size,", "is missing"},
		{"cells", head + "a,A,1,,,,,,,", "more cells"},
		{"quote", head + "a,\"b\"c,1,,,,", "cannot be read"},
		{"latin", head + "a,Caf\xe9,1,,,,", "not UTF-8"},
		{"json", "handle,options\na,[", "valid JSON"},
		{"long line", `{"a":"` + strings.Repeat("x", limit.Body) + `"}`, "1 MiB"},
		{"garbled line", "{\"a\":\"\xff\"}", "not UTF-8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, rec := one(t, tc.file); rec.JSON != nil || !strings.Contains(rec.Problem, tc.want) {
				t.Errorf("%q", rec.Problem)
			}
		})
	}
}

func TestRefusedFiles(t *testing.T) {
	for name, file := range map[string]string{
		"empty": " \n", "zip": "PK\x03\x04x", "gzip": "\x1f\x8bx", "UTF-16": "\xff\xfea\x00", "NUL": "a,b\x00",
		"columns": strings.Repeat("a,", 1e6), "quoted header": `"` + strings.Repeat("a", intake.HeadBytes),
		"open quotation mark": "handle,title\na,\"" + strings.Repeat("b", 3*limit.Body),
		"many rows":           "handle,title\n" + strings.Repeat("a,b\n", 5*limit.Variants),
	} {
		_, err := read(t, file, 0)
		if _, ok := errors.AsType[*intake.FormatError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUse(t *testing.T) {
	f, err := intake.Sniff([]byte("Artikel,Preis\nMug,12.50\n"), state.ImportProducts, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	err = f.Use([]intake.Column{{Name: "Artikel", Member: "title"}, {Name: "Preis", Member: "price"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []intake.Column{{"Artikel", "title", []string{"Mug"}}, {"Preis", "price", []string{"12.50"}}}
	if diff := cmp.Diff(want, f.Columns); diff != "" || f.Source != intake.Unknown {
		t.Errorf("%s: %s", f.Source, diff)
	}
	for _, m := range []intake.Column{{Name: "Preis", Member: "title"}, {Name: "Preis", Member: "x"}, {Name: "x"}} {
		if f.Use([]intake.Column{m}) == nil {
			t.Errorf("%v was accepted", m)
		}
	}
}

// TestResume: a reader that begins anew after any record reads the same.
func TestResume(t *testing.T) {
	csv, lines := "handle,title,price,option1_name,option1_value\n\n", "\n"
	for i := range 20 {
		csv += fmt.Sprintf("p%d,\"A\nb\",1,Size,S\np%d,,1,,M\n\n,,,,\n", i, i)
		lines += fmt.Sprintf("{\"handle\":\"p%d\"}\n\n", i)
	}
	for _, file := range []string{csv, lines, strings.ReplaceAll(csv, "\n", "\r")} {
		want, err := read(t, file, 0)
		if err != nil || len(want) != 20 || want[0].Line == want[1].Line {
			t.Fatal(len(want), err)
		}
		for _, each := range []int{1, 3} {
			got, err := read(t, file, each)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("anew after %d: %v\n%s", each, err, diff)
			}
		}
		for _, r := range want {
			if part := file[r.Start:r.End]; !strings.Contains(part, r.Name) || strings.Count(part, "{") > 1 {
				t.Errorf("%s is at %q", r.Name, part)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"handle,title\na,b\n", "{\"handle\":\"a\"}\n", "Handle,Variant Price\na,1\na,2\n",
		"ID,Type,Name,Regular price,Parent\n1,variable,A,,\n2,variation,,1,id:1\n", "\ufeffa;b\n\"c\r\nd\";e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		whole, err := read(t, file, 0)
		again, errAgain := read(t, file, 1)
		if err == nil && errAgain == nil && len(whole) != len(again) {
			t.Fatalf("%d records, and %d one by one", len(whole), len(again))
		}
		var end int64
		for _, r := range whole {
			if r.Start < end || r.End < r.Start || r.End > int64(len(file)) || (r.JSON == nil) == (r.Problem == "") {
				t.Fatalf("%+v after %d of %d", r, end, len(file))
			}
			if end = r.End; r.JSON != nil && file[0] != '{' && !json.Valid(r.JSON) &&
				bytes.Contains(r.JSON, []byte("\n")) {
				t.Fatalf("%s", r.JSON)
			}
		}
	})
}
