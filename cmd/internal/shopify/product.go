package shopify

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/intake"
	"github.com/storefront-go/storefront/graph/model"
)

type product struct {
	in     model.ProductCreateInput
	status string // active, draft or archived
}

// product reads the rows of one product: those with a price are variants, any may have an image.
func (i *importer) product(c *record) (maker, error) {
	first := c.rows[0]
	if yes(first.get("gift card")) {
		return nil, wrong("gift cards are not supported")
	}
	p := &product{in: model.ProductCreateInput{Title: i.clip(c, "the title", lineOf(first.get("title")), limit.Line),
		Currency: i.currency, Vendor: i.clipped(c, "the vendor", first.opt("vendor")),
		ProductType: i.clipped(c, "the type", first.opt("type")), Tags: i.labels(c, first.get("tags"))}}
	if handle := strings.ToLower(c.key); len(handle) <= limit.Handle &&
		!strings.ContainsFunc(handle, func(r rune) bool { return !core.HandleRune(r) }) {
		p.in.Handle = &handle
	} else {
		i.note(c, "the handle %q is replaced by one derived from the title", c.key)
	}
	if text := intake.Plain(first.get("body (html)")); text != "" {
		p.in.Description = new(i.clip(c, "the description", text, limit.Description))
	}
	if strings.Contains(first.get("body (html)"), "<img") {
		i.note(c, "the images in its description are not imported")
	}
	var err error
	if p.status, err = i.statusOf(c); err != nil {
		return nil, err
	}
	i.shipped(c, p)
	i.homeless(c)
	i.picture(c, p)
	if err := i.variants(c, p); err != nil {
		return nil, err
	}
	return p.make, nil
}

// shipped reads whether the product needs shipping, which is the same for all of its variants.
func (i *importer) shipped(c *record, p *product) {
	yeses, noes := 0, 0
	for _, r := range c.rows {
		switch text := r.get("variant requires shipping"); {
		case text == "":
		case yes(text):
			yeses++
		default:
			noes++
		}
	}
	if noes == 0 {
		return
	}
	p.in.RequiresShipping = new(yeses > 0)
	if yeses > 0 {
		i.note(c, "%d of its variants need no shipping; here all of them do", noes)
	}
}

// unkept are product columns without an equivalent here.
var unkept = []string{"seo title", "seo description", "image alt text", "variant image", "variant tax code"}

// homeless reports product columns with a value that is not imported.
func (i *importer) homeless(c *record) {
	var list []string
	for _, column := range unkept {
		if slices.ContainsFunc(c.rows, func(r row) bool { return r.get(column) != "" }) {
			list = append(list, title(column))
		}
	}
	if list != nil {
		i.note(c, "not imported: %s", strings.Join(list, ", "))
	}
}

// statusOf reads the status of a product; older exports only say whether it is published.
func (i *importer) statusOf(c *record) (string, error) {
	r := c.rows[0]
	switch status := strings.ToLower(r.get("status")); status {
	case "active", "draft", "archived":
		return status, nil
	case "unlisted":
		i.note(c, "it is unlisted and is imported as a draft")
		return "draft", nil
	case "":
		if yes(r.get("published")) {
			return "active", nil
		}
		return "draft", nil
	default:
		return "", wrong("Status: %q is not active, draft or archived", r.get("status"))
	}
}

// picture takes the address of the first image. It is fetched when it is first shown.
func (i *importer) picture(c *record, p *product) {
	var list []string
	best := ""
	for _, r := range c.rows {
		src := r.get("image src")
		if src == "" || slices.Contains(list, src) {
			continue
		}
		list = append(list, src)
		if best == "" || r.get("image position") == "1" {
			best = src
		}
	}
	u, err := url.Parse(best)
	switch {
	case best == "":
	case err != nil || u.Scheme != "https" || u.Host == "" || len(best) > limit.URL:
		i.note(c, "the image has no https address and is not imported")
	default:
		p.in.ImageURL = &best
	}
	if len(list) > 1 {
		i.note(c, "%d more images must be uploaded by hand", len(list)-1)
	}
}

func (i *importer) variants(c *record, p *product) error {
	options := optionsOf(c.rows[0])
	var list []*model.ProductVariantInput
	for _, r := range c.rows {
		if r.get("variant price") == "" && r.get("option1 value") == "" && r.line != c.line {
			continue // only an image
		}
		v, err := i.variant(c, r)
		if err != nil {
			return err
		}
		for n, o := range options {
			value := lineOf(r.get(option(n, "value")))
			if value == "" {
				return wrong("line %d: %s is missing", r.line, title(option(n, "value")))
			}
			if !slices.Contains(o.Values, value) {
				o.Values = append(o.Values, value)
			}
			v.Options = append(v.Options, value)
		}
		list = append(list, v)
	}
	if over := len(list) - limit.Variants; over > 0 && len(options) > 0 {
		i.note(c, "%d variants above %d are not imported", over, limit.Variants)
		list = list[:limit.Variants]
		used(options, list)
	}
	if len(options) > 0 {
		p.in.Options, p.in.Variants, p.in.PriceMinor = options, list, list[0].PriceMinor
		return nil
	}
	if len(list) > 1 {
		return wrong("it has %d variants, but no option in which they differ", len(list))
	}
	v := list[0]
	p.in.PriceMinor, p.in.CompareAtPriceMinor, p.in.Sku = v.PriceMinor, v.CompareAtPriceMinor, v.Sku
	p.in.InventoryQuantity, p.in.WeightGrams = v.InventoryQuantity, v.WeightGrams
	p.in.Barcode, p.in.CostMinor = v.Barcode.Value(), v.CostMinor.Value()
	return nil
}

// used keeps only the option values that variants have.
func used(options []*document.Option, variants []*model.ProductVariantInput) {
	for n, o := range options {
		o.Values = slices.DeleteFunc(o.Values, func(value string) bool {
			has := func(v *model.ProductVariantInput) bool { return v.Options[n] == value }
			return !slices.ContainsFunc(variants, has)
		})
	}
}

func option(n int, part string) string { return "option" + strconv.Itoa(n+1) + " " + part }

// optionsOf reads the names of the options. A product without any has one called Title.
func optionsOf(r row) (list []*document.Option) {
	for n := range limit.Options {
		name := lineOf(r.get(option(n, "name")))
		if name == "" || n == 0 && name == "Title" && r.get(option(n, "value")) == "Default Title" {
			break
		}
		list = append(list, &document.Option{Name: name})
	}
	return list
}

func (i *importer) variant(c *record, r row) (*model.ProductVariantInput, error) {
	price, err := money(r, "variant price", i.currency)
	if err == nil && price == nil {
		err = wrong("line %d: Variant Price is missing", r.line)
	}
	if err != nil {
		return nil, err
	}
	v := &model.ProductVariantInput{PriceMinor: *price, Sku: i.clipped(c, "the SKU", r.opt("variant sku"))}
	if v.CompareAtPriceMinor, err = money(r, "variant compare at price", i.currency); err != nil {
		return nil, err
	}
	if v.CompareAtPriceMinor != nil && *v.CompareAtPriceMinor <= v.PriceMinor {
		v.CompareAtPriceMinor = nil // not a price that would be shown as former
	}
	cost, err := money(r, "cost per item", i.currency)
	if err != nil {
		return nil, err
	}
	v.CostMinor = core.Given(cost)
	if code := r.opt("variant barcode"); code != nil {
		check := &core.Check{}
		if check.GTIN("barcode", *code); check.Err() == nil {
			v.Barcode = core.Given(code)
		} else {
			i.note(c, "line %d: the barcode %q is not a GTIN and is not imported", r.line, *code)
		}
	}
	if v.WeightGrams, err = grams(r); err != nil {
		return nil, err
	}
	v.InventoryQuantity, err = i.stock(c, r)
	return v, err
}

// stock reads the inventory; nil if it is not tracked.
func (i *importer) stock(c *record, r row) (*int64, error) {
	if r.get("variant inventory tracker") == "" {
		return nil, nil
	}
	if policy := r.get("variant inventory policy"); strings.EqualFold(policy, "continue") || yes(policy) {
		i.note(c, "line %d is sold even without stock, so its stock is not tracked", r.line)
		return nil, nil
	}
	n, err := whole(r, "variant inventory qty")
	switch {
	case err != nil:
		return nil, err
	case n == nil:
		i.note(c, "line %d has no quantity: its stock is not tracked", r.line)
	case *n < 0:
		i.note(c, "line %d has %d units too few: its stock is 0", r.line, -*n)
		return new(int64(0)), nil
	}
	return n, nil
}

func (p *product) make(ctx context.Context, i *importer) (xid.ID, error) {
	m := i.Core.Mutation()
	made, err := m.ProductCreate(ctx, p.in)
	if err != nil {
		return xid.Nil, err
	}
	id := made.Product.ID
	switch text := xid.Product.Format(id); p.status {
	case "active":
		_, err = m.ProductPublish(ctx, text, made.Product.Version)
	case "archived":
		_, err = m.ProductArchive(ctx, text, made.Product.Version)
	}
	if err != nil {
		err = fmt.Errorf("bring it into its state: %w", err)
	}
	return id, err
}
