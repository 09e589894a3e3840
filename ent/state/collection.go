package state

// CollectionSort is the default order of the products in a collection.
type CollectionSort string

// The values of [CollectionSort].
const (
	// SortManual is the order in which products were arranged by hand.
	SortManual    CollectionSort = "manual"
	SortNewest    CollectionSort = "newest"
	SortPriceUp   CollectionSort = "price_up"
	SortPriceDown CollectionSort = "price_down"
	SortTitle     CollectionSort = "title"
)

// Known reports whether v is a value of the enumeration.
func (v CollectionSort) Known() bool {
	return oneOf(v, SortManual, SortNewest, SortPriceUp, SortPriceDown, SortTitle)
}

// CollectionField is the field that a condition of a collection compares.
type CollectionField string

// The values of [CollectionField].
const (
	FieldTag         CollectionField = "tag"
	FieldProductType CollectionField = "product_type"
	FieldVendor      CollectionField = "vendor"
	FieldPrice       CollectionField = "price"
)

// Known reports whether v is a value of the enumeration.
func (v CollectionField) Known() bool {
	return oneOf(v, FieldTag, FieldProductType, FieldVendor, FieldPrice)
}
