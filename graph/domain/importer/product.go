package importer

import (
	"iter"
	"strconv"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// readProduct reads a product in the form of an export. The notes say what is left out.
func readProduct(line []byte) (p *catalog.ImportedProduct, notes []string, err error) {
	r, err := object(line)
	if err != nil {
		return nil, nil, err
	}
	p = &catalog.ImportedProduct{Members: readMembers(r)}
	for _, name := range []string{"id", "created_at", "updated_at", "published_at"} {
		r.String(name) // computed, or of the other store
	}
	r.Int("version")
	status := r.String("status")
	if status != nil {
		p.Status = new(state.ProductStatus(*status))
	}
	p.Options = readOptions(r)
	shows, missing := readVariants(r, p)
	p.Images, notes = readImages(r, shows)
	faults := append(r.Fields(), missing...)
	if r.Given("variant_custom_fields") {
		p.VariantFields = r.JSON("variant_custom_fields")
	}
	if len(p.Variants) > 0 && len(p.Options) == 0 {
		faults = append(faults, required("options"))
	}
	if p.Status != nil && !p.Status.Known() {
		faults = append(faults, fault.Field{Pointer: wire.Pointer("status"), Code: fault.UnknownValue,
			Detail: "The value is draft, active or archived."})
	}
	if len(faults) > 0 {
		return nil, nil, fault.Invalid(faults...)
	}
	return p, notes, nil
}

func required(names ...string) fault.Field {
	return fault.Field{Pointer: wire.Pointer(names...), Code: fault.Required, Detail: "This member is required."}
}

func array(r *wire.Reader, name string) iter.Seq2[int, *wire.Reader] {
	list, _ := r.Array(name)
	return list
}

func readMembers(r *wire.Reader) model.ProductUpdateInput {
	given := r.Given
	in := model.ProductUpdateInput{
		Title:             model.GivenIf(given("title"), r.String("title")),
		PriceMinor:        model.GivenIf(given("price_minor"), r.Int("price_minor")),
		Currency:          model.GivenIf(given("currency"), r.String("currency")),
		Handle:            model.GivenIf(given("handle"), r.String("handle")),
		Description:       model.GivenIf(given("description"), r.String("description")),
		Sku:               model.GivenIf(given("sku"), r.String("sku")),
		Vendor:            model.GivenIf(given("vendor"), r.String("vendor")),
		ProductType:       model.GivenIf(given("product_type"), r.String("product_type")),
		Tags:              model.GivenIf(given("tags"), r.Strings("tags")),
		ImageURL:          model.GivenIf(given("image_url"), r.String("image_url")),
		RequiresShipping:  model.GivenIf(given("requires_shipping"), r.Bool("requires_shipping")),
		TaxCategory:       model.GivenIf(given("tax_category"), r.String("tax_category")),
		WeightGrams:       model.GivenIf(given("weight_grams"), r.Int("weight_grams")),
		Barcode:           model.GivenIf(given("barcode"), r.String("barcode")),
		CostMinor:         model.GivenIf(given("cost_minor"), r.Int("cost_minor")),
		Maker:             model.GivenIf(given("maker"), readMaker(r)),
		Videos:            model.GivenIf(given("videos"), r.Strings("videos")),
		ExternalReference: model.GivenIf(given("external_reference"), r.String("external_reference")),
	}
	in.CompareAtPriceMinor = model.GivenIf(given("compare_at_price_minor"), r.Int("compare_at_price_minor"))
	in.InventoryQuantity = model.GivenIf(given("inventory_quantity"), r.Int("inventory_quantity"))
	in.CustomFields = model.GivenIf[document.CustomFields](given(core.CustomFieldsMember),
		r.JSON(core.CustomFieldsMember))
	format := r.String("description_format")
	in.DescriptionFormat = model.GivenIf(given("description_format"), (*state.TextFormat)(format))
	return in
}

func readMaker(r *wire.Reader) *document.MakerFields {
	m := r.Object("maker")
	if m == nil {
		return nil
	}
	return &document.MakerFields{Name: m.String("name"), Address: m.String("address"), Email: m.String("email"),
		URL: m.String("url"), Safety: m.String("safety")}
}

func readOptions(r *wire.Reader) []*document.Option {
	rows, ok := r.Array("options")
	if !ok {
		return nil
	}
	list := []*document.Option{}
	for _, o := range rows {
		list = append(list, &document.Option{Name: core.Deref(o.String("name")), Values: o.Strings("values")})
	}
	return list
}

// readVariants reads the variants of a product. The only variant of a product without options is the
// product itself, and adds the weight and the custom fields that only variants show. shows are the ids of
// their images in the file.
func readVariants(r *wire.Reader, p *catalog.ImportedProduct) (shows []*string, missing []fault.Field) {
	own, list := false, []*model.ProductVariantInput(nil)
	for i, v := range array(r, "variants") {
		price := v.Int("price_minor")
		if price == nil {
			missing = append(missing, required("variants", strconv.Itoa(i), "price_minor"))
		}
		v.String("title")
		shows = append(shows, v.String("image"))
		v.Int("position")
		for _, step := range array(v, "prices") {
			step.Skip()
		}
		next := &model.ProductVariantInput{ID: v.String("id"), Options: v.Strings("options"), Sku: v.String("sku"),
			CompareAtPriceMinor: v.Int("compare_at_price_minor"), InventoryQuantity: v.Int("inventory_quantity"),
			WeightGrams: v.Int("weight_grams"), TaxCategory: v.String("tax_category"),
			PriceMinor: core.Deref(price),
			Barcode:    model.GivenIf(v.Given("barcode"), v.String("barcode")),
			CostMinor:  model.GivenIf(v.Given("cost_minor"), v.Int("cost_minor"))}
		next.CustomFields = model.GivenIf[document.CustomFields](v.Given(core.CustomFieldsMember),
			v.JSON(core.CustomFieldsMember))
		list = append(list, next)
		own = len(next.Options) == 0
	}
	if !own || len(list) != 1 {
		p.Variants = list
		return shows, missing
	}
	if p.VariantFields = list[0].CustomFields.Value(); !p.Members.WeightGrams.IsSet() {
		p.Members.WeightGrams = core.Given(list[0].WeightGrams)
	}
	return nil, nil
}
