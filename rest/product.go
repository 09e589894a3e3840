package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listProducts(c *call) error {
	q := &c.query
	filter := model.ProductFilter{
		Status:      enum[state.ProductStatus](q, "status"),
		Sku:         q.text("sku", limit.Line),
		Tag:         q.text("tag", limit.Label),
		UpdatedFrom: q.time("updated_from"), CustomFields: q.customFields(fieldFilter),
		VariantCustomFields: q.customFields(variantFilter),
	}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Products(c.ctx, q.limit, q.cursor, &filter, nil, nil)
	return list(c, page, err, wire.AppendProduct)
}

func (a *API) getProduct(c *call) error {
	p, err := a.Core.Query().Product(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	c.out = wire.AppendProduct(c.out, p)
	return nil
}

func (a *API) createProduct(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in, faults := readProduct(r)
	c.keep(faults)
	done, err := a.Core.Mutation().ProductCreate(c.ctx, in)
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/products/"+done.Product.PublicID()
	c.out = append(c.out, done.Object...) // as in its event
	return nil
}

func readProduct(r *wire.Reader) (model.ProductCreateInput, []fault.Field) {
	title, price, currency := r.String("title"), r.Int("price_minor"), r.String("currency")
	in := model.ProductCreateInput{
		Handle:              r.String("handle"),
		Description:         r.String("description"),
		CompareAtPriceMinor: r.Int("compare_at_price_minor"),
		Sku:                 r.String("sku"),
		Vendor:              r.String("vendor"),
		ProductType:         r.String("product_type"),
		Tags:                r.Strings("tags"),
		InventoryQuantity:   r.Int("inventory_quantity"),
		ImageURL:            r.String("image_url"),
		RequiresShipping:    r.Bool("requires_shipping"),
		TaxCategory:         r.String("tax_category"),
		WeightGrams:         r.Int("weight_grams"),
		Barcode:             r.String("barcode"),
		Videos:              r.Strings("videos"),
	}
	in.Maker, in.CustomFields, in.Options = readMaker(r, nil), readCustomFields(r), readOptions(r)
	list := readVariants(r)
	if format := r.String("description_format"); format != nil {
		in.DescriptionFormat = new(state.TextFormat(*format))
	}
	faults := required(r.Fields(), "title", title, &in.Title)
	faults = required(faults, "price_minor", price, &in.PriceMinor)
	faults = required(faults, "currency", currency, &in.Currency)
	check := &core.Check{}
	in.Variants = catalog.NewVariants(check, list, &in.PriceMinor)
	in.Decoded = model.NewDecoded(check.Fields())
	return in, faults
}

const variantsMember = "variants"

func readOptions(r *wire.Reader) []*document.Option {
	list := []*document.Option{}
	objects, _ := r.Array("options")
	for _, o := range objects {
		list = append(list, &document.Option{Name: core.Deref(o.String("name")), Values: o.Strings("values")})
	}
	return list
}

func readVariants(r *wire.Reader) []*model.ProductVariantListInput {
	list := []*model.ProductVariantListInput{}
	objects, _ := r.Array(variantsMember)
	for _, v := range objects {
		m := readVariant(v)
		list = append(list, &model.ProductVariantListInput{
			ID: model.Given(v.String("id")), Options: model.Given(v.Strings("options")),
			PriceMinor: m.PriceMinor, CompareAtPriceMinor: m.CompareAtPriceMinor, Sku: m.Sku,
			InventoryQuantity: m.InventoryQuantity, WeightGrams: m.WeightGrams, TaxCategory: m.TaxCategory,
			Barcode: m.Barcode, CustomFields: m.CustomFields})
	}
	return list
}

// readVariant reads the members that a variant has beside its id and its options.
func readVariant(r *wire.Reader) model.ProductVariantUpdateInput {
	given := r.Given
	in := model.ProductVariantUpdateInput{
		PriceMinor:        model.GivenIf(given("price_minor"), r.Int("price_minor")),
		Sku:               model.GivenIf(given("sku"), r.String("sku")),
		InventoryQuantity: model.GivenIf(given("inventory_quantity"), r.Int("inventory_quantity")),
		WeightGrams:       model.GivenIf(given("weight_grams"), r.Int("weight_grams")),
		TaxCategory:       model.GivenIf(given("tax_category"), r.String("tax_category")),
		Barcode:           model.GivenIf(given("barcode"), r.String("barcode")),
	}
	in.CompareAtPriceMinor = model.GivenIf(given("compare_at_price_minor"), r.Int("compare_at_price_minor"))
	in.CustomFields = model.GivenIf[document.CustomFields](given(core.CustomFieldsMember), readCustomFields(r))
	return in
}

// updateVariant is PATCH /products/{id}/variants/{variant_id}: a merge patch (RFC 7396).
func (a *API) updateVariant(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	expected, in := r.Int("expected_version"), readVariant(r)
	c.keep(r.Fields())
	p, err := a.Core.Query().Product(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	return a.changedProduct(c, expected, p, func(m graph.Mutation, version int64) (*model.ProductPayload, error) {
		return m.ProductVariantUpdate(c.ctx, p.PublicID(), version, c.pathValue("variant_id"), in)
	})
}

// readMaker reads the member maker. Absent members keep their values.
func readMaker(r *wire.Reader, before *document.MakerFields) *document.MakerFields {
	m := r.Object("maker")
	if m == nil {
		return nil
	}
	merged := core.Deref(before)
	mergeTexts(m, map[string]**string{"name": &merged.Name, "address": &merged.Address, "email": &merged.Email,
		"url": &merged.URL, "safety": &merged.Safety})
	return &merged
}

// mergeTexts reads the members that are given (RFC 7396).
func mergeTexts(r *wire.Reader, into map[string]**string) {
	for name, text := range into {
		if v := r.String(name); r.Given(name) {
			*text = v
		}
	}
}

// updateProduct is PATCH /products/{id}: a merge patch (RFC 7396). A list is replaced as a whole.
func (a *API) updateProduct(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	p, missing := a.Core.Query().Product(c.ctx, c.pathID())
	var maker *document.MakerFields
	if missing == nil {
		if maker, err = p.DecodedMaker(); err != nil {
			return err
		}
	}
	expected := r.Int("expected_version")
	in := readProductPatch(r, maker)
	in.ExternalReference = model.GivenIf(r.Given("external_reference"), r.String("external_reference"))
	if c.keep(r.Fields()); missing != nil {
		return missing
	}
	return a.changedProduct(c, expected, p, func(m graph.Mutation, version int64) (*model.ProductPayload, error) {
		return m.ProductUpdate(c.ctx, p.PublicID(), version, in)
	})
}

// changedProduct changes a product that was read, and answers with it.
func (a *API) changedProduct(c *call, expected *int64, p *db.Product,
	change func(m graph.Mutation, version int64) (*model.ProductPayload, error),
) error {
	return atVersion(expected, p.Version, func(version int64) error {
		done, err := change(a.Core.Mutation(), version)
		if err != nil {
			return err
		}
		c.code = http.StatusOK
		c.out = wire.AppendProduct(c.out, done.Product)
		return nil
	})
}

// moveProduct changes the status of a product.
func (a *API) moveProduct(c *call, move func(graph.Mutation, string, int64) (*model.ProductPayload, error)) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	expected := r.Int("expected_version")
	c.keep(r.Fields())
	p, err := a.Core.Query().Product(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	return a.changedProduct(c, expected, p, func(m graph.Mutation, version int64) (*model.ProductPayload, error) {
		return move(m, p.PublicID(), version)
	})
}

func (a *API) publishProduct(c *call) error {
	return a.moveProduct(c, func(m graph.Mutation, id string, version int64) (*model.ProductPayload, error) {
		return m.ProductPublish(c.ctx, id, version)
	})
}

func (a *API) unpublishProduct(c *call) error {
	return a.moveProduct(c, func(m graph.Mutation, id string, version int64) (*model.ProductPayload, error) {
		return m.ProductUnpublish(c.ctx, id, version)
	})
}

func (a *API) archiveProduct(c *call) error {
	return a.moveProduct(c, func(m graph.Mutation, id string, version int64) (*model.ProductPayload, error) {
		return m.ProductArchive(c.ctx, id, version)
	})
}

// upsertProduct is PUT /products/by-reference/{external_reference}. Members that are absent stay as
// they are.
func (a *API) upsertProduct(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in := readProductPatch(r, nil)
	c.keep(r.Fields())
	done, err := a.Core.Mutation().ProductUpsert(c.ctx, c.pathValue("external_reference"), in)
	if err != nil {
		return err
	}
	if c.code = http.StatusOK; done.Object != nil {
		c.code, c.location = http.StatusCreated, Base+"/products/"+done.Product.PublicID()
	}
	c.out = wire.AppendProduct(c.out, done.Product)
	return nil
}

func readProductPatch(r *wire.Reader, maker *document.MakerFields) model.ProductUpdateInput {
	given := r.Given
	in := model.ProductUpdateInput{
		Title:            model.GivenIf(given("title"), r.String("title")),
		PriceMinor:       model.GivenIf(given("price_minor"), r.Int("price_minor")),
		Currency:         model.GivenIf(given("currency"), r.String("currency")),
		Handle:           model.GivenIf(given("handle"), r.String("handle")),
		Description:      model.GivenIf(given("description"), r.String("description")),
		Sku:              model.GivenIf(given("sku"), r.String("sku")),
		Vendor:           model.GivenIf(given("vendor"), r.String("vendor")),
		ProductType:      model.GivenIf(given("product_type"), r.String("product_type")),
		Tags:             model.GivenIf(given("tags"), r.Strings("tags")),
		ImageURL:         model.GivenIf(given("image_url"), r.String("image_url")),
		RequiresShipping: model.GivenIf(given("requires_shipping"), r.Bool("requires_shipping")),
		TaxCategory:      model.GivenIf(given("tax_category"), r.String("tax_category")),
		WeightGrams:      model.GivenIf(given("weight_grams"), r.Int("weight_grams")),
		Barcode:          model.GivenIf(given("barcode"), r.String("barcode")),
		Maker:            model.GivenIf(given("maker"), readMaker(r, maker)),
		Videos:           model.GivenIf(given("videos"), r.Strings("videos")),
		Options:          model.GivenIf(given("options"), readOptions(r)),
		Variants:         model.GivenIf(given(variantsMember), readVariants(r)),
	}
	in.CompareAtPriceMinor = model.GivenIf(given("compare_at_price_minor"), r.Int("compare_at_price_minor"))
	in.InventoryQuantity = model.GivenIf(given("inventory_quantity"), r.Int("inventory_quantity"))
	in.CustomFields = model.GivenIf[document.CustomFields](given(core.CustomFieldsMember), readCustomFields(r))
	format := r.String("description_format")
	in.DescriptionFormat = model.GivenIf(given("description_format"), (*state.TextFormat)(format))
	return in
}
