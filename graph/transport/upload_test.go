package transport

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// large returns the archive of a theme of more than 2 MiB.
func large(t testing.TB) string {
	t.Helper()
	noise, pixels := rand.NewChaCha8([32]byte{1}), image.NewNRGBA(image.Rect(0, 0, 800, 800))
	if _, err := noise.Read(pixels.Pix); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, pixels); err != nil {
		t.Fatal(err)
	}
	return graphtest.Archived(t, graphtest.Tiny(t, "Large", map[string]string{"assets/photo.png": b.String()}))
}

const importTheme = `mutation($in: ThemeImportInput!) { themeImport(input: $in) { theme { id name status } ` +
	`userErrors { code message path } } }`

func importArchive(f *graphtest.Endpoint, token, archive string, headers ...string) graphtest.Answer {
	f.T.Helper()
	return f.Query(token, importTheme, map[string]any{"in": map[string]any{"archive": archive}}, headers...)
}

// A theme of more than a MiB is accepted with the scope of the field; its slot is released in any
// case.
func TestUpload(t *testing.T) {
	archive := large(t)
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.ThemesWrite)
		for range maxUploads + 1 {
			if a := importArchive(f, key, archive).Ok(); a.At("themeImport", "theme", "status") != "PROCESSING" {
				t.Errorf("imported: %s", a.Body)
			}
		}
		importArchive(f, staffToken(f, viewer.Developer), archive).Ok()
		damaged := importArchive(f, key, archive[:len(archive)-4000]).Ok()
		if errs, _ := damaged.At("themeImport", "userErrors").([]any); len(errs) == 0 ||
			!bytes.Contains(damaged.Body, []byte(`"path":["input","archive"]`)) {
			t.Errorf("a damaged archive: %s", damaged.Body)
		}
		if a := importArchive(f, keyFor(f, scope.ThemesRead), archive); a.Status != 413 ||
			code(a) != "payload_too_large" {
			t.Errorf("without the scope: %d %s", a.Status, a.Body)
		}
		if a := importArchive(f, key, strings.Repeat("A", maxUpload)); a.Status != 413 {
			t.Errorf("beyond the limit: %d", a.Status)
		}
		if a := importArchive(f, key,
			strings.Repeat("A", base64.StdEncoding.EncodedLen(appearance.MaxArchive)+4)).Ok(); !bytes.Contains(a.Body,
			[]byte("too_long")) {
			t.Errorf("an archive beyond the limit: %s", a.Body)
		}
		checkFree(t, f.HTTP.(*handler).uploads)
	})
}

// JSON may escape slashes with a backslash, as PHP does.
func TestUploadEscaped(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	body := graphtest.Must[[]byte](t)(json.Marshal(map[string]any{"query": importTheme,
		"variables": map[string]any{"in": map[string]any{"archive": large(t)}}}))
	a := f.Send(http.MethodPost, f.URL, keyFor(f, scope.ThemesWrite), strings.ReplaceAll(string(body), "/", `\/`)).Ok()
	if a.At("themeImport", "theme", "name") != "Large" {
		t.Errorf("imported: %s", a.Body)
	}
}

// A body beyond the common limit must be a single import.
func TestUploadOfOthers(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key, text := keyFor(f, scope.ThemesWrite, scope.ProductsWrite), strings.Repeat("A", 2<<20)
	for name, body := range map[string]any{
		"a query": map[string]any{"query": "{ themes { nodes { id } } }", "x": text},
		"a product": map[string]any{"query": createProduct,
			"variables": map[string]any{"in": map[string]any{"title": text, "priceMinor": 1, "currency": "EUR"}}},
		"two imports": map[string]any{"query": `mutation($a: ThemeImportInput!) { a: themeImport(input: $a) { theme { id } } b: themeImport(input: $a) { theme { id } } }`, "variables": map[string]any{"a": map[string]any{"archive": text}}},
		"an import and more": map[string]any{"query": `mutation($a: ThemeImportInput!) { themeImport(input: $a) { theme { id } } themeRename(id: "thm_1", name: "x") { theme { id } } }`,
			"variables": map[string]any{"a": map[string]any{"archive": text}}},
		"no variable": map[string]any{"query": `mutation { themeImport(input: {archive: "` + text +
			`"}) { theme { id } } }`},
		"many values": map[string]any{"query": importTheme,
			"variables": map[string]any{"in": map[string]any{"archive": "AAAA"}}, "x": make([]int, 1<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			if a := f.Send(http.MethodPost, f.URL, key,
				string(graphtest.Must[[]byte](t)(json.Marshal(body)))); a.Status != 413 ||
				code(a) != "payload_too_large" {
				t.Errorf("%d %.300s", a.Status, a.Body)
			}
		})
	}
	checkFree(t, f.HTTP.(*handler).uploads)
}

// A body without a length is accepted and may be cut off.
func TestUploadChunked(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	body := graphtest.Must[[]byte](t)(json.Marshal(map[string]any{"query": importTheme,
		"variables": map[string]any{"in": map[string]any{"archive": large(t)}}}))
	for _, tc := range []struct {
		name   string
		body   io.Reader
		status int
	}{
		{"whole", io.MultiReader(bytes.NewReader(body)), 200},
		{"half", io.MultiReader(bytes.NewReader(body[:len(body)/2])), 400},
		{"endless", io.MultiReader(bytes.NewReader(body[:1<<20]), strings.NewReader(strings.Repeat("A", maxUpload))),
			413},
	} {
		r := graphtest.Must[*http.Request](t)(http.NewRequestWithContext(t.Context(), http.MethodPost, f.URL, tc.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+keyFor(f, scope.ThemesWrite))
		res := graphtest.Must[*http.Response](t)(http.DefaultClient.Do(r))
		res.Body.Close()
		if res.StatusCode != tc.status {
			t.Errorf("%s: %d, want %d", tc.name, res.StatusCode, tc.status)
		}
	}
}

// An import with a key runs once; its refusals are stored too.
func TestUploadReplayed(t *testing.T) {
	archive := large(t)
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.ThemesWrite)
		for name, archive := range map[string]string{"good": archive, "bad": archive[:len(archive)-4000]} {
			first, again := importArchive(f, key, archive, keyHeader, name).Ok(),
				importArchive(f, key, archive, keyHeader, name).Ok()
			if !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s: %s, then %s", name, first.Body, again.Body)
			}
		}
		if n := graphtest.Must[int](t)(f.Store.DB(f.Ctx).Theme.Query().Count(f.Ctx)); n != 1 {
			t.Errorf("%d themes", n)
		}
	})
}

// The archive of an import with a key is validated before the transaction: the mutation uses the
// result, wherever in the request the archive was.
func TestUploadIsValidatedFirst(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	h, archive := f.HTTP.(*handler), graphtest.Archived(t, graphtest.Tiny(t, "Linen", nil))
	const member = `themeImport(input: {archive: %s}) { userErrors { message } }`
	for name, p := range map[string]parameters{
		"an input": {query: importTheme, variables: map[string]any{"in": map[string]any{"archive": archive}}},
		"a variable": {query: fmt.Sprintf("mutation($a: String!) { "+member+" }", "$a"),
			variables: map[string]any{"a": archive}},
		"a literal": {query: fmt.Sprintf("mutation { "+member+" }", `"`+archive+`"`)},
	} {
		t.Run(name, func(t *testing.T) {
			o, errs := h.prepare(p)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			h.validateUpload(f.Ctx, o)
			if o.judged == nil || o.judged.Err != nil || o.judged.Package.Manifest.Name != "Linen" {
				t.Fatalf("judged: %+v", o.judged)
			}
			o.judged = &theme.Judged{Err: &theme.Problems{List: []theme.Problem{{Detail: "Not to our taste."}}}}
			if done, _ := h.execute(f.Ctx, o); !bytes.Contains(done.data, []byte("Not to our taste.")) {
				t.Errorf("answered %s %v", done.data, done.errors)
			}
		})
	}
}

// Reading a large body takes little more memory than the body and its text.
func TestUploadMemory(t *testing.T) {
	text := strings.Repeat("A", 13<<20)
	body := fmt.Appendf(nil, `{"query":%q,"variables":{"in":{"archive":%q}}}`, importTheme, text)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := parse(body, true)
	runtime.ReadMemStats(&after)
	if err != nil || len(p.variables) != 1 {
		t.Fatal(err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("it took %d bytes", took)
	}
}

const addImage = `mutation($in: ProductImageAddInput!) { productImageAdd(input: $in) { image { id width url position } ` +
	`product { version images { id } image { id } } userErrors { code path } } }`

// An image of more than a MiB is accepted with the scope of products; with a key it is added once.
func TestUploadImage(t *testing.T) {
	noise, pixels := rand.NewChaCha8([32]byte{2}), image.NewNRGBA(image.Rect(0, 0, 800, 600))
	if _, err := noise.Read(pixels.Pix); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, pixels); err != nil {
		t.Fatal(err)
	}
	content := base64.StdEncoding.EncodeToString(b.Bytes())
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.ProductsWrite)
		made := f.Query(key, createProduct, map[string]any{"in": map[string]any{"title": "Mug", "priceMinor": 1,
			"currency": "EUR"}}).Ok()
		id := made.At("productCreate", "product", "id")
		add := func(token, content string, headers ...string) graphtest.Answer {
			return f.Query(token, addImage,
				map[string]any{"in": map[string]any{"productId": id, "content": content}}, headers...)
		}
		first := add(key, content, "Idempotency-Key", "one").Ok()
		again := add(key, content, "Idempotency-Key", "one").Ok()
		if first.At("productImageAdd", "image", "width") != float64(800) || !bytes.Equal(first.Body, again.Body) {
			t.Errorf("%s\nand again %s", first.Body, again.Body)
		}
		second := add(staffToken(f, viewer.Developer), content).Ok()
		images, _ := second.At("productImageAdd", "product", "images").([]any)
		if len(images) != 2 || second.At("productImageAdd", "image", "position") != float64(2) ||
			second.At("productImageAdd", "product", "image", "id") != first.At("productImageAdd", "image", "id") {
			t.Errorf("%s", second.Body)
		}
		damaged := add(key, content[:len(content)-4000], "Idempotency-Key", "two").Ok()
		if !bytes.Contains(damaged.Body, []byte(`"path":["input","content"]`)) {
			t.Errorf("a damaged one: %s", damaged.Body)
		}
		for name, a := range map[string]graphtest.Answer{
			"without the scope": add(keyFor(f, scope.ProductsRead), content),
			"beyond the limit":  add(key, strings.Repeat("A", maxImage)),
		} {
			if a.Status != 413 {
				t.Errorf("%s: %d", name, a.Status)
			}
		}
		if a := add(key, strings.Repeat("A", 28_000_000)).Ok(); !bytes.Contains(a.Body, []byte("too_long")) {
			t.Errorf("a file beyond the limit: %.200s", a.Body)
		}
		checkFree(t, f.HTTP.(*handler).uploads)
	})
}
