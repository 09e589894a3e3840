// Package scope is THE catalogue of scopes (spec, section 5): one table that
// the authoriser, the key editor, the consent screen, the metadata document,
// GraphQL and the OpenAPI test all read.
package scope

import (
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/state"
)

// Scope is one entry of the catalogue.
type Scope struct {
	Name     string // "orders.read"
	Resource string // "orders"
	Access   string // "read" or "write"
	Title    string // a few words for a consent screen
	Sentence string // what the holder can do, as a sentence
	Personal bool   // opens data about people
}

// The names of the catalogue.
const (
	ProductsRead  = "products.read"
	ProductsWrite = "products.write"
	OrdersRead    = "orders.read"
	OrdersWrite   = "orders.write"
	CustomersRead = "customers.read"
	ExportsRead   = "exports.read"
	ExportsWrite  = "exports.write"
	WebhooksRead  = "webhooks.read"
	WebhooksWrite = "webhooks.write"
	ThemesRead    = "themes.read"
	ThemesWrite   = "themes.write"
)

var catalogue = []Scope{
	{Name: ProductsRead, Resource: "products", Access: "read", Title: "See products",
		Sentence: "Read the store's products, prices and stock."},
	{Name: ProductsWrite, Resource: "products", Access: "write", Title: "Manage products",
		Sentence: "Create and change products. Includes reading them."},
	{Name: OrdersRead, Resource: "orders", Access: "read", Title: "See orders",
		Sentence: "Read orders with their addresses, amounts and notes.", Personal: true},
	{Name: OrdersWrite, Resource: "orders", Access: "write", Title: "Annotate orders",
		Sentence: "Add notes to orders. Includes reading them.", Personal: true},
	{Name: CustomersRead, Resource: "customers", Access: "read", Title: "See customers",
		Sentence: "Read customers with their contact details and addresses.", Personal: true},
	{Name: ExportsRead, Resource: "exports", Access: "read", Title: "See exports",
		Sentence: "List export jobs and fetch their files.", Personal: true},
	{Name: ExportsWrite, Resource: "exports", Access: "write", Title: "Run exports",
		Sentence: "Start, cancel and delete export jobs. Includes reading them.", Personal: true},
	{Name: WebhooksRead, Resource: "webhooks", Access: "read", Title: "See webhooks",
		Sentence: "List webhook endpoints and their state."},
	{Name: WebhooksWrite, Resource: "webhooks", Access: "write", Title: "Manage webhooks",
		Sentence: "Register and delete webhook endpoints. Includes reading them."},
	{Name: ThemesRead, Resource: "themes", Access: "read", Title: "See themes",
		Sentence: "List themes, their assets and the marketplace."},
	{Name: ThemesWrite, Resource: "themes", Access: "write", Title: "Manage themes",
		Sentence: "Activate, import and change themes. Includes reading them."},
}

// exported is the scope that reading what a job exports needs.
var exported = map[state.ExportKind]string{
	state.ExportOrders:          OrdersRead,
	state.ExportProducts:        ProductsRead,
	state.ExportCustomers:       CustomersRead,
	state.ExportWebhookAttempts: WebhooksRead,
}

// OfExport returns the scope that reading what jobs of a kind export needs, or "".
func OfExport(kind state.ExportKind) string { return exported[kind] }

// All returns the catalogue in its order of display.
func All() []Scope { return slices.Clone(catalogue) }

// Names returns every name, in the catalogue's order.
func Names() []string {
	names := make([]string, len(catalogue))
	for i, s := range catalogue {
		names[i] = s.Name
	}
	return names
}

// Known reports whether name is in the catalogue.
func Known(name string) bool { return bit(name) != 0 }

// Set is a set of scopes of the catalogue.
type Set uint32

func bit(name string) Set {
	for i := range catalogue {
		if catalogue[i].Name == name {
			return 1 << i
		}
	}
	return 0
}

// Of makes a set; names outside the catalogue are left out.
func Of(names ...string) Set {
	var s Set
	for _, n := range names {
		s |= bit(n)
	}
	return s
}

// Full is every scope of the catalogue.
func Full() Set { return 1<<len(catalogue) - 1 }

// Parse reads names parted by spaces; names outside the catalogue are left out.
func Parse(s string) Set { return Of(strings.Fields(s)...) }

// Effective adds what the set implies: a .write implies the .read of the same
// resource and nothing else (spec, section 5).
func (s Set) Effective() Set {
	for i := range catalogue {
		if catalogue[i].Access == "write" && s&(1<<i) != 0 {
			s |= bit(catalogue[i].Resource + ".read")
		}
	}
	return s
}

// Has reports whether name is in the set itself, without implications: ask the
// effective set.
func (s Set) Has(name string) bool { b := bit(name); return b != 0 && s&b == b }

// Covers reports whether every scope of t is in s.
func (s Set) Covers(t Set) bool { return s&t == t }

// Names returns the names, sorted.
func (s Set) Names() []string {
	names := []string{}
	for i := range catalogue {
		if s&(1<<i) != 0 {
			names = append(names, catalogue[i].Name)
		}
	}
	slices.Sort(names)
	return names
}

// String returns the sorted names parted by spaces: the stored form.
func (s Set) String() string { return strings.Join(s.Names(), " ") }
