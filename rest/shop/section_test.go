package shop_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/model"
)

// sectionTheme shows the sections of its home page, one a line.
var sectionTheme = theme.Manifest{Name: "Sections", Settings: []theme.Setting{
	{Name: theme.SectionsSetting, Kind: state.SettingText, Label: "Home page"}}}

const sectionHTML = `{{define "content"}}{{range .sections}}<p>{{.kind}}:{{with .title}}{{.}}{{end}}` +
	`{{if .url}} <a href="{{.url}}">{{.label}}</a>{{end}}{{with .text}}{{range .}}[{{.}}]{{end}}{{end}}` +
	`{{with .product}}{{.title}}{{end}}</p>{{else}}none{{end}}{{end}}`

// TestSections: a home page shows the sections that the merchant arranged, in drafts too, and leaves out
// what is gone. Their texts are text.
func TestSections(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		id := s.themeOf(sectionTheme, func(all map[string]string) { all["templates/home.html"] = sectionHTML })
		s.activate(id)
		mug, bowl := s.sell("Mug & more"), s.sell("Bowl")
		c := graphtest.Must[*model.CollectionPayload](t)(s.core.Mutation().CollectionCreate(s.ctx,
			model.CollectionInput{Title: "New", Sort: state.SortManual,
				ProductIds: []string{bowl.PublicID()}})).Collection
		list := func(sections ...theme.Section) map[string]string {
			text, err := json.Marshal(sections)
			if err != nil {
				t.Fatal(err)
			}
			return map[string]string{theme.SectionsSetting: string(text)}
		}
		lost := xid.Product.Format(xid.New())
		collection := xid.Collection.Format(c.ID)
		s.set(list(
			theme.Section{Kind: theme.SectionText, Title: "<b>Hi</b>", Text: "One\n\n<i>two</i>",
				Link: "/search?q=a&b", Label: "Go & see"},
			theme.Section{Kind: theme.SectionProducts, Products: []string{mug.PublicID(), lost, bowl.PublicID()}},
			theme.Section{Kind: theme.SectionProducts, Products: []string{lost}},
			theme.Section{Kind: theme.SectionCollection, Collection: collection},
			theme.Section{Kind: theme.SectionImage,
				Image: "/pictures/" + xid.ProductImage.Format(xid.New()) + "/a.png"},
		), list(theme.Section{Kind: theme.SectionText, Title: "Draft"}))
		s.get("/").want(t, 200, `<p>text:&lt;b&gt;Hi&lt;/b&gt; <a href="/search?q=a&amp;b">Go &amp; see</a>[One]`+
			`[&lt;i&gt;two&lt;/i&gt;]</p>`+
			`<p>products:Products</p><p>product:Mug &amp; more</p><p>product:Bowl</p><p>end:</p>`+
			`<p>products:New <a href="/collections/new"></a></p><p>product:Bowl</p>`+
			`<p>end: <a href="/collections/new">Show all</a></p></body>`)
		s.get(s.link(id, time.Hour)).want(t, 200, "<p>text:Draft</p></body>")
		for _, value := range []string{"", "[", `[{"kind":"text","link":"javascript:alert(1)"}]`} {
			s.set(map[string]string{theme.SectionsSetting: value}, nil)
			if body := s.get("/").want(t, 200, "none").body; strings.Contains(body, "javascript") {
				t.Errorf("%q: %s", value, body)
			}
		}
	})
}
