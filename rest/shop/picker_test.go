package shop_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

const pickerTemplate = `{{define "content"}}{{with .product}}<h1>{{.variant.title}} {{.variant.price}}` +
	`{{if not .variant.available}} sold out{{end}}</h1>{{range .choices}}{{if .first}}{{.name}}={{.chosen}}:{{end}}` +
	`[<a href="{{.url}}">{{.value}}</a>{{if .current}} now{{end}}{{if not .available}} gone{{end}}]` +
	`{{if .last}};{{end}}{{end}}{{.body}}{{with .maker}}<i>{{.name}}{{range .address}},{{.}}{{end}}</i>{{end}}` +
	`{{range .videos}}<a href="{{.href}}">{{.title}}</a>{{end}}{{with .size_chart}}<a href="{{.url}}">{{.title}}</a>` +
	`{{end}}{{end}}{{end}}`

func withPickers(files map[string]string) { files["templates/product.html"] = pickerTemplate }

// A product's page shows one variant; each value of an option leads to the closest variant with it.
func TestPickers(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.activate(s.theme("Pickers", withPickers))
		variant := func(price, stock int64, options ...string) *model.ProductVariantInput {
			return &model.ProductVariantInput{PriceMinor: price, InventoryQuantity: &stock, Options: options}
		}
		p := s.sell("Mug", func(in *model.ProductCreateInput) {
			in.Options = []*document.Option{{Name: "Size", Values: []string{"S", "M", "XL"}},
				{Name: "Color", Values: []string{"Red", "Blue"}}}
			in.Variants = []*model.ProductVariantInput{variant(1000, 0, "S", "Red"), variant(1100, 2, "S", "Blue"),
				variant(1200, 3, "M", "Red")}
		})
		at := func(i int) string { return "/products/mug?variant=" + xid.Variant.Format(p.Variants[i].ID) }
		s.get("/products/mug").want(t, 200, "<h1>S / Blue €11.00</h1>",
			`Size=S:[<a href="`+at(1)+`">S</a> now][<a href="`+at(2)+`">M</a> gone][<a href="">XL</a> gone]`,
			`Color=Blue:[<a href="`+at(0)+`">Red</a> gone][<a href="`+at(1)+`">Blue</a> now]`)
		a := s.get(at(0)).want(t, 200, "<h1>S / Red €10.00 sold out</h1>", `<a href="`+at(2)+`">M</a>]`,
			`<link rel="canonical" href="`+s.core.StoreOrigin(s.handle)+`/products/mug">`)
		if strings.Contains(a.body, "noindex") {
			t.Error("a variant hides the product from search engines")
		}
		for _, unknown := range []string{"x", "var_00000000000000000000000000", "%3Cscript%3E"} {
			s.get("/products/mug?variant="+unknown).want(t, 200, "<h1>S / Blue €11.00</h1>", "!<script>")
		}
		s.get("/products/cup?variant="+xid.Variant.Format(p.Variants[0].ID)).want(t, 404, "Nothing at /products/cup<")
	})
}

// Descriptions in Markdown have their markup on the page alone, and only that of Markdown.
func TestDescriptions(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.activate(s.theme("Pickers", withPickers))
		made, err := s.core.Mutation().PageCreate(s.ctx, model.PageCreateInput{Title: "Sizes", Body: "S"})
		if err != nil {
			t.Fatal(err)
		}
		s.sell("Plain", func(in *model.ProductCreateInput) {
			in.Description, in.SizeChartID = new("**No** markup\n\n<b>two</b>"), new(made.Page.PublicID())
		})
		rich := s.sell("Rich", func(in *model.ProductCreateInput) {
			in.Description = new("A **bold** mug\n\n- one\n\n<script>alert(1)</script> [x](javascript:alert)")
			in.DescriptionFormat, in.Barcode = new(state.Markdown), new("96385074")
			in.Maker = &document.MakerFields{Name: new("<Kiln>"), Address: new("Lane 1\n\nBerlin")}
			in.Videos = []string{"https://vimeo.com/1"}
		})
		s.get("/products/plain").want(t, 200, "<p dir=\"auto\">**No** markup</p>\n<p dir=\"auto\">&lt;b&gt;two",
			"!/pages/sizes")
		s.get("/products/rich").want(t, 200, "<p>A <strong>bold</strong> mug</p>", "<li>one</li>", "!<script>alert",
			"!javascript:", `<meta name="description" content="A bold mug">`, `"gtin":"96385074"`,
			`"description":"A bold mug\n\none\n\n`, "<i>&lt;Kiln&gt;,Lane 1,Berlin</i>",
			`<a href="https://vimeo.com/1">Vimeo</a>`)
		if _, err := s.core.Mutation().PagePublish(s.ctx, made.Page.PublicID(), 1); err != nil {
			t.Fatal(err)
		}
		s.clock.add(2e9)
		s.get("/products/plain").want(t, 200, `<a href="/pages/sizes">Sizes</a>`)
		s.charts(rich, made.Page)
	})
}

// charts gives a product two collections with size charts. Its page shows that of the older one,
// while it is published.
func (s *stall) charts(p *db.Product, sizes *db.Page) {
	r := s.core.Mutation()
	in := func(chart string) model.CollectionInput {
		return model.CollectionInput{Title: "Mugs", Sort: state.SortNewest, ProductIds: []string{p.PublicID()},
			SizeChartID: graphtest.Given(&chart)}
	}
	volumes := s.publish(model.PageCreateInput{Title: "Volumes", Body: "V"})
	older := graphtest.Must[*model.CollectionPayload](s.t)(r.CollectionCreate(s.ctx, in(sizes.PublicID()))).Collection
	graphtest.Must[*model.CollectionPayload](s.t)(r.CollectionCreate(s.ctx, in(volumes.PublicID())))
	s.clock.add(2e9)
	s.get("/products/rich").want(s.t, 200, `<a href="/pages/sizes">Sizes</a>`, "!volumes")
	graphtest.Must[*model.PagePayload](s.t)(r.PageUnpublish(s.ctx, sizes.PublicID(), 2))
	s.clock.add(2e9)
	s.get("/products/rich").want(s.t, 200, `<a href="/pages/volumes">Volumes</a>`)
	if _, err := r.CollectionUpdate(s.ctx, older.PublicID(), 1, in("pag_x")); graphtest.FieldOf(err) !=
		"#/size_chart_id unknown_value" {
		s.t.Errorf("an unknown page: %v", err)
	}
	left := in("")
	left.SizeChartID = graphtest.Given[*string](nil)
	c := graphtest.Must[*model.CollectionPayload](s.t)(r.CollectionUpdate(s.ctx, older.PublicID(), 1, left)).Collection
	if c.SizeChartID != nil || c.Version != 2 {
		s.t.Errorf("without a chart: %v in version %d", c.SizeChartID, c.Version)
	}
}
