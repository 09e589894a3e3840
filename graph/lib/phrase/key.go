package phrase

// Key names a text.
type Key int

// The texts of the cart.
const (
	Cart Key = iota
	CartEmpty
	Product
	Quantity
	Remove
	Update
	Note
	Code
	Apply
	CodeRefused
	CodeTakenOff // {0} is the code
	CodesTried   // too many invalid codes
	PriceChanged // {0} is the former price
	OnlyLeft     // {0} is how many are left
	Gone
	Subtotal
	Discount
	Shipping
	Tax
	TaxIncluded
	Total
	Checkout
	ContinueShopping
	AddToCart
	SoldOut
	Added
	CartFull
	QuantityMost // {0} is the largest quantity of a line
	LineTooLarge
	UnpaidMost    // {0} is the largest quantity of an order that is paid later
	LaterSteps    // shipping and tax are not known yet
	PricesWithTax // shipping is extra
	PricesWithTaxAlone
	PricesPlusTax // shipping is extra, too
	PricesPlusTaxAlone
	PricesPlusShipping

	// The steps of the checkout.
	StepContact
	StepAddress
	StepShipping
	StepPayment
	StepReview
	Steps
	OrderSummary

	// The fields of the checkout's forms.
	Email
	Phone
	Name
	Company
	Line1
	Line2
	City
	Region
	PostalCode
	Country
	Optional
	Choose

	// The buttons.
	Continue
	Back
	PlaceOrder // {0} is the total
	Change

	// Errors in a form.
	Required
	NotEmail
	NotValid
	ChooseOne
	StockChanged
	ItemsUnavailable
	PricesChanged
	ItemsChanged
	ErrorSummary
	NoRates
	NoMethods

	// Delivery and payment methods.
	Free
	Collection
	BankTransfer
	CashOnDelivery
	TestPayment
	OnlinePayment
	TestExplained
	Pay // {0} is the total
	Decline
	Declined
	OtherPayment
	BackToCart
	PaymentAway

	// The page of an order.
	ThankYou
	OrderNumber // {0} is the number
	WaitingForPayment
	Paid
	Shipped
	PartlyShipped
	Cancelled
	Refunded
	PartlyRefunded
	LineShipped  // {0} is the number of units of a line
	LineRefunded // likewise
	Tracking
	Instructions
	PayBy     // {0} is the last day
	OrderedOn // {0} is the date

	// Emails: {0} is the order number, {1} the name of the shop.
	ConfirmedSubject
	ConfirmedText
	ShippedSubject
	ShippedText
	PartlyShippedSubject
	PartlyShippedText
	ShippedNow
	StillToCome
	RefundedSubject
	RefundedText // {2} is the amount
	PaymentSubject
	PaymentText // {2} is the amount
	StillToPay
	PayTransfer // {0} is the amount, {1} the reference
	PayOnline
	NotOrdered
	CancelledSubject
	CancelledText
	MailLink

	// Other texts of pages.
	NotFound
	NotFoundText
	TryAgain
	TryAgainText
	TooMany
	TooManyText

	// Texts that themes show on the pages of the shop.
	Ask
	FoundNothing
	SearchHint
	SearchMore
	InStock
	Sale
	PriceFrom   // {0} is the lowest price
	PriceNow    // for screen readers, before a price
	PriceBefore // for screen readers, before the higher price
	LeastPrice
	MostPrice
	Show
	ShowAll
	Previous
	Next
	Pages
	SortedBy
	Price
	SkipToContent
	BackToTop
	Menu
	Information
	Maker
	Kind
	ItemNumber
	MoreFrom // {0} is the vendor
	Related
	Description
	PricesIn // {0} is the currency
	ComingSoon
	SeeAll

	keys int = iota
)

// Plural names a text that depends on a number.
type Plural int

// The texts with a number.
const (
	Items Plural = iota // the number of items in the cart
	Days                // the number of days that something takes

	plurals int = iota
)
