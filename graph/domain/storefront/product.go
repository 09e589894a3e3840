package storefront

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	dbpage "github.com/storefront-go/storefront/ent/db/page"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/markdown"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

const (
	// MaxOffers is the most offers in one list of a page.
	MaxOffers  = 24
	maxRelated = 4
)

// newestWindow is how many products the home page and related products are chosen from. There is no
// index on published_at, so the newest ids among the active products are read and sorted by
// publication. A product that is published long after its creation appears unless this many newer
// ones exist.
const newestWindow = 200

const activeByID = "product_store_id_status_id"

// cardFields are the columns that lists show. They leave out the description, which may be long.
var cardFields = []string{
	product.FieldID, product.FieldTitle, product.FieldHandle, product.FieldPriceMinor, product.FieldCompareAtPriceMinor,
	product.FieldCurrency, product.FieldSku, product.FieldVendor, product.FieldProductType, product.FieldTags,
	product.FieldInventoryQuantity, product.FieldImageURL, product.FieldPublishedAt, product.FieldMaxPriceMinor,
	product.FieldImagesCount, product.FieldRequiresShipping, product.FieldPrices,
}

// Offer is an active product in the storefront. An absent text is "".
type Offer struct {
	ID         xid.ID
	Title      string
	Handle     string
	PriceMinor int64
	// Amount is the price in digits, for machines, and Currency its code.
	Amount, Currency string
	// BeforeMinor is the former price if it was higher, else 0.
	BeforeMinor int64
	// LowestMinor is the lowest price of the 30 days before the reduction began; 0 without a
	// reduction, or if it is not known.
	LowestMinor int64
	// NextPrice is when the price changes next because a sale begins or ends.
	NextPrice micros.Time
	// From says that the price is the lowest of several.
	From  bool
	Image string // the path of the first image on the store's host
	// Images are the images; in a list, only the first. An image that is named by its address has
	// no widths.
	Images []*Image
	Vendor string
	Type   string
	SKU    string
	Tags   []string
	// Paragraphs are the description as plain text, and HTML is the same with its markup. Lists leave
	// them out.
	Paragraphs []string
	HTML       string
	// Markdown is the source of HTML, or "" if the description is plain text.
	Markdown string
	// Available says that the product is in stock or its stock is not tracked.
	Available bool
	// Ships says that the product has to be shipped.
	Ships bool
	// Options and Variants are set for a single product, not in lists.
	Options  []document.Option
	Variants []*OfferVariant
	// Maker is who is responsible for its safety, or nil; Videos are addresses of its videos, and
	// SizeChart is the page that shows its sizes, or nil. Lists leave them out.
	Maker     *document.MakerFields
	Videos    []string
	SizeChart *Text
	// Custom are the values of its custom fields that the shop shows. Lists leave them out.
	Custom []CustomValue

	at         micros.Time // when it was read
	published  micros.Time
	hasUploads bool // it has uploaded images
}

// OfferVariant is a variant of an offer.
type OfferVariant struct {
	ID                      xid.ID
	Title                   string
	Texts                   []string // one for each option
	PriceMinor, BeforeMinor int64    // as in Offer
	LowestMinor             int64    // as in Offer
	Amount                  string   // PriceMinor in digits, for machines
	SKU, Barcode            string
	Available               bool
	Image                   *Image // the offer's image of this variant, or nil
}

// Newest returns up to [MaxOffers] active products, most recently published first.
func (s Storefront) Newest(ctx context.Context) ([]*Offer, error) {
	list, err := s.newest(ctx)
	if err != nil {
		return nil, err
	}
	return s.Offers(ctx, core.Map(list[:min(len(list), MaxOffers)], func(r recent) xid.ID { return r.ID }))
}

// Product returns the active product with the handle.
func (s Storefront) Product(ctx context.Context, handle string) (*Offer, error) {
	c := s.Client(ctx)
	p, err := core.Only(c.Product.Query().
		Where(product.Handle(handle), product.StatusEQ(state.ProductActive)).Load(ctx))
	if err == nil {
		err = variants.Load(ctx, c, p)
	}
	var shown map[xid.ID][]*db.ProductImage
	if err == nil && p.ImagesCount > 0 {
		shown, err = images.Rows(ctx, c, []xid.ID{p.ID})
	}
	if err != nil {
		return nil, core.Explain("product", err)
	}
	o, err := offerOf(p)
	if err != nil {
		return nil, err
	}
	o.show(shown[p.ID])
	if err := o.complete(p); err != nil {
		return nil, err
	}
	if o.SizeChart, err = s.sizeChart(ctx, p.SizeChartID); err == nil && o.SizeChart == nil {
		o.SizeChart, err = s.commonSizeChart(ctx, p.ID)
	}
	if err == nil {
		o.Custom, err = s.customValues(ctx, p.CustomFields)
	}
	return o, err
}

// sizeChart returns the title and handle of a page, nil if it is not published.
func (s Storefront) sizeChart(ctx context.Context, id *xid.ID) (*Text, error) {
	if id == nil {
		return nil, nil
	}
	p, err := core.Only(s.Client(ctx).Page.Query().
		Where(dbpage.ID(*id), dbpage.StatusEQ(state.PagePublished)).Load(ctx))
	if errors.Is(err, core.ErrNoRow) {
		return nil, nil
	}
	if err != nil {
		return nil, core.Explain("page", err)
	}
	return &Text{Title: p.Title, Handle: p.Handle}, nil
}

// commonSizeChart returns the published size chart of the oldest collection of a product that has
// one, nil if none has.
func (s Storefront) commonSizeChart(ctx context.Context, id xid.ID) (chart *Text, err error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	var oldest xid.ID
	err = ent.Read(ctx, s.Client(ctx), func(rows *stdsql.Rows) error {
		var of xid.ID
		var found Text
		if err := rows.Scan(&of, &found.Title, &found.Handle); err != nil {
			return fmt.Errorf("scan: %w", err)
		}
		if chart == nil || of.Compare(oldest) < 0 { // to sort the few rows in the database costs more
			oldest, chart = of, &found
		}
		return nil
	}, "SELECT c.id, g.title, g.handle FROM listings l"+
		ent.IndexHint(s.Store.Dialect(), "listings", "listing_store_id_id")+
		" JOIN collections c ON c.store_id = l.store_id AND c.id = l.shelf"+
		" JOIN pages g ON g.store_id = c.store_id AND g.id = c.size_chart_id"+
		" WHERE l.store_id = ? AND l.id = ? AND c.gone = ? AND g.status = ?",
		v.Store, id, false, state.PagePublished)
	return chart, core.Explain("page", err)
}

// price sets the amount for machines: the lowest price of the available variants, or of all
// variants if none is available.
func (o *Offer) price() {
	var lowest *OfferVariant
	for _, v := range o.Variants {
		if v.Available && (lowest == nil || v.PriceMinor < lowest.PriceMinor) {
			lowest = v
		}
	}
	if lowest != nil {
		o.Amount = decimal(lowest.PriceMinor, o.Currency)
	}
}

func (o *Offer) complete(p *db.Product) (err error) {
	if o.Options, err = p.Options.List(); err != nil {
		return fmt.Errorf("options of %s: %w", p.PublicID(), err)
	}
	if o.Maker, err = p.Maker.Fields(); err != nil {
		return fmt.Errorf("maker of %s: %w", p.PublicID(), err)
	}
	if o.Videos, err = p.Videos.List(); err != nil {
		return fmt.Errorf("videos of %s: %w", p.PublicID(), err)
	}
	o.describe(p)
	for _, v := range variants.Of(p) {
		texts, err := v.Options.List()
		if err != nil {
			return fmt.Errorf("options of %s: %w", v.PublicID(), err)
		}
		price := variants.PriceAt(v, o.at)
		o.Variants = append(o.Variants, &OfferVariant{ID: v.ID, Title: v.Title, Texts: texts,
			PriceMinor: price.PriceMinor, BeforeMinor: formerPrice(price), LowestMinor: core.Deref(price.LowestMinor),
			Amount: decimal(price.PriceMinor, o.Currency),
			SKU:    core.Deref(v.Sku), Barcode: core.Deref(v.Barcode), Available: inStock(v.InventoryQuantity),
			Image: o.image(v.ImageID)})
	}
	o.price()
	return nil
}

func (o *Offer) image(id *xid.ID) *Image {
	i := slices.IndexFunc(o.Images, func(i *Image) bool { return id != nil && i.ID == *id })
	if i < 0 {
		return nil
	}
	return o.Images[i]
}

func inStock(quantity *int64) bool { return quantity == nil || *quantity > 0 }

// formerPrice returns the former price if it was higher, else 0.
func formerPrice(p variants.Price) int64 {
	if !p.Reduced() {
		return 0
	}
	return *p.CompareAtMinor
}

// Related returns up to four other active products of the same vendor or type: first products that
// share both, then the newest.
func (s Storefront) Related(ctx context.Context, o *Offer) ([]*Offer, error) {
	list, err := s.newest(ctx)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(r recent) bool { return r.ID == o.ID || o.shares(r) == 0 })
	slices.SortStableFunc(list, func(a, b recent) int { return o.shares(b) - o.shares(a) })
	return s.Offers(ctx, core.Map(list[:min(len(list), maxRelated)], func(r recent) xid.ID { return r.ID }))
}

func (o *Offer) shares(with recent) (n int) {
	if o.Vendor != "" && o.Vendor == core.Deref(with.Vendor) {
		n++
	}
	if o.Type != "" && o.Type == core.Deref(with.Type) {
		n++
	}
	return n
}

// Offers returns active products by id, in the given order. Products that are gone are left out.
func (s Storefront) Offers(ctx context.Context, ids []xid.ID) ([]*Offer, error) {
	list, err := s.offers(ctx, ids)
	if err != nil {
		return nil, err
	}
	return list, s.addImages(ctx, list)
}

// offers is [Storefront.Offers] without uploaded images.
func (s Storefront) offers(ctx context.Context, ids []xid.ID) ([]*Offer, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	query := s.Client(ctx).Product.Query().Where(product.StatusEQ(state.ProductActive), product.IDIn(ids...))
	query.Modify(ent.ForceIndex(ent.Primary))
	list, err := offersOf(query.Select(cardFields...).All(ctx))
	slices.SortFunc(list, func(a, b *Offer) int {
		return slices.Index(ids, a.ID) - slices.Index(ids, b.ID)
	})
	return list, core.Explain("products", err)
}

// recent is what decides which of the newest products a page shows.
type recent struct {
	ID        xid.ID       `sql:"id"`
	Vendor    *string      `sql:"vendor"`
	Type      *string      `sql:"product_type"`
	Published *micros.Time `sql:"published_at"`
}

func (r recent) published() micros.Time {
	if r.Published != nil {
		return *r.Published
	}
	return r.ID.Time()
}

// newest reads the newest active products, see newestWindow, most recently published first.
func (s Storefront) newest(ctx context.Context) (list []recent, err error) {
	query := s.Client(ctx).Product.Query().Where(product.StatusEQ(state.ProductActive))
	err = query.Modify(core.Window{Limit: newestWindow, Index: activeByID}.Apply, func(s *sql.Selector) {
		s.Select(s.C(product.FieldID), s.C(product.FieldVendor), s.C(product.FieldProductType),
			s.C(product.FieldPublishedAt))
	}).Scan(ctx, &list)
	slices.SortFunc(list, func(a, b recent) int {
		return cmp.Or(cmp.Compare(b.published(), a.published()), b.ID.Compare(a.ID))
	})
	return list, core.Explain("products", err)
}

func offersOf(rows []*db.Product, err error) ([]*Offer, error) {
	list := make([]*Offer, 0, len(rows))
	for _, p := range rows {
		o, err := offerOf(p)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, err
}

func offerOf(p *db.Product) (*Offer, error) {
	tags, err := p.Tags.List()
	if err != nil {
		return nil, fmt.Errorf("tags of %s: %w", xid.Product.Format(p.ID), err)
	}
	now := micros.Now()
	price := variants.LowestAt(p, now)
	o := &Offer{
		ID: p.ID, Title: p.Title, Handle: p.Handle, PriceMinor: price.PriceMinor, Tags: tags,
		Currency: p.Currency, Amount: decimal(price.PriceMinor, p.Currency),
		Vendor: core.Deref(p.Vendor), Type: core.Deref(p.ProductType), SKU: core.Deref(p.Sku),
		Available: inStock(p.InventoryQuantity), Ships: p.RequiresShipping, From: price.HighestMinor != nil,
		BeforeMinor: formerPrice(price), LowestMinor: core.Deref(price.LowestMinor),
		NextPrice: variants.NextPrice(p, now), at: now,
		published: p.ID.Time(), hasUploads: p.ImagesCount > 0,
	}
	core.Opt(p.ImageURL, func(address string) {
		o.Image = ExternalImagePath(address, p.Handle)
		o.Images = []*Image{{URL: o.Image, Small: o.Image, Alt: o.Title}}
	})
	core.Opt(p.PublishedAt, func(t micros.Time) { o.published = t })
	return o, nil
}

// describe sets the description of a single product. Markdown that cannot be rendered is shown as
// text: only a release that knows no formats can have stored it.
func (o *Offer) describe(p *db.Product) {
	text := core.Deref(p.Description)
	if p.DescriptionFormat == state.Markdown {
		shown := func(address string) string { return ExternalImagePath(address, p.Handle) }
		rendered, err := markdown.HTML(text, shown)
		if err == nil {
			o.HTML, o.Paragraphs, o.Markdown = rendered, paragraphs(markdown.Text(text)), text
			return
		}
	}
	o.Paragraphs = paragraphs(text)
	var b strings.Builder
	for _, paragraph := range o.Paragraphs {
		b.WriteString(`<p dir="auto">` + html.EscapeString(paragraph) + "</p>\n")
	}
	o.HTML = b.String()
}

func paragraphs(text string) (list []string) {
	var lines []string
	end := func() {
		if len(lines) > 0 {
			list = append(list, strings.Join(lines, "\n"))
		}
		lines = nil
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			end()
			continue
		}
		lines = append(lines, line)
	}
	end()
	return list
}

// decimal formats an amount in digits, with the point of the fraction if the currency has any.
func decimal(minor int64, code string) string {
	digits, ok := currency.Digits(currency.Code(code))
	if !ok {
		digits = 2 // like most; no product in such a currency can be active
	}
	text := strconv.FormatInt(minor, 10)
	if short := digits + 1 - len(text); short > 0 {
		text = strings.Repeat("0", short) + text
	}
	if digits == 0 {
		return text
	}
	return text[:len(text)-digits] + "." + text[len(text)-digits:]
}

// PriceOf parses an amount as visitors type it, such as "24.90" or "24,90", into minor units. It
// returns nil for anything else.
func PriceOf(text, code string) *int64 {
	text = core.FoldDigits(text)
	digits, ok := currency.Digits(currency.Code(code))
	whole, fraction, _ := strings.Cut(strings.Replace(text, ",", ".", 1), ".")
	if !ok || text == "" || len(whole) > maxWhole || len(fraction) > digits {
		return nil
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 62)
	if err != nil {
		return nil
	}
	return new(int64(n))
}

const maxWhole = 12
