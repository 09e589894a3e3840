// Package scope is the catalog of scopes (spec, section 5; contract, section 15): the single table
// used by authorization, the key editor, the consent screen, the metadata document, GraphQL and the
// OpenAPI test.
package scope

import (
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/state"
)

// Scope is one entry of the catalog.
type Scope struct {
	Name     string // "orders.read"
	Resource string // "orders"
	Access   string // "read" or "write"
	Title    string // a few words for a consent screen
	Sentence string // what the holder can do, as a sentence
	Personal bool   // gives access to personal data
	Money    bool   // can send money
}

// The names in the catalog.
const (
	ProductsRead      = "products.read"
	ProductsWrite     = "products.write"
	InventoryRead     = "inventory.read"
	InventoryWrite    = "inventory.write"
	CollectionsRead   = "collections.read"
	CollectionsWrite  = "collections.write"
	OrdersRead        = "orders.read"
	OrdersWrite       = "orders.write"
	SalesWrite        = "sales.write"
	FulfillmentsWrite = "fulfillments.write"
	RefundsWrite      = "refunds.write"
	DiscountsRead     = "discounts.read"
	DiscountsWrite    = "discounts.write"
	CustomersRead     = "customers.read"
	CustomersWrite    = "customers.write"
	CustomFieldsRead  = "custom_fields.read"
	CustomFieldsWrite = "custom_fields.write"
	LocationsRead     = "locations.read"
	LocationsWrite    = "locations.write"
	ExportsRead       = "exports.read"
	ExportsWrite      = "exports.write"
	ImportsRead       = "imports.read"
	ImportsWrite      = "imports.write"
	WebhooksRead      = "webhooks.read"
	WebhooksWrite     = "webhooks.write"
	ThemesRead        = "themes.read"
	ThemesWrite       = "themes.write"
)

var catalog = []Scope{
	{Name: ProductsRead, Resource: "products", Access: "read", Title: "See products",
		Sentence: "Read the store's products, prices and stock."},
	{Name: ProductsWrite, Resource: "products", Access: "write", Title: "Manage products",
		Sentence: "Create and change products. Includes reading them."},
	{Name: InventoryRead, Resource: "inventory", Access: "read", Title: "See stock",
		Sentence: "Read the stock of products and its history."},
	{Name: InventoryWrite, Resource: "inventory", Access: "write", Title: "Manage stock",
		Sentence: "Change the stock of products. Includes reading it."},
	{Name: CollectionsRead, Resource: "collections", Access: "read", Title: "See collections",
		Sentence: "Read collections and their rules."},
	{Name: CollectionsWrite, Resource: "collections", Access: "write", Title: "Manage collections",
		Sentence: "Create, change and delete collections. Includes reading them."},
	{Name: OrdersRead, Resource: "orders", Access: "read", Title: "See orders",
		Sentence: "Read orders with their addresses, amounts, notes and returns.", Personal: true},
	{Name: OrdersWrite, Resource: "orders", Access: "write", Title: "Annotate orders",
		Sentence: "Add notes to orders. Includes reading them.", Personal: true},
	{Name: SalesWrite, Resource: "sales", Access: "write", Title: "Change orders",
		Sentence: "Create, change and cancel orders, record payments and handle returns. Shows the orders it changes.", Personal: true},
	{Name: FulfillmentsWrite, Resource: "fulfillments", Access: "write", Title: "Ship orders",
		Sentence: "Fulfill orders and set tracking. Shows the orders it fulfills.", Personal: true},
	{Name: RefundsWrite, Resource: "refunds", Access: "write", Title: "Refund orders",
		Sentence: "Refund payments and restock items. Shows the orders it refunds.", Personal: true, Money: true},
	{Name: DiscountsRead, Resource: "discounts", Access: "read", Title: "See discounts",
		Sentence: "Read discounts and how often they were used."},
	{Name: DiscountsWrite, Resource: "discounts", Access: "write", Title: "Manage discounts",
		Sentence: "Create, change and delete discounts. Includes reading them."},
	{Name: CustomersRead, Resource: "customers", Access: "read", Title: "See customers",
		Sentence: "Read customers with their contact details and addresses.", Personal: true},
	{Name: CustomersWrite, Resource: "customers", Access: "write", Title: "Manage customers",
		Sentence: "Create, change and disable customers. Includes reading them.", Personal: true},
	{Name: CustomFieldsRead, Resource: "custom_fields", Access: "read", Title: "See custom fields",
		Sentence: "Read which custom fields the store has, without their values."},
	{Name: CustomFieldsWrite, Resource: "custom_fields", Access: "write", Title: "Manage custom fields",
		Sentence: "Create, change and delete custom fields with their values. Includes reading them."},
	{Name: LocationsRead, Resource: "locations", Access: "read", Title: "See locations",
		Sentence: "Read the places where the store keeps stock."},
	{Name: LocationsWrite, Resource: "locations", Access: "write", Title: "Manage locations",
		Sentence: "Create, change and close locations. Includes reading them."},
	{Name: ExportsRead, Resource: "exports", Access: "read", Title: "See exports",
		Sentence: "List export jobs and fetch their files.", Personal: true},
	{Name: ExportsWrite, Resource: "exports", Access: "write", Title: "Run exports",
		Sentence: "Start, cancel and delete export jobs. Includes reading them.", Personal: true},
	{Name: ImportsRead, Resource: "imports", Access: "read", Title: "See imports",
		Sentence: "List import jobs and what failed in them."},
	{Name: ImportsWrite, Resource: "imports", Access: "write", Title: "Run imports",
		Sentence: "Start and cancel import jobs. Includes reading them."},
	{Name: WebhooksRead, Resource: "webhooks", Access: "read", Title: "See webhooks",
		Sentence: "List webhook endpoints and their state."},
	{Name: WebhooksWrite, Resource: "webhooks", Access: "write", Title: "Manage webhooks",
		Sentence: "Register and delete webhook endpoints. Includes reading them."},
	{Name: ThemesRead, Resource: "themes", Access: "read", Title: "See themes",
		Sentence: "List themes, their assets and the marketplace."},
	{Name: ThemesWrite, Resource: "themes", Access: "write", Title: "Manage themes",
		Sentence: "Activate, import and change themes. Includes reading them."},
}

// exported is the scope for reading the rows of an export, by its kind.
var exported = map[state.ExportKind]string{
	state.ExportOrders:          OrdersRead,
	state.ExportProducts:        ProductsRead,
	state.ExportCustomers:       CustomersRead,
	state.ExportWebhookAttempts: WebhooksRead,
}

// OfExport returns the scope for reading the rows of exports of a kind, or "".
func OfExport(kind state.ExportKind) string { return exported[kind] }

// All returns a copy of the catalog, in display order.
func All() []Scope { return slices.Clone(catalog) }

// Names returns all names, in display order.
func Names() []string {
	names := make([]string, len(catalog))
	for i, s := range catalog {
		names[i] = s.Name
	}
	return names
}

// Known reports whether name is in the catalog.
func Known(name string) bool { return bit(name) != 0 }

// Set is a set of scopes of the catalog.
type Set uint32

func bit(name string) Set {
	for i := range catalog {
		if catalog[i].Name == name {
			return 1 << i
		}
	}
	return 0
}

// Of returns a set of the given scopes; unknown names are ignored.
func Of(names ...string) Set {
	var s Set
	for _, n := range names {
		s |= bit(n)
	}
	return s
}

// Full returns the set of all scopes.
func Full() Set { return 1<<len(catalog) - 1 }

// Parse parses names separated by spaces; unknown names are ignored.
func Parse(s string) Set { return Of(strings.Fields(s)...) }

// Effective adds the implied scopes: a .write implies the .read of the same resource, if there is
// one, and nothing else (spec, section 5).
func (s Set) Effective() Set {
	for i := range catalog {
		if catalog[i].Access == "write" && s&(1<<i) != 0 {
			s |= bit(catalog[i].Resource + ".read")
		}
	}
	return s
}

// Has reports whether name is in the set itself, without implications; call it on the effective
// set.
func (s Set) Has(name string) bool { b := bit(name); return b != 0 && s&b == b }

// Covers reports whether every scope of t is in s.
func (s Set) Covers(t Set) bool { return s&t == t }

// briefBytes bounds [Set.Brief].
const briefBytes = 200

// Brief returns the names separated by spaces, without reads that a write of the set includes: for
// the audit log, whose texts are short. Of very many names it counts the last ones.
func (s Set) Brief() string {
	for i := range catalog {
		if catalog[i].Access == "write" && s&(1<<i) != 0 {
			s &^= bit(catalog[i].Resource + ".read")
		}
	}
	names := s.Names()
	text := strings.Join(names, " ")
	for n := len(names) - 1; len(text) > briefBytes; n-- {
		text = strings.Join(names[:n], " ") + " and " + strconv.Itoa(len(names)-n) + " more"
	}
	return text
}

// Names returns the names, sorted.
func (s Set) Names() []string {
	names := []string{}
	for i := range catalog {
		if s&(1<<i) != 0 {
			names = append(names, catalog[i].Name)
		}
	}
	slices.Sort(names)
	return names
}

// String returns the sorted names separated by spaces, which is the stored form.
func (s Set) String() string { return strings.Join(s.Names(), " ") }
