package intake

import (
	"encoding/json"
	"slices"

	"github.com/storefront-go/storefront/ent/state"
)

// kind is how the files of a kind of resource are read.
type kind struct {
	// members are what its columns can become, and derived are columns that nobody misses.
	members, derived []string
	// columns are those of other systems by source, in lower case, and marks name the system of a file.
	columns map[string]map[string]string
	marks   []mark
	// owners are those whose custom fields have columns. Only kinds with some are exported.
	owners []state.CustomFieldOwner
	// follows reports whether a row belongs to the record of a first row.
	follows func(first, more *row) bool
	// read sets the JSON of a record, or its problem.
	read func(f *Form, r *Record, rows []*row)
}

var kinds = map[state.ImportKind]*kind{
	state.ImportProducts: {members: productMembers, derived: productDerived, columns: productColumns,
		marks: productMarks, owners: []state.CustomFieldOwner{state.FieldsOfProducts, state.FieldsOfVariants},
		follows: sameProduct, read: readProduct},
	state.ImportInventory: {members: stockMembers, derived: stockDerived, columns: stockColumns,
		marks: stockMarks, follows: sameStock, read: readStock},
	state.ImportCustomers: {members: customerMembers, derived: customerDerived, columns: customerColumns,
		marks: customerMarks, owners: []state.CustomFieldOwner{state.FieldsOfCustomers},
		follows: alone, read: readCustomer},
	state.ImportDiscounts: {members: discountMembers, derived: discountDerived, columns: discountColumns,
		marks: discountMarks, follows: alone, read: readDiscount},
	state.ImportOrders: {members: orderMembers, derived: orderDerived, columns: orderColumns,
		marks: orderMarks, owners: []state.CustomFieldOwner{state.FieldsOfOrders}, follows: sameOrder, read: readOrder},
}

// alone is of kinds whose records have one row.
func alone(_, _ *row) bool { return false }

// Members returns what the columns of a kind can become in a store with custom fields.
func Members(of state.ImportKind, fields ...Field) []string {
	members := slices.Clone(kinds[of].members)
	for _, d := range Fields(of, fields) {
		members = append(members, d.Member())
	}
	return members
}

// encode sets the JSON of a record.
func (r *Record) encode(members map[string]any) {
	body, err := json.Marshal(members)
	if err != nil {
		r.Problem = "A cell does not hold valid JSON."
		return
	}
	r.JSON = body
}
