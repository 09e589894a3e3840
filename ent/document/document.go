// Package document defines the small JSON documents that are stored in columns: addresses, tags,
// the lines of a fulfillment or refund, a store's own limits and rates.
//
// They are stored as the bytes that the API returns, encoded once when the row is written, so that
// a list of orders copies them instead of decoding and encoding them. A nil document is absent.
package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
)

// Address is a postal address as a JSON object in the form of the API, with every key (contract,
// section 1).
type Address []byte

// Addresses is a JSON array of addresses.
type Addresses []byte

// Tags is a JSON array of strings.
type Tags []byte

// Options is a JSON array of [Option].
type Options []byte

// Lines is a JSON array of [Line].
type Lines []byte

// Allocations is a JSON array of [Allocation].
type Allocations []byte

// ReturnLines is a JSON array of [ReturnLine].
type ReturnLines []byte

// ShippingRates is a JSON array of [ShippingRate].
type ShippingRates []byte

// TaxRates is a JSON array of [TaxRate].
type TaxRates []byte

// TaxCategories is a JSON array of [TaxCategory].
type TaxCategories []byte

// OrderTaxes is a JSON array of [OrderTax].
type OrderTaxes []byte

// Maker is a JSON object of [MakerFields].
type Maker []byte

// Limits is a JSON object of [limit.Values].
type Limits []byte

// AddressFields are the members of an address.
type AddressFields struct {
	Name       *string `json:"name"`
	Company    *string `json:"company"`
	Line1      string  `json:"line1"`
	Line2      *string `json:"line2"`
	City       string  `json:"city"`
	Region     *string `json:"region"`
	PostalCode *string `json:"postal_code"`
	Country    string  `json:"country"` // ISO 3166-1 alpha-2
	Phone      *string `json:"phone"`
}

// MakerFields say who is responsible for the safety of a product (Regulation (EU) 2023/988, article
// 19), in the form of the API.
type MakerFields struct {
	Name    *string `json:"name"`
	Address *string `json:"address"` // with line breaks
	Email   *string `json:"email"`
	URL     *string `json:"url"`
	// Safety is what buyers must know to use the product safely.
	Safety *string `json:"safety"`
}

// Option is a property in which the variants of a product differ, with its values.
type Option struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Line is a quantity of one order line.
type Line struct {
	LineID   string `json:"line_item_id"`
	Quantity int64  `json:"quantity"`
	// Restocked says that a refund returned the units to the stock.
	Restocked bool `json:"restocked,omitempty"`
}

// Allocation is a number of units of an order line that were taken from one location and not given back.
type Allocation struct {
	LineID     string `json:"line_item_id"`
	LocationID string `json:"location_id"`
	Quantity   int64  `json:"quantity"`
	// FulfilledQuantity is how many of them were shipped.
	FulfilledQuantity int64 `json:"fulfilled_quantity"`
}

// ReturnLine is a quantity of an order line that is returned.
type ReturnLine struct {
	LineID   string             `json:"line_item_id"`
	Quantity int64              `json:"quantity"`
	Reason   state.ReturnReason `json:"reason"`
}

// ShippingRate is one way to ship to a zone. Amounts are in the store's currency.
type ShippingRate struct {
	ID         string             `json:"id"`
	Name       string             `json:"name"`
	Kind       state.ShippingKind `json:"kind"`
	PriceMinor int64              `json:"price_minor"`
	// LocationID is where a shopper collects the order, nil for no known location or a delivery.
	LocationID *string `json:"location_id,omitempty"`
	// The bounds are inclusive; nil means no bound.
	LeastMinor *int64 `json:"least_minor,omitempty"`
	MostMinor  *int64 `json:"most_minor,omitempty"`
	LeastGrams *int64 `json:"least_grams,omitempty"`
	MostGrams  *int64 `json:"most_grams,omitempty"`
	// FreeFromMinor is the value of the items from which on shipping is free.
	FreeFromMinor *int64 `json:"free_from_minor,omitempty"`
}

// TaxRate is one tax of a country, or of one region of it, for one category.
type TaxRate struct {
	Country string  `json:"country"` // ISO 3166-1 alpha-2
	Region  *string `json:"region,omitempty"`
	Name    string  `json:"name"`
	// PerMillion is the rate. BasisPoints is the rate rounded down, for releases that know no other.
	PerMillion  int64             `json:"per_million"`
	BasisPoints int64             `json:"basis_points"`
	Category    string            `json:"category"`
	Relation    state.TaxRelation `json:"relation"`
	// Shipping says that shipping is taxed too.
	Shipping bool `json:"shipping"`
}

// Percent returns the rate in percent.
func (r TaxRate) Percent() string { return Percent(r.PerMillion) }

// TaxCategory is a tax category of a store's own.
type TaxCategory struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// OrderTax is one tax of an order, in the form of the API.
type OrderTax struct {
	Name string `json:"name"`
	// Rate is in percent, such as "8.875".
	Rate string `json:"rate"`
	// Included says that the prices include the tax. If not, it is added to them.
	Included    bool  `json:"included"`
	BaseMinor   int64 `json:"base_minor"`
	AmountMinor int64 `json:"amount_minor"`
	// Lines are its parts: of lines, and last of shipping, which has no line id.
	Lines []OrderTaxLine `json:"lines"`
}

// OrderTaxLine is what a tax takes of one line.
type OrderTaxLine struct {
	LineID      *string `json:"line_item_id"` // nil for shipping
	BaseMinor   int64   `json:"base_minor"`
	AmountMinor int64   `json:"amount_minor"`
}

// NewAddress encodes a; nil gives an absent address.
func NewAddress(a *AddressFields) Address {
	if a == nil {
		return nil
	}
	return encode(a)
}

// NewAddresses encodes a list, which may be empty.
func NewAddresses(a []AddressFields) Addresses {
	if a == nil {
		a = []AddressFields{}
	}
	return encode(a)
}

// NewTags encodes a list, which may be empty.
func NewTags(tags []string) Tags {
	if tags == nil {
		tags = []string{}
	}
	return encode(tags)
}

// NewOptions encodes a list; an empty one gives an absent document.
func NewOptions(options []Option) Options {
	if len(options) == 0 {
		return nil
	}
	return encode(options)
}

// NewMaker encodes m; nil and a maker without members give an absent document.
func NewMaker(m *MakerFields) Maker {
	if m == nil || *m == (MakerFields{}) {
		return nil
	}
	return encode(m)
}

// NewLines encodes a list, which may be empty.
func NewLines(lines []Line) Lines {
	if lines == nil {
		lines = []Line{}
	}
	return encode(lines)
}

// NewReturnLines encodes a list, which may be empty.
func NewReturnLines(list []ReturnLine) ReturnLines { return encode(append([]ReturnLine{}, list...)) }

// NewAllocations encodes a list; an empty one gives an absent document.
func NewAllocations(list []Allocation) Allocations {
	if len(list) == 0 {
		return nil
	}
	return encode(list)
}

// NewShippingRates encodes a list, which may be empty.
func NewShippingRates(rates []ShippingRate) ShippingRates {
	return encode(append([]ShippingRate{}, rates...))
}

// NewTaxRates encodes a list, which may be empty.
func NewTaxRates(rates []TaxRate) TaxRates { return encode(append([]TaxRate{}, rates...)) }

// NewTaxCategories encodes a list; an empty one gives an absent document.
func NewTaxCategories(list []TaxCategory) TaxCategories {
	if len(list) == 0 {
		return nil
	}
	return encode(list)
}

// NewOrderTaxes encodes a list; an empty one gives an absent document.
func NewOrderTaxes(list []OrderTax) OrderTaxes {
	if len(list) == 0 {
		return nil
	}
	return encode(list)
}

// NewLimits encodes limits; none gives an absent document.
func NewLimits(v limit.Values) Limits {
	if len(v) == 0 {
		return nil
	}
	return encode(v)
}

// Fields decodes the address; nil if it is absent.
func (a Address) Fields() (*AddressFields, error) {
	if len(a) == 0 {
		return nil, nil
	}
	if f := a.fields(); f != nil {
		return f, nil
	}
	return decode[*AddressFields](a)
}

// List decodes the addresses.
func (a Addresses) List() ([]AddressFields, error) { return decode[[]AddressFields](a) }

// List decodes the tags.
func (t Tags) List() ([]string, error) {
	if string(t) == "[]" { // as in most documents
		return []string{}, nil
	}
	if list := texts(t); list != nil {
		return list, nil
	}
	return decode[[]string](t)
}

// List decodes the options; an absent document has none.
func (o Options) List() ([]Option, error) {
	if len(o) == 0 {
		return []Option{}, nil
	}
	return decode[[]Option](o)
}

// Fields decodes the maker; nil if it is absent.
func (m Maker) Fields() (*MakerFields, error) { return decode[*MakerFields](m) }

// List decodes the lines.
func (l Lines) List() ([]Line, error) { return decode[[]Line](l) }

// List decodes the lines.
func (l ReturnLines) List() ([]ReturnLine, error) { return decode[[]ReturnLine](l) }

// List decodes the allocations; an absent document has none.
func (a Allocations) List() ([]Allocation, error) { return decode[[]Allocation](a) }

// List decodes the rates.
func (r ShippingRates) List() ([]ShippingRate, error) { return decode[[]ShippingRate](r) }

// List decodes the rates, also those that releases without categories wrote.
func (r TaxRates) List() ([]TaxRate, error) {
	list, err := decode[[]TaxRate](r)
	for i := range list {
		t := &list[i]
		t.PerMillion = cmp.Or(t.PerMillion, t.BasisPoints*PerBasisPoint)
		t.Category = cmp.Or(t.Category, state.TaxStandard)
		t.Relation = cmp.Or(t.Relation, state.TaxReplaces)
	}
	return list, err
}

// List decodes the categories; an absent document has none.
func (c TaxCategories) List() ([]TaxCategory, error) { return decode[[]TaxCategory](c) }

// List decodes the taxes; an absent document has none.
func (t OrderTaxes) List() ([]OrderTax, error) { return decode[[]OrderTax](t) }

// Values decodes the limits; nil if there are none.
func (l Limits) Values() (limit.Values, error) { return decode[limit.Values](l) }

// Over returns the limits of a store: its own, and for the rest those of all stores.
func (l Limits) Over(all limit.Values) (limit.Values, error) {
	own, err := l.Values()
	if err != nil {
		return nil, fmt.Errorf("read the limits of a store: %w", err)
	}
	v := limit.Values{}
	maps.Copy(v, all)
	maps.Copy(v, own)
	return v, nil
}

// encode cannot fail: the types above hold only strings and integers.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode document: %v", err))
	}
	return b
}

func decode[T any](b []byte) (v T, err error) {
	if len(b) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return v, fmt.Errorf("decode document: %w", err)
	}
	return v, nil
}
