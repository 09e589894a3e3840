package state

// ImportKind is the kind of resource that an import job writes.
type ImportKind string

// The values of [ImportKind].
const (
	ImportProducts  ImportKind = "products"
	ImportInventory ImportKind = "inventory"
	ImportCustomers ImportKind = "customers"
	ImportDiscounts ImportKind = "discounts"
	ImportOrders    ImportKind = "orders"
)

// Known reports whether v is a value of the enumeration.
func (v ImportKind) Known() bool {
	return oneOf(v, ImportProducts, ImportInventory, ImportCustomers, ImportDiscounts, ImportOrders)
}

// ImportStatus is the state of an import job.
type ImportStatus string

// The values of [ImportStatus].
const (
	ImportQueued    ImportStatus = "queued"
	ImportRunning   ImportStatus = "running"
	ImportCompleted ImportStatus = "completed" // every row was tried; some may have failed
	ImportFailed    ImportStatus = "failed"    // it ended before the end of the file
	ImportCancelled ImportStatus = "cancelled"
)

// Known reports whether v is a value of the enumeration.
func (v ImportStatus) Known() bool {
	return oneOf(v, ImportQueued, ImportRunning, ImportCompleted, ImportFailed, ImportCancelled)
}
