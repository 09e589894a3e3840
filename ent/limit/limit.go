// Package limit is the one table of how long texts and lists may be and how large
// numbers. The columns of the schema, the checks of input, the API's document and
// the forms of the dashboard keep to it; tests compare those that cannot read it.
package limit

// Body is the body of a request, in bytes.
const Body = 1 << 20

// Texts, in code points.
const (
	// Line is a text of one line: a name, a title, a reason, a part of an address.
	Line = 255
	// Label is a short one: a tag, a telephone number, a method of payment.
	Label = 64
	// PostalCode is the postal code of an address.
	PostalCode = 32
	// Note is what the staff write about an order or a customer.
	Note = 5000
	// ReviewNote is what a reviewer writes about a theme.
	ReviewNote = 1000
	// Description is a product's.
	Description = 65535
	// ThemeDescription is what a theme's author says of it.
	ThemeDescription = 1000
	// Password is the longest password, ShortPassword the shortest.
	Password      = 256
	ShortPassword = 10
)

// Texts whose characters are ASCII or are counted as they are stored, in bytes.
const (
	// Email is an e-mail address (RFC 5321, section 4.5.3.1.3).
	Email = 254
	// EmailFilter is an e-mail address that customers are looked up by: what was
	// published before [Email] was the limit.
	EmailFilter = 320
	// URL is an address of the web.
	URL = 2048
	// Handle names a product or a theme in addresses.
	Handle = 120
	// StoreHandle names a store: a label of a host name (RFC 1035, section 2.3.4).
	StoreHandle = 63
	// Locale is a language tag (RFC 5646, section 4.4.1).
	Locale = 35
	// Timezone is a name of the time zone database.
	Timezone = 64
	// Source is where an order comes from.
	Source = 64
	// Category is a word under which a theme of the marketplace is found.
	Category = 32
	// Version is what a theme's author calls a version of it.
	Version = 64
	// Passkey is what a browser says of a passkey, as JSON.
	Passkey = 16 << 10
	// IdempotencyKey is the value of the header.
	IdempotencyKey = 255
)

// Lists, in entries.
const (
	// Page is a page of a list of the API.
	Page = 100
	// Tags are those of one resource.
	Tags = 50
	// Addresses are a customer's.
	Addresses = 50
	// Lines are the lines that a request names.
	Lines = 100
	// Categories are those of one theme of the marketplace.
	Categories = 10
	// EventNames are those that a request subscribes to; the catalogue has fewer.
	EventNames = 100
	// RedirectURIs are those of one app.
	RedirectURIs = 20
)

// What a store has at most.
const (
	Apps      = 100
	APIKeys   = 100 // that are not revoked
	Endpoints = 100
	People    = 500
	Themes    = 100
	// Invitations are those that nobody has answered.
	Invitations = 100
	// Exports are those that have not ended, ExportsPerDay those that were asked for
	// within 24 hours.
	Exports       = 50
	ExportsPerDay = 500
	// PictureBytes is how much the copies of its products' pictures take together, in
	// bytes.
	PictureBytes = 1 << 30
)

// What a person has at most.
const (
	Stores  = 50 // that they own
	Factors = 10 // second factors
)

// Numbers. The largest amount of money is that of package currency.
const (
	// Quantity is how many pieces a line of an order has.
	Quantity = 1_000_000
	// Inventory is how many pieces of a product are in stock.
	Inventory = 1<<31 - 1
)

// Bytes is the room that n code points take in UTF-8 at most.
func Bytes(n int) int { return 4 * n }
