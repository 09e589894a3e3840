package export

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

var productColumns = []column[*db.Product]{
	{name: "product_id", cell: func(b []byte, p *db.Product) []byte { return id(b, xid.Product, p.ID) }},
	{name: "title", cell: func(b []byte, p *db.Product) []byte { return text(b, p.Title) }},
	{name: "handle", cell: func(b []byte, p *db.Product) []byte { return text(b, p.Handle) }},
	{name: "description", cell: func(b []byte, p *db.Product) []byte { return textOpt(b, p.Description) }},
	{name: "status", cell: func(b []byte, p *db.Product) []byte { return plain(b, string(p.Status)) }},
	{name: "price_minor", cell: func(b []byte, p *db.Product) []byte { return integer(b, p.PriceMinor) }},
	{name: "compare_at_price_minor", cell: func(b []byte, p *db.Product) []byte {
		return integerOpt(b, p.CompareAtPriceMinor)
	}},
	{name: "currency", cell: func(b []byte, p *db.Product) []byte { return plain(b, p.Currency) }},
	{name: "sku", cell: func(b []byte, p *db.Product) []byte { return textOpt(b, p.Sku) }},
	{name: "vendor", cell: func(b []byte, p *db.Product) []byte { return textOpt(b, p.Vendor) }},
	{name: "product_type", cell: func(b []byte, p *db.Product) []byte { return textOpt(b, p.ProductType) }},
	{name: "tags", cell: func(b []byte, p *db.Product) []byte { return documented(b, p.Tags) }},
	{name: "inventory_quantity", cell: func(b []byte, p *db.Product) []byte {
		return integerOpt(b, p.InventoryQuantity)
	}},
	{name: "image_url", cell: func(b []byte, p *db.Product) []byte { return textOpt(b, p.ImageURL) }},
	{name: "published_at", cell: func(b []byte, p *db.Product) []byte { return momentOpt(b, p.PublishedAt) }},
	{name: "version", cell: func(b []byte, p *db.Product) []byte { return integer(b, p.Version) }},
	{name: "created_at", cell: func(b []byte, p *db.Product) []byte { return moment(b, p.ID.Time()) }},
	{name: "updated_at", cell: func(b []byte, p *db.Product) []byte { return moment(b, p.UpdatedAt) }},
	{name: "options", cell: func(b []byte, p *db.Product) []byte { return listed(b, p.Options) }},
	{name: "variants", cell: func(b []byte, p *db.Product) []byte {
		return documented(b, wire.AppendVariants(nil, p))
	}},
	{name: "images", cell: func(b []byte, p *db.Product) []byte { return documented(b, wire.AppendImages(nil, p)) }},
	{name: "requires_shipping", cell: func(b []byte, p *db.Product) []byte { return truth(b, p.RequiresShipping) }},
	{name: "tax_category", cell: func(b []byte, p *db.Product) []byte { return plain(b, p.TaxCategory) }},
}

var sheetProducts = []sheetColumn[*db.Product]{
	{named(phrase.TitleColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.text(b, p.Title) }},
	{named(phrase.StatusColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.text(b, string(p.Status)) }},
	{named(phrase.PriceColumn), func(s *sheet, b []byte, p *db.Product) []byte {
		return s.money(b, p.PriceMinor, p.Currency)
	}},
	{named(phrase.ComparePriceColumn), func(s *sheet, b []byte, p *db.Product) []byte {
		return s.moneyOpt(b, p.CompareAtPriceMinor, p.Currency)
	}},
	{named(phrase.CurrencyColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.text(b, p.Currency) }},
	{named(phrase.SKUColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.textOpt(b, p.Sku) }},
	{named(phrase.InventoryColumn), func(s *sheet, b []byte, p *db.Product) []byte {
		return s.integerOpt(b, p.InventoryQuantity)
	}},
	{named(phrase.VendorColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.textOpt(b, p.Vendor) }},
	{named(phrase.ProductTypeColumn), func(s *sheet, b []byte, p *db.Product) []byte {
		return s.textOpt(b, p.ProductType)
	}},
	{named(phrase.TagsColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.list(b, p.Tags) }},
	{named(phrase.DescriptionColumn), func(s *sheet, b []byte, p *db.Product) []byte {
		return s.textOpt(b, p.Description)
	}},
	{named(phrase.HandleColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.text(b, p.Handle) }},
	{named(phrase.PictureColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.textOpt(b, p.ImageURL) }},
	{named(phrase.PublishedAtColumn), func(s *sheet, b []byte, p *db.Product) []byte {
		return s.momentOpt(b, p.PublishedAt)
	}},
	{named(phrase.CreatedAtColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.moment(b, p.ID.Time()) }},
	{named(phrase.UpdatedAtColumn), func(s *sheet, b []byte, p *db.Product) []byte { return s.moment(b, p.UpdatedAt) }},
	{named(phrase.IDColumn), func(s *sheet, b []byte, p *db.Product) []byte {
		return s.text(b, xid.Product.Format(p.ID))
	}},
}
