package phrase

import "github.com/storefront-go/storefront/ent/state"

// Column names a spreadsheet column for which no shopper text exists.
type Column int

// The columns.
const (
	OrderColumn Column = iota
	PlacedAtColumn
	StatusColumn
	PaymentStatusColumn
	FulfillmentStatusColumn
	CurrencyColumn
	PaidAmountColumn
	RefundedAmountColumn
	BillingAddressColumn
	ShippingAddressColumn
	DefaultAddressColumn
	TagsColumn
	SourceColumn
	ShippingMethodColumn
	PaymentMethodColumn
	PaidAtColumn
	FulfilledAtColumn
	CancelledAtColumn
	SKUColumn
	OptionsColumn
	ShippedQuantityColumn
	RefundedQuantityColumn
	UnitPriceColumn
	LineDiscountColumn
	LineTaxColumn
	LineTotalColumn
	IDColumn
	TitleColumn
	HandleColumn
	DescriptionColumn
	PriceColumn
	ComparePriceColumn
	VendorColumn
	ProductTypeColumn
	InventoryColumn
	PictureColumn
	PublishedAtColumn
	CreatedAtColumn
	UpdatedAtColumn
	FirstNameColumn
	LastNameColumn
	LanguageColumn
	MarketingColumn
	NoteColumn
	OrdersCountColumn
	TotalSpentColumn
	LastOrderColumn
	ExternalNumberColumn

	columns // the number of columns
)

// Column returns the name of a column.
func (t *Texts) Column(c Column) string { return columnNames[t.language][c] }

// columnNames is read-only.
var columnNames = map[state.Language]*[columns]string{
	state.English:  &englishColumns,
	state.German:   &germanColumns,
	state.French:   &frenchColumns,
	state.Spanish:  &spanishColumns,
	state.Japanese: &japaneseColumns,
	state.Arabic:   &arabicColumns,
}
