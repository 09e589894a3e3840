// Package limit is the single table of the maximum lengths of texts and lists and of the largest
// numbers. The columns of the schema, the checks of input, the API document and the forms of the
// dashboard use it; tests compare the copies that cannot. It also has the table of the limits of
// stores and people that the operator may change: see [Rows].
package limit

// Body is the maximum size of the body of a request, in bytes.
const Body = 1 << 20

// Answer is the maximum size of an answer, and of the long texts in the rows of one, in bytes.
// Pages of lists in the REST API end early; in GraphQL exceeding it is an error.
const Answer = 8 << 20

// Keys of the lists and the search of a storefront, in bytes.
const (
	// TitleKey is the length of the prefix of a title by which lists are sorted.
	TitleKey = 64
	// SearchWord is the length of the prefix of a word that is searched.
	SearchWord = 48
)

// Texts, in code points.
const (
	// Line is a text of one line: a name, a title, a reason, a part of an address.
	Line = 255
	// Label is a short line: a tag, a telephone number, a method of payment.
	Label      = 64
	PostalCode = 32
	// PaymentSecret is a secret of an account with a payment provider.
	PaymentSecret = 200
	// Note is a note of the staff on an order or a customer.
	Note = 5000
	// CustomText is a value of type text of a custom field.
	CustomText = 5000
	// CartNote is a shopper's note to the shop, GiftMessage the text of a gift. An order has both in one note.
	CartNote    = 2000
	GiftMessage = 500
	ReviewNote  = 1000
	// Description is the description of a product.
	Description = 65535
	// MakerAddress is the postal address of the maker of a product, Safety its safety information.
	MakerAddress     = 1000
	Safety           = 5000
	ThemeDescription = 1000
	ThemeSetting     = 1000
	// PageBody is the Markdown of a page of a storefront.
	PageBody = 65535
	// SEODescription is the description of a page for search engines.
	SEODescription = 320
	// Announcement is the line above the pages of a shop, and the message while it does not sell.
	Announcement = 300
	// ImageAlt is the alternative text of a product's image.
	ImageAlt = 512
	// EmailText is a store's introduction or closing of an email to shoppers.
	EmailText = 4000
	// Password is the longest password, ShortPassword the shortest.
	Password      = 256
	ShortPassword = 10
)

// Texts that are ASCII or are counted as stored, in bytes.
const (
	// Email is an email address (RFC 5321, section 4.5.3.1.3).
	Email = 254
	// EmailLocal is the part of an email address before the @ (RFC 5321, section 4.5.3.1.1).
	EmailLocal = 64
	// StrangerMails is the number of emails per day that a store sends to an address that never
	// paid it, AddressMails that of all stores together, and NetworkMails the number of emails per
	// hour caused by shoppers of one network.
	StrangerMails = 3
	AddressMails  = 10
	NetworkMails  = 20
	// StoreCodes is the number of sign-in codes per hour that a store emails to one address of a
	// shopper, AddressCodes that of all stores together per day, and NetworkCodes the number that
	// one network may ask for per hour.
	StoreCodes   = 5
	AddressCodes = 20
	NetworkCodes = 30
	// OrderNews is the number of new orders per hour of which each notifies the staff.
	OrderNews = 10
	// EmailFilter is an email address by which customers are looked up. It is longer than [Email]
	// because it was published before that limit.
	EmailFilter = 320
	URL         = 2048
	// Handle is the handle of a product or a theme in URLs.
	Handle = 120
	// Host is the name of a host without a final dot (RFC 1035, section 2.3.4).
	Host = 253
	// StoreHandle is the handle of a store: a label of a host name (RFC 1035, section 2.3.4).
	StoreHandle = 63
	// Locale is a language tag (RFC 5646, section 4.4.1).
	Locale = 35
	// Timezone is a name in the time zone database.
	Timezone = 64
	// Code is the longest discount code, ShortCode the shortest.
	Code      = 64
	ShortCode = 3
	// Conditions are the conditions of a collection's rule, CollectionProducts the products that
	// are added to a collection by hand.
	Conditions         = 20
	CollectionProducts = 500
	// DiscountCollections are the collections whose products a discount applies to.
	DiscountCollections = 20
	// RemindHours is the longest time between the last change of a cart and its reminder.
	RemindHours = 72
	// Views is how many views of lists a person saves in a store; ViewName and ViewQuery bound the
	// name and the filters of each.
	Views     = 50
	ViewName  = 40
	ViewQuery = 2000
	// CollectionText is the description of a collection.
	CollectionText = 2000
	Source         = 64
	// Category is a category of the theme marketplace.
	Category = 32
	// Version is the author's name of a version of a theme.
	Version = 64
	// Passkey is the browser's answer for a passkey, as JSON.
	Passkey = 16 << 10
	// IdempotencyKey is the value of the Idempotency-Key header.
	IdempotencyKey = 255
	// HeaderName and HeaderValue are the name and the value of a custom header of an endpoint.
	HeaderName  = 64
	HeaderValue = 1024
	// CustomFieldName is the name of a custom field, CustomFieldJSON a value of type json, and
	// CustomFieldBytes all values of one record.
	CustomFieldName  = 64
	CustomFieldJSON  = 16 << 10
	CustomFieldBytes = 64 << 10
	// FilterField is the path of a member of an event, FilterText all conditions of an endpoint as
	// stored.
	FilterField = 128
	FilterText  = 4096
)

// Lists, in entries.
const (
	// Page is a page of a list of the API.
	Page = 100
	// Tags are the tags of one resource.
	Tags      = 50
	Addresses = 50
	// ShopperPasskeys are the passkeys of one account of a shopper.
	ShopperPasskeys = 10
	// Lines are the lines in a request.
	Lines = 100
	// OrderPayments are the payments that a new order of the REST API brings along.
	OrderPayments = 20
	// InventoryLines are the lines of an adjustment of stock.
	InventoryLines = 250
	// Categories are the categories of one theme of the marketplace.
	Categories = 10
	// ThemeSections are the sections of a home page, SectionProducts the products of one.
	ThemeSections   = 20
	SectionProducts = 12
	// ThemeSettings are the settings of one theme, ThemeOptions the options of one choice.
	ThemeSettings = 40
	ThemeOptions  = 20
	// Countries are the countries of one shipping zone, Rates its rates; TaxRates are the tax rates
	// of a store.
	Countries = 300
	Rates     = 20
	TaxRates  = 500
	// Barcode is the length of a GTIN.
	Barcode = 14
	// TaxCategory is the length of the key of a tax category, TaxCategories are those a store adds.
	TaxCategory   = 40
	TaxCategories = 50
	// TaxesOfPlace are the taxes of one country or region for one category.
	TaxesOfPlace = 5
	// VATID is the length of a VAT id.
	VATID = 20
	// InvoicePrefix is the length of the text before the number of an invoice, InvoiceText that of a
	// text of the store's own on invoices, Invoices the orders or invoices that a request names.
	InvoicePrefix = 20
	InvoiceText   = 1000
	Invoices      = 100
	// ReturnText is the length of what a shopper or the store says about a return, and Returns are
	// the returns of an order.
	ReturnText = 1000
	Returns    = 50
	// LabelBytes is the size of the label of a return, PhotoBytes that of a photo of its shopper, and
	// Photos are the photos of a return.
	LabelBytes = 2 << 20
	PhotoBytes = 5 << 20
	Photos     = 5
	// ReturnDays is the longest time to return an order, ReturnCountries are the countries with another
	// one, and ExcludedTags the tags of products that cannot be returned.
	ReturnDays      = 730
	ReturnCountries = 50
	ExcludedTags    = 20
	// PaymentMethods are the payment methods of a store.
	PaymentMethods = 10
	// Domains are the hosts that a store brings.
	Domains = 10
	// CartLines are the lines of a cart, CartQuantity the quantity of one line.
	CartLines    = 100
	CartQuantity = 999
	// EventNames are the events that a request subscribes to; the catalog has fewer.
	EventNames = 100
	// Selection is the text of the fields that an endpoint selects, and SelectionName a name that it
	// gives to one.
	Selection     = 4096
	SelectionName = 64
	// KeyNetworks are the networks that an API key may be used from.
	KeyNetworks = 20
	// RedirectURIs are the redirect URIs of one app.
	RedirectURIs = 20
	// Headers and Filters are those of one webhook endpoint, FilterValues the values that one
	// condition compares with.
	Headers      = 10
	Filters      = 10
	FilterValues = 50
	// Options are the options of a product, such as its size; Variants are its variants, and also
	// the values of one option.
	Options  = 3
	Variants = 2000
	Images   = 24
	// Videos are the videos of a product.
	Videos = 5
	// MenuLinks are the links of one menu, including nested ones.
	MenuLinks = 30
	// CustomFields are the custom fields of products, of variants, of orders and of customers each, of
	// which FilterableFields can be filterable, but of variants FilterableVariantFields: a product has up
	// to 2,000 values of each. CustomFieldItems are the entries of a value of type list, and
	// CustomFieldFilters the conditions of one list on custom fields of an owner.
	CustomFields            = 100
	FilterableFields        = 20
	FilterableVariantFields = 5
	CustomFieldItems        = 100
	CustomFieldFilters      = 3
	// Locations are the locations of a store besides the default one, closed ones too.
	Locations = 100
	// ExportIDs are the ids that an export is limited to.
	ExportIDs = 250
	// Retries are the deliveries that one request retries.
	Retries = 1000
)

// Files that shoppers buy: the bytes of one, and how often each bought unit may be downloaded.
const (
	FileBytes = 20 << 20
	Downloads = 5
)

// Uploaded images.
const (
	ImageBytes  = 20 << 20
	ImagePixels = 50_000_000
)

// Numbers. The largest amount of money is in package currency.
const (
	Quantity = 1_000_000
	// Inventory is the stock of a product.
	Inventory = 1<<31 - 1
	// Weight is the weight of one unit of a product, in grams.
	Weight = 1_000_000_000
	// BasisPoints are the hundredths of a percent in 100 %.
	BasisPoints = 10_000
	Uses        = 1_000_000_000
	// EndpointRate is the number of attempts to a webhook endpoint that may begin in a second.
	EndpointRate = 1000
)

// Bytes returns the maximum number of bytes of n code points in UTF-8.
func Bytes(n int) int { return 4 * n }
