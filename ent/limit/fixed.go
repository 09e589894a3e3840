package limit

import "slices"

// Fixed is a limit that is the same everywhere and cannot be changed.
type Fixed struct {
	// Of is what is limited, and Unit the unit in which it is counted.
	Of, Unit string
	Most     int
}

// The units.
const (
	inCharacters = "characters"
	inBytes      = "bytes"
	inEntries    = "entries"
	inUnits      = ""
)

var fixed = []Fixed{
	{Of: "The body of a request", Unit: inBytes, Most: Body},
	{Of: "An answer; a page of a list ends early, with a cursor", Unit: inBytes, Most: Answer},
	{Of: "A line: a name, a title, a reason, a part of an address", Unit: inCharacters, Most: Line},
	{Of: "A short line: a tag, a telephone number, a method of payment", Unit: inCharacters, Most: Label},
	{Of: "A postal code", Unit: inCharacters, Most: PostalCode},
	{Of: "A note of an order or a customer", Unit: inCharacters, Most: Note},
	{Of: "A shopper's note to the shop", Unit: inCharacters, Most: CartNote},
	{Of: "The message of a gift", Unit: inCharacters, Most: GiftMessage},
	{Of: "A note of a reviewer of a theme", Unit: inCharacters, Most: ReviewNote},
	{Of: "The description of a product", Unit: inCharacters, Most: Description},
	{Of: "The postal address of the maker of a product", Unit: inCharacters, Most: MakerAddress},
	{Of: "The safety information of a product", Unit: inCharacters, Most: Safety},
	{Of: "The description of a theme", Unit: inCharacters, Most: ThemeDescription},
	{Of: "The value of a theme's setting", Unit: inCharacters, Most: ThemeSetting},
	{Of: "A page of a storefront, as Markdown", Unit: inCharacters, Most: PageBody},
	{Of: "The part of a title that storefront lists are sorted by", Unit: inBytes, Most: TitleKey},
	{Of: "The part of a word that the storefront search uses", Unit: inBytes, Most: SearchWord},
	{Of: "The description of a page for search engines", Unit: inCharacters, Most: SEODescription},
	{Of: "The announcement of a shop, and the message of its pause", Unit: inCharacters, Most: Announcement},
	{Of: "The description of a product image", Unit: inCharacters, Most: ImageAlt},
	{Of: "A password, which has at least 10", Unit: inCharacters, Most: Password},
	{Of: "An email address", Unit: inBytes, Most: Email},
	{Of: "The part before the @ of an address that a store sends emails from", Unit: inBytes, Most: EmailLocal},
	{Of: "An email address that customers are looked up by", Unit: inBytes, Most: EmailFilter},
	{Of: "A URL", Unit: inBytes, Most: URL},
	{Of: "The handle of a product or a theme", Unit: inBytes, Most: Handle},
	{Of: "The handle of a store", Unit: inBytes, Most: StoreHandle},
	{Of: "A domain", Unit: inBytes, Most: Host},
	{Of: "The domains of a store", Unit: inEntries, Most: Domains},
	{Of: "A language", Unit: inBytes, Most: Locale},
	{Of: "A time zone", Unit: inBytes, Most: Timezone},
	{Of: "The source of an order", Unit: inBytes, Most: Source},
	{Of: "A category of the marketplace", Unit: inBytes, Most: Category},
	{Of: "A key of an account with a payment provider", Unit: inBytes, Most: PaymentSecret},
	{Of: "The code of a discount, which has at least 3", Unit: inBytes, Most: Code},
	{Of: "The version of a theme", Unit: inBytes, Most: Version},
	{Of: "The response of a browser with a passkey", Unit: inBytes, Most: Passkey},
	{Of: "An idempotency key", Unit: inBytes, Most: IdempotencyKey},
	{Of: "The name of a custom header of a webhook endpoint", Unit: inBytes, Most: HeaderName},
	{Of: "The value of a custom header of a webhook endpoint", Unit: inBytes, Most: HeaderValue},
	{Of: "The field of a webhook filter", Unit: inBytes, Most: FilterField},
	{Of: "All filters of a webhook endpoint", Unit: inBytes, Most: FilterText},
	{Of: "A page of a list", Unit: inEntries, Most: Page},
	{Of: "The tags of a resource", Unit: inEntries, Most: Tags},
	{Of: "The addresses of a customer", Unit: inEntries, Most: Addresses},
	{Of: "The lines that a request names", Unit: inEntries, Most: Lines},
	{Of: "The categories of a theme", Unit: inEntries, Most: Categories},
	{Of: "The lines of a cart", Unit: inEntries, Most: CartLines},
	{Of: "The quantity of one line of a cart", Unit: "", Most: CartQuantity},
	{Of: "The payment methods of a store", Unit: inEntries, Most: PaymentMethods},
	{Of: "The sections of a home page", Unit: inEntries, Most: ThemeSections},
	{Of: "The products of a section", Unit: inEntries, Most: SectionProducts},
	{Of: "The settings of a theme", Unit: inEntries, Most: ThemeSettings},
	{Of: "The options of a choice among a theme's settings", Unit: inEntries, Most: ThemeOptions},
	{Of: "The options of a product", Unit: inEntries, Most: Options},
	{Of: "The variants of a product, and the values of an option", Unit: inEntries, Most: Variants},
	{Of: "The videos of a product", Unit: inEntries, Most: Videos},
	{Of: "The uploaded images of a product", Unit: inEntries, Most: Images},
	{Of: "The countries of a shipping zone", Unit: inEntries, Most: Countries},
	{Of: "The rates of a shipping zone", Unit: inEntries, Most: Rates},
	{Of: "The tax rates of a store", Unit: inEntries, Most: TaxRates},
	{Of: "A barcode", Unit: inCharacters, Most: Barcode},
	{Of: "The key of a tax category", Unit: inCharacters, Most: TaxCategory},
	{Of: "The taxes of a place for one category", Unit: inEntries, Most: TaxesOfPlace},
	{Of: "A VAT id", Unit: inCharacters, Most: VATID},
	{Of: "The text before the number of an invoice", Unit: inCharacters, Most: InvoicePrefix},
	{Of: "A text on the invoices of a store", Unit: inCharacters, Most: InvoiceText},
	{Of: "The orders or invoices that a request issues or prints", Unit: inEntries, Most: Invoices},
	{Of: "What a shopper or the store says about a return", Unit: inCharacters, Most: ReturnText},
	{Of: "The returns of an order", Unit: inEntries, Most: Returns},
	{Of: "The tax categories that a store adds", Unit: inEntries, Most: TaxCategories},
	{Of: "The description of a collection", Unit: inCharacters, Most: CollectionText},
	{Of: "The products of a manual collection", Unit: inEntries, Most: CollectionProducts},
	{Of: "The collections that a discount applies to", Unit: inEntries, Most: DiscountCollections},
	{Of: "The conditions of a collection", Unit: inEntries, Most: Conditions},
	{Of: "The networks that an API key may be used from", Unit: inEntries, Most: KeyNetworks},
	{Of: "The links of a menu, including nested ones", Unit: inEntries, Most: MenuLinks},
	{Of: "The event names of a request", Unit: inEntries, Most: EventNames},
	{Of: "The redirect URIs of an app", Unit: inEntries, Most: RedirectURIs},
	{Of: "The custom headers of a webhook endpoint", Unit: inEntries, Most: Headers},
	{Of: "The filters of a webhook endpoint", Unit: inEntries, Most: Filters},
	{Of: "The values that a webhook filter compares with", Unit: inEntries, Most: FilterValues},
	{Of: "The ids that an export is filtered by", Unit: inEntries, Most: ExportIDs},
	{Of: "The deliveries that one request resends", Unit: inEntries, Most: Retries},
	{Of: "An introduction or closing of an email to shoppers", Unit: inCharacters, Most: EmailText},
	{Of: "The file of an uploaded image", Unit: inBytes, Most: ImageBytes},
	{Of: "The pixels of an uploaded image", Unit: inUnits, Most: ImagePixels},
	{Of: "The quantity of an order's line", Unit: inUnits, Most: Quantity},
	{Of: "The inventory of a product", Unit: inUnits, Most: Inventory},
	{Of: "The weight of a piece, in grams", Unit: inUnits, Most: Weight},
	{Of: "A share or a rate, in hundredths of a percent", Unit: inUnits, Most: BasisPoints},
	{Of: "The uses of a discount", Unit: inUnits, Most: Uses},
	{Of: "The orders per hour that the staff of a store are notified of one by one", Unit: inUnits, Most: OrderNews},
	{Of: "The emails per day from a store to an address that never paid it", Unit: inUnits, Most: StrangerMails},
	{Of: "The emails per day from all stores to an address that never paid them", Unit: inUnits, Most: AddressMails},
	{Of: "The emails per hour to such addresses for orders from one network", Unit: inUnits, Most: NetworkMails},
	{Of: "The sign-in codes per hour from a store to the address of a shopper", Unit: inUnits, Most: StoreCodes},
	{Of: "The sign-in codes per day from all stores to the address of a shopper", Unit: inUnits, Most: AddressCodes},
	{Of: "The sign-in codes per hour that the shoppers of one network may ask for", Unit: inUnits, Most: NetworkCodes},
	{Of: "The rate of a webhook endpoint: attempts per second", Unit: inUnits, Most: EndpointRate},
}

// All returns a copy of the table of fixed limits.
func All() []Fixed { return slices.Clone(fixed) }
