package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listProducts(c *call) error {
	q := &c.query
	filter := model.ProductFilter{
		Status:      enum[state.ProductStatus](q, "status"),
		Sku:         q.text("sku", limit.Line),
		Tag:         q.text("tag", limit.Label),
		UpdatedFrom: q.time("updated_from"),
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
	done, err := a.Core.Mutation().ProductCreate(c.ctx, readProduct(r))
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/products/"+done.Product.PublicID()
	c.out = append(c.out, done.Object...) // as in its event
	return nil
}

func readProduct(r *wire.Reader) model.ProductCreateInput {
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
	if m := r.Object("maker"); m != nil {
		in.Maker = &document.MakerFields{Name: m.String("name"), Address: m.String("address"),
			Email: m.String("email"), URL: m.String("url"), Safety: m.String("safety")}
	}
	if format := r.String("description_format"); format != nil {
		in.DescriptionFormat = new(state.TextFormat(*format))
	}
	faults := required(r.Fields(), "title", title, &in.Title)
	faults = required(faults, "price_minor", price, &in.PriceMinor)
	faults = required(faults, "currency", currency, &in.Currency)
	in.Decoded = model.NewDecoded(faults)
	return in
}
