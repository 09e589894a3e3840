package graphtest

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/model"
)

// NewProduct creates a draft product.
func NewProduct(t testing.TB, ctx context.Context, r *graph.Resolver, in model.ProductCreateInput) *db.Product {
	t.Helper()
	return Must[*model.ProductPayload](t)(r.Mutation().ProductCreate(ctx, in)).Product
}

// Mug returns an input for a product with every member set.
func Mug() model.ProductCreateInput {
	return model.ProductCreateInput{Title: "Blue Mug", PriceMinor: 1250, Currency: "eur",
		Description: new("Holds\n300 ml."), CompareAtPriceMinor: new(int64(1500)), Sku: new("MUG-1"),
		Vendor: new("Potter"), ProductType: new("Mugs"), Tags: []string{"blue"},
		InventoryQuantity: new(int64(7)), ImageURL: new("https://example.com/mug.png")}
}

// ProductResource returns a product as the resource of events, at a version and a sequence.
func ProductResource(p *db.Product, version, sequence int64) outbox.Resource {
	return outbox.Resource{Store: p.StoreID, ID: p.ID, Version: version, Sequence: sequence,
		At: outbox.After(p.UpdatedAt)}
}

// Shirt returns an input for a product with options: three of four variants, six units in total.
func Shirt() model.ProductCreateInput {
	piece := func(size, colour string, price, stock int64) *model.ProductVariantInput {
		return &model.ProductVariantInput{Options: []string{size, colour}, PriceMinor: price,
			Sku: new("SHIRT-" + size + "-" + colour[:1]), InventoryQuantity: &stock, WeightGrams: new(int64(180))}
	}
	in := model.ProductCreateInput{Title: "Shirt", Currency: "EUR", Options: []*document.Option{
		{Name: "Size", Values: []string{"S", "M"}}, {Name: "Colour", Values: []string{"White", "Black"}}},
		Variants: []*model.ProductVariantInput{
			piece("S", "White", 1900, 1), piece("M", "White", 2000, 2), piece("M", "Black", 2100, 3)}}
	in.Variants[0].CompareAtPriceMinor = new(int64(2500))
	return in
}

// Grid returns an input for a product with three options of 13 values and up to 2,197 variants, whose
// prices increase by one.
func Grid(variants int) model.ProductCreateInput {
	values := strings.Split("ABCDEFGHIJKLM", "")
	in := model.ProductCreateInput{Title: "Grid", Currency: "EUR", Options: []*document.Option{
		{Name: "One", Values: values}, {Name: "Two", Values: values}, {Name: "Three", Values: values}}}
	for i := range variants {
		in.Variants = append(in.Variants, &model.ProductVariantInput{PriceMinor: int64(1000 + i),
			Options: []string{values[i/169], values[i/13%13], values[i%13]}})
	}
	return in
}
