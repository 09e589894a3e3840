package limit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Name is the name of a limit that the operator may change, as used in settings, errors and
// documents.
type Name string

// Limits of a store, of a person and of an endpoint, and rate limits.
const (
	People               Name = "people"
	Invitations          Name = "invitations"
	APIKeys              Name = "api_keys"
	Apps                 Name = "apps"
	Endpoints            Name = "webhook_endpoints"
	Themes               Name = "themes"
	ThemeBytes           Name = "theme_bytes"
	PictureBytes         Name = "picture_bytes"
	Pages                Name = "pages"
	ShippingZones        Name = "shipping_zones"
	Discounts            Name = "discounts"
	Collections          Name = "collections"
	Exports              Name = "exports"
	ExportsPerDay        Name = "exports_per_day"
	ExportsRunning       Name = "exports_running"
	MailsPerDay          Name = "mails_per_day"
	OrderMailsPerDay     Name = "order_mails_per_day"
	NewStoreMailsPerDay  Name = "new_store_mails_per_day"
	NewStoreDays         Name = "new_store_days"
	PingsPerMinute       Name = "pings_per_minute"
	ReportOrders         Name = "report_orders_per_minute"
	Products             Name = "products"
	StoreVariants        Name = "variants"
	Customers            Name = "customers"
	StoredBytes          Name = "stored_bytes"
	UnpaidPieces         Name = "unpaid_pieces"
	WrittenBytes         Name = "written_bytes_per_minute"
	ImageMegapixels      Name = "image_megapixels_per_minute"
	Stores               Name = "stores"
	Factors              Name = "factors"
	RatePerSecond        Name = "rate_per_second"
	RateBurst            Name = "rate_burst"
	StoreRatePerSecond   Name = "store_rate_per_second"
	VisitorRatePerSecond Name = "visitor_rate_per_second"
)

// Row is one limit of the table.
type Row struct {
	Name Name
	// Counts says what is counted and whose, in the plural.
	Counts string
	// Advice is a sentence for a user who has reached the limit; it may be empty.
	Advice                   string
	Default, Least, Greatest int64
	// Whole says that the limit is the same for all stores.
	Whole bool
	// Flag is the flag of serve that sets the limit; empty means --limit.
	Flag string
}

// rows is the table. Limits on rows that are counted one by one are bounded by what a transaction
// can read.
var rows = []Row{
	{Name: People, Counts: "staff of a store", Default: 500, Least: 1, Greatest: 10_000},
	{Name: Invitations, Counts: "pending invitations of a store", Advice: "Withdraw one.",
		Default: 100, Least: 1, Greatest: 10_000},
	{Name: APIKeys, Counts: "API keys of a store that are not revoked",
		Advice: "Revoke one that is no longer used.", Default: 100, Least: 1, Greatest: 10_000},
	{Name: Apps, Counts: "OAuth apps that a store registered", Default: 100, Least: 1, Greatest: 10_000},
	{Name: Endpoints, Counts: "webhook endpoints of a store", Default: 100, Least: 1, Greatest: 10_000},
	{Name: Themes, Counts: "themes of a store", Advice: "Remove one that is no longer used.",
		Default: 100, Least: 1, Greatest: 10_000},
	{Name: ThemeBytes, Counts: "bytes of the templates and assets of a store's themes",
		Advice: "Remove a theme that is no longer used.", Default: 1 << 30, Least: 1, Greatest: 1 << 40},
	{Name: PictureBytes,
		Counts:  "bytes of the images and files of a store's products; further ones are neither accepted nor shown",
		Default: 1 << 30, Least: 1, Greatest: 1 << 40},
	{Name: Pages, Counts: "pages of a store", Advice: "Remove one that is no longer used.",
		Default: 100, Least: 1, Greatest: 1000},
	{Name: ShippingZones, Counts: "shipping zones of a store", Advice: "Delete one, or add the countries to another.",
		Default: 50, Least: 1, Greatest: 300},
	{Name: Discounts, Counts: "discounts of a store", Advice: "Delete one that no order uses.",
		Default: 1000, Least: 1, Greatest: 10_000},
	{Name: Collections, Counts: "collections of a store", Advice: "Delete one.",
		Default: 200, Least: 1, Greatest: 1000},
	{Name: Exports, Counts: "exports of a store that are queued or running", Advice: "Wait for one, or cancel one.",
		Default: 50, Least: 1, Greatest: 10_000},
	{Name: ExportsPerDay, Counts: "exports that a store started within 24 hours",
		Default: 500, Least: 1, Greatest: 10_000},
	{Name: ExportsRunning, Counts: "exports of a store that run at once; others wait",
		Default: 5, Least: 1, Greatest: 100, Whole: true},
	{Name: MailsPerDay,
		Counts:  "invitations and other emails to unconfirmed addresses that a store causes within 24 hours",
		Default: 200, Least: 1, Greatest: 100_000},
	{Name: OrderMailsPerDay, Counts: "emails to shoppers that a proven store causes within 24 hours",
		Default: 5000, Least: 1, Greatest: 1_000_000},
	{Name: NewStoreMailsPerDay, Counts: "emails to shoppers that a store causes within 24 hours before it is proven; " +
		"they also count as mails_per_day", Default: 50, Least: 1, Greatest: 100_000},
	{Name: NewStoreDays,
		Counts:  "days from the first payment of a store until it is proven; with 0 it is proven at once",
		Default: 30, Least: 0, Greatest: 3650},
	{Name: PingsPerMinute, Counts: "test pings of a webhook endpoint per minute",
		Default: 10, Least: 1, Greatest: 1000},
	{Name: ReportOrders, Counts: "orders, or totals of orders, that the sales reports of a store read per minute",
		Advice:  "Try again later, or request fewer days.",
		Default: 1_000_000, Least: 1000, Greatest: 1_000_000_000},
	{Name: Products, Counts: "products of a store", Advice: "Delete products that are no longer sold.",
		Default: 1_000_000, Least: 1, Greatest: 1_000_000_000},
	{Name: StoreVariants, Counts: "variants of a store's products", Advice: "Delete variants that are no longer sold.",
		Default: 5_000_000, Least: 1, Greatest: 1_000_000_000},
	{Name: Customers, Counts: "customers that a store creates; orders may create customers beyond this limit",
		Default: 5_000_000, Least: 1, Greatest: 1_000_000_000},
	{Name: StoredBytes, Counts: "bytes of the texts, addresses, order lines and events of a store; when the limit is " +
		"reached, writes of more than 4 KiB are refused",
		Advice:  "Delete what you no longer need. Events are deleted after 30 days.",
		Default: 20 << 30, Least: 1 << 20, Greatest: 1 << 40},
	{Name: UnpaidPieces, Counts: "units of tracked stock that a shopper's order may reserve while its payment is " +
		"pending, for example a bank transfer",
		Advice: "Order fewer, or pay immediately.", Default: 200, Least: 1, Greatest: Quantity},
	{Name: WrittenBytes, Counts: "bytes that a store may write per minute, in each process",
		Advice: "Send the rest after a minute.", Default: 128 << 20, Least: 1 << 20, Greatest: 1 << 40},
	{Name: ImageMegapixels, Counts: "megapixels of the images that a store may upload per minute, in each process",
		Advice: "Send the rest after a minute.", Default: 1000, Least: 50, Greatest: 1_000_000},
	{Name: Stores, Counts: "stores that a person owns", Advice: "Close one that is no longer used.",
		Default: 50, Least: 1, Greatest: 10_000, Whole: true},
	{Name: Factors, Counts: "second factors of a person", Advice: "Remove one first.",
		Default: 10, Least: 1, Greatest: 100, Whole: true},
	{Name: RatePerSecond, Counts: "requests per second of a credential; 0 if rates are not limited",
		Default: 100, Greatest: MaxRate, Whole: true, Flag: "--rate-limit"},
	{Name: RateBurst, Counts: "requests of a credential at once; 0 if rates are not limited",
		Default: 200, Greatest: 2 * MaxRate, Whole: true, Flag: "--rate-limit"},
	{Name: StoreRatePerSecond,
		Counts:  "requests per second of all credentials of a store; 0 if rates are not limited",
		Default: 1000, Greatest: MaxRate, Whole: true, Flag: "--store-rate-limit"},
	{Name: VisitorRatePerSecond,
		Counts: "storefront pages per second of a visitor; 0 is no limit; a search counts as five pages, an image " +
			"as a twentieth",
		Default: 20, Greatest: MaxRate, Whole: true, Flag: "--visitor-rate-limit"},
}

// MaxRate is the greatest rate that can be set, in requests per second.
const MaxRate = 1_000_000

// Rows returns a copy of the table of the limits that the operator may change. All code that
// checks, shows or sets one uses it.
func Rows() []Row { return slices.Clone(rows) }

// Row returns the row of a name, and whether there is one.
func (n Name) Row() (Row, bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == n })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// Member returns the limit's name in documents that show all limits.
func (r Row) Member() string {
	if r.Flag != "" {
		return string(r.Name)
	}
	return string(r.Name) + "_max"
}

// Reached returns the message that a limit with the given maximum is reached.
func (r Row) Reached(most int64) string {
	text := fmt.Sprintf("The limit %s is reached: %d %s.", r.Name, most, r.Counts)
	if r.Advice != "" {
		text += " " + r.Advice
	}
	return text
}

// Values are changed limits.
type Values map[Name]int64

// Of returns the value of a limit: the default if it was not changed.
func (v Values) Of(n Name) int64 {
	if value, ok := v[n]; ok {
		return value
	}
	r, _ := n.Row()
	return r.Default
}

// Set changes a limit given as "name=number". Its errors say what is wrong.
func (v Values) Set(text string) error {
	name, number, ok := strings.Cut(text, "=")
	r, known := Name(name).Row()
	switch {
	case !ok:
		return fmt.Errorf("%q is not of the form name=number", text)
	case !known:
		return fmt.Errorf("there is no limit %q; they are %s", name, settable())
	case r.Flag != "":
		return fmt.Errorf("%s is set by %s", name, r.Flag)
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil || value < r.Least || value > r.Greatest {
		return fmt.Errorf("%s: %q is not a number from %d to %d", name, number, r.Least, r.Greatest)
	}
	v[r.Name] = value
	return nil
}

// settable returns the names of the limits that [Values.Set] accepts.
func settable() string {
	var names []string
	for _, r := range rows {
		if r.Flag == "" {
			names = append(names, string(r.Name))
		}
	}
	return strings.Join(names, ", ")
}
