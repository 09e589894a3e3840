// Package limit is the one table of how long texts and lists may be and how large
// numbers. The columns of the schema, the checks of input, the API's document and
// the forms of the dashboard keep to it; tests compare those that cannot read it.
// Beside it is the one table of what stores and people have and cause at most, which
// the operator may change: see [Rows].
package limit

// Body is the body of a request, in bytes.
const Body = 1 << 20

// Answer is what one answer may have, and what the rows of one may have in long texts, in bytes.
// A page of a list of the REST API ends early; in GraphQL more is an error.
const Answer = 8 << 20

// Keys of the lists of a storefront and of its search, in bytes.
const (
	// TitleKey is as much of a title as lists are sorted by.
	TitleKey = 64
	// SearchWord is as much of a word as is searched.
	SearchWord = 48
)

// Texts, in code points.
const (
	// Line is a text of one line: a name, a title, a reason, a part of an address.
	Line = 255
	// Label is a short one: a tag, a telephone number, a method of payment.
	Label = 64
	// PostalCode is the postal code of an address.
	PostalCode = 32
	// PaymentSecret is a secret of an account with a payment provider.
	PaymentSecret = 200
	// Note is what the staff write about an order or a customer.
	Note = 5000
	// ReviewNote is what a reviewer writes about a theme.
	ReviewNote = 1000
	// Description is a product's.
	Description = 65535
	// ThemeDescription is what a theme's author says of it.
	ThemeDescription = 1000
	// ThemeSetting is what a merchant sets about a theme.
	ThemeSetting = 1000
	// PageBody is the Markdown of a page of a storefront.
	PageBody = 65535
	// SEODescription is what search engines show of a page.
	SEODescription = 320
	// ImageAlt says what a picture of a product shows, to who does not see it.
	ImageAlt = 512
	// Password is the longest password, ShortPassword the shortest.
	Password      = 256
	ShortPassword = 10
)

// Texts whose characters are ASCII or are counted as they are stored, in bytes.
const (
	// Email is an e-mail address (RFC 5321, section 4.5.3.1.3).
	Email = 254
	// StrangerMails is how many emails a day a store sends to an address that never paid it,
	// AddressMails how many all stores do together, and NetworkMails how many emails an hour
	// the shoppers of one network cause.
	StrangerMails = 3
	AddressMails  = 10
	NetworkMails  = 20
	// OrderNews is of how many new orders an hour the people of a store get a notice each.
	OrderNews = 10
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
	// Code is what shoppers enter for a discount, ShortCode the shortest.
	Code      = 64
	ShortCode = 3
	// Conditions are those of a collection's rule, CollectionProducts what it has where they
	// are put in by hand.
	Conditions         = 20
	CollectionProducts = 500
	// DiscountCollections are those whose goods a discount is for.
	DiscountCollections = 20
	// CollectionText describes a collection.
	CollectionText = 2000
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
	// HeaderName and HeaderValue are those of a header that an endpoint has of its own.
	HeaderName  = 64
	HeaderValue = 1024
	// FilterField leads to a member of an event, FilterText is all conditions of an
	// endpoint as they are stored.
	FilterField = 128
	FilterText  = 4096
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
	// ThemeSettings are the settings of one theme, ThemeOptions those of a choice.
	ThemeSettings = 40
	ThemeOptions  = 20
	// Countries are those of one shipping zone, Rates its rates; TaxRates are those of a
	// store.
	Countries = 300
	Rates     = 20
	TaxRates  = 500
	// PaymentMethods are the ways to pay of a store.
	PaymentMethods = 10
	// CartLines are the lines of a cart, CartQuantity the pieces of one.
	CartLines    = 100
	CartQuantity = 999
	// EventNames are those that a request subscribes to; the catalogue has fewer.
	EventNames = 100
	// KeyNetworks are those that an API key may be used from.
	KeyNetworks = 20
	// RedirectURIs are those of one app.
	RedirectURIs = 20
	// Headers and Filters are those of one webhook endpoint, FilterValues those that a
	// condition compares with.
	Headers      = 10
	Filters      = 10
	FilterValues = 50
	// Options are those of a product, such as its sizes; Variants are what it is sold as,
	// and the values of one option.
	Options  = 3
	Variants = 100
	// Images are the uploaded pictures of a product.
	Images = 24
	// MenuLinks are those of one menu, with the links below others.
	MenuLinks = 30
	// ExportIDs are those that an export is narrowed to.
	ExportIDs = 250
	// Retries are the deliveries that one request sends once more.
	Retries = 1000
)

// Pictures that are uploaded.
const (
	// ImageBytes is the largest file.
	ImageBytes = 20 << 20
	// ImagePixels is the most that a picture has.
	ImagePixels = 50_000_000
)

// Numbers. The largest amount of money is that of package currency.
const (
	// Quantity is how many pieces a line of an order has.
	Quantity = 1_000_000
	// Inventory is how many pieces of a product are in stock.
	Inventory = 1<<31 - 1
	// Weight is how heavy one piece of a product is, in grams.
	Weight = 1_000_000_000
	// BasisPoints are the hundredths of a percent that make a whole.
	BasisPoints = 10_000
	// Uses are how often a discount may be used.
	Uses = 1_000_000_000
	// EndpointRate is how many attempts to a webhook endpoint may begin in a second.
	EndpointRate = 1000
)

// Bytes is the room that n code points take in UTF-8 at most.
func Bytes(n int) int { return 4 * n }
