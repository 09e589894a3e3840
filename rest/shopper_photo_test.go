package rest_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// secret is in the metadata of [photo].
const secret = "48.8584N 2.2945E"

// photo returns a JPEG with a place in its metadata.
func photo(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30)), nil); err != nil {
		t.Fatal(err)
	}
	marker := append([]byte{0xff, 0xe1, 0, byte(len(secret) + 8)}, "Exif\x00\x00"+secret...)
	return bytes.Join([][]byte{b.Bytes()[:2], marker, b.Bytes()[2:]}, nil)
}

// withPhotos returns the form of a return of one item with photos, and its content type.
func withPhotos(t *testing.T, line string, photos ...[]byte) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, pair := range [][2]string{{line, "1"}, {"reason", "damaged"}, {"note", "Broken <b>bell</b>"}} {
		if err := w.WriteField(pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range photos {
		part, err := w.CreateFormFile("photos", `../"a".html`)
		if err == nil {
			_, err = part.Write(p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// TestReturnPhotos: a shopper adds photos to a return without scripts. A refused photo keeps what they typed, the
// place of a photo is removed, and only staff of the store read it.
func TestReturnPhotos(t *testing.T) {
	var core *graph.Resolver
	b, m, link := returning(t, func(c *rest.Config) { core = c.Core })
	form := link + "/return"
	b.get(form).want(http.StatusOK, form, `enctype="multipart/form-data"`, `type="file" multiple`)
	line := regexp.MustCompile(`quantity\.oli_\w+`).FindString(b.body)
	var animation bytes.Buffer
	dot := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black})
	if err := gif.Encode(&animation, dot, nil); err != nil {
		t.Fatal(err)
	}
	good := photo(t)
	large := append(bytes.Clone(good), make([]byte, limit.PhotoBytes)...)
	for name, photos := range map[string][][]byte{
		"a text": {[]byte("<script>alert(1)</script>")}, "an animation": {animation.Bytes()},
		"a part of a photo": {good[:len(good)/2]}, "too large": {large},
		"one too many":      {good, good, good, good, good, good},
		"a good and a bad":  {good, []byte("%PDF-1.7")},
		"a vector graphic":  {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)},
		"many large photos": {large, large, large, large, large, large},
	} {
		body, media := withPhotos(t, line, photos...)
		b.ask(http.MethodPost, form, body, "Content-Type", media)
		if b.want(http.StatusUnprocessableEntity, form, "Broken &lt;b&gt;bell", `value="1"`, "A photo was refused",
			`value="damaged" selected`); len(m.returns()) != 0 {
			t.Fatalf("%s: a return", name)
		}
	}
	for path, want := range map[string]int{"/orders/x/return": http.StatusUnsupportedMediaType,
		link + "/withdraw": http.StatusUnsupportedMediaType, "/cart": http.StatusUnsupportedMediaType} {
		body, media := withPhotos(t, line, good)
		if b.ask(http.MethodPost, path, body, "Content-Type", media); b.status != want {
			t.Errorf("photos at %s: %d", path, b.status)
		}
	}
	body, media := withPhotos(t, line, good, good)
	b.ask(http.MethodPost, form, body, "Content-Type", media).want(http.StatusOK, link, "Return requested")
	checkPhotos(t, b, m, core)
}

func checkPhotos(t *testing.T, b *shopper, m *shop, core *graph.Resolver) {
	t.Helper()
	row := m.returns()[0]
	list := graphtest.Must[*model.ReturnConnection](t)(core.Query().Returns(m.ctx, nil, nil, nil)).Nodes
	if len(list) != 1 || len(list[0].Photos()) != 2 || list[0].Label() != nil {
		t.Fatalf("%+v", list[0])
	}
	for position := 1; position < 3; position++ {
		f, content, err := core.Query().ReturnFile(m.ctx, row.PublicID(), position)
		if err != nil || f.ContentType != "image/jpeg" || bytes.Contains(content, []byte(secret)) ||
			int64(len(content)) != f.SizeBytes {
			t.Errorf("photo %d: %+v, %v", position, f, err)
		}
	}
	if n := graphtest.Must[int64](t)(core.Images.Used(m.ctx)); n == 0 {
		t.Error("photos take no bytes of the store")
	}
	for _, position := range []int{0, 3, 9} { // no label, and no third photo
		_, _, err := core.Query().ReturnFile(m.ctx, row.PublicID(), position)
		if graphtest.FaultOf(err) != "not_found" {
			t.Errorf("file %d: %v", position, err)
		}
	}
	b.get(strings.TrimSuffix(b.path, "?returned") + "/labels/" + row.PublicID())
	if b.status != http.StatusNotFound {
		t.Errorf("a photo as a label: %d", b.status)
	}
}

// TestReturnLabel: staff upload a label, which only the holder of the order's link downloads.
func TestReturnLabel(t *testing.T) {
	var core *graph.Resolver
	b, m, link := returning(t, func(c *rest.Config) { core = c.Core })
	form := link + "/return"
	b.get(form)
	line := regexp.MustCompile(`quantity\.oli_\w+`).FindString(b.body)
	b.fill(form, line, "1").want(http.StatusOK, link, "Return requested")
	row := m.returns()[0]
	done, err := core.Mutation().OrderReturnApprove(m.ctx, row.PublicID(), row.Version,
		model.ReturnApproveInput{Label: new("JVBERi0xLjcK")}) // %PDF-1.7
	if err != nil || done.Return.Label() == nil || len(done.Return.Photos()) != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	path := link + "/labels/" + row.PublicID()
	b.get(link).want(http.StatusOK, link, `href="`+path+`"`, "Return label")
	// The core of the tests signs with another key than the pages.
	label := regexp.MustCompile(`https://first\.localhost/orders/[\w-]+/labels/` + row.PublicID() + `\n`)
	if mail := m.lastMail("ada@example.com"); !label.MatchString(mail) {
		t.Errorf("the email has no link: %s", mail)
	}
	b.get(path).want(http.StatusOK, path, "%PDF-1.7")
	for name, want := range map[string]string{"Content-Type": "application/pdf", "Cache-Control": "private, no-store",
		"X-Content-Type-Options":  "nosniff",
		"Content-Disposition":     `attachment; filename="` + row.PublicID() + `.pdf"`,
		"Content-Security-Policy": "default-src 'none'; sandbox"} {
		if got := b.header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, tc := range map[string]struct{ host, path string }{
		"another shop":      {"second.shops.test:8080", path},
		"no token":          {b.host, "/orders/x/labels/" + row.PublicID()},
		"another return":    {b.host, link + "/labels/ret_01jgn7r2m5x8c1v4b7n0q3t6wz"},
		"an id of an order": {b.host, link + "/labels/" + done.Return.Order.PublicID()},
	} {
		stranger := &shopper{t: t, s: b.s, host: tc.host}
		if stranger.get(tc.path); stranger.status != http.StatusNotFound {
			t.Errorf("%s: %d", name, stranger.status)
		}
	}
	done, err = core.Mutation().OrderReturnApprove(m.ctx, row.PublicID(), done.Return.Version,
		model.ReturnApproveInput{Label: new("JVBERi0yLjAK"), Instructions: new("By post")}) // %PDF-2.0
	if err != nil {
		t.Fatal(err)
	}
	b.get(path).want(http.StatusOK, path, "%PDF-2.0")
	done, err = core.Mutation().OrderReturnApprove(m.ctx, row.PublicID(), done.Return.Version,
		model.ReturnApproveInput{LabelURL: new("https://post.example/1")})
	if err != nil || done.Return.Label() != nil || *done.Return.LabelURL != "https://post.example/1" ||
		*done.Return.Answer != "By post" {
		t.Fatalf("an address instead: %+v, %v", done, err)
	}
	if b.get(path); b.status != http.StatusNotFound {
		t.Errorf("the label that was replaced: %d", b.status)
	}
	if _, err := core.Mutation().OrderReturnDecline(m.ctx, row.PublicID(), done.Return.Version, "No"); err != nil {
		t.Fatal(err)
	}
	if b.get(path); b.status != http.StatusNotFound {
		t.Errorf("the label of a declined return: %d", b.status)
	}
	if n := graphtest.Must[[]*db.ReturnFile](t)(m.store.DB(m.ctx).ReturnFile.Query().Load(m.ctx)); len(n) != 0 {
		t.Errorf("%d files", len(n))
	}
}

// TestReturnLabelRefused: what is no label.
func TestReturnLabelRefused(t *testing.T) {
	var core *graph.Resolver
	b, m, link := returning(t, func(c *rest.Config) { core = c.Core })
	form := link + "/return"
	b.get(form)
	line := regexp.MustCompile(`quantity\.oli_\w+`).FindString(b.body)
	b.fill(form, line, "1").want(http.StatusOK, link)
	row := m.returns()[0]
	for name, in := range map[string]model.ReturnApproveInput{
		"a page":            {Label: new("PGh0bWw+")},
		"no base64":         {Label: new("%")},
		"nothing":           {Label: new("")},
		"a GIF":             {Label: new("R0lGODlhAQABAAAAACw=")},
		"also an address":   {Label: new("JVBERi0xLjcK"), LabelURL: new("https://dhl.example/1")},
		"more than allowed": {Label: new("JVBERi0x" + strings.Repeat("AAAA", limit.LabelBytes/3))},
	} {
		_, err := core.Mutation().OrderReturnApprove(m.ctx, row.PublicID(), row.Version, in)
		if graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now := m.returns()[0]; now.Version != row.Version || now.State != row.State {
		t.Errorf("changed to %+v", now)
	}
}
