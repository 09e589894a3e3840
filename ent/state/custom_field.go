package state

// CustomFieldOwner is the kind of records that have a custom field.
type CustomFieldOwner string

// The values of [CustomFieldOwner].
const (
	FieldsOfProducts  CustomFieldOwner = "product"
	FieldsOfVariants  CustomFieldOwner = "variant"
	FieldsOfOrders    CustomFieldOwner = "order"
	FieldsOfCustomers CustomFieldOwner = "customer"
)

// Known reports whether v is a value of the enumeration.
func (v CustomFieldOwner) Known() bool {
	return oneOf(v, FieldsOfProducts, FieldsOfVariants, FieldsOfOrders, FieldsOfCustomers)
}

// CustomFieldType is the type of the values of a custom field.
type CustomFieldType string

// The values of [CustomFieldType].
const (
	FieldText    CustomFieldType = "text"
	FieldNumber  CustomFieldType = "number"
	FieldBoolean CustomFieldType = "boolean"
	FieldDate    CustomFieldType = "date"
	FieldMoney   CustomFieldType = "money"
	FieldURL     CustomFieldType = "url"
	FieldJSON    CustomFieldType = "json"
	FieldList    CustomFieldType = "list"
)

// Known reports whether v is a value of the enumeration.
func (v CustomFieldType) Known() bool {
	return oneOf(v, FieldText, FieldNumber, FieldBoolean, FieldDate, FieldMoney, FieldURL, FieldJSON, FieldList)
}
