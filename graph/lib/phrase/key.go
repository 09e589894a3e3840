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
	CodesTried   // too many that are none
	PriceChanged // {0} is the price of before
	OnlyLeft     // {0} is how many there are
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
	QuantityMost // {0} is how many pieces a line holds
	LineTooLarge
	UnpaidMost    // {0} is how many pieces an order holds that is paid later
	LaterSteps    // shipping and tax are not known yet
	PricesWithTax // shipping comes on top
	PricesWithTaxAlone
	PricesPlusTax // shipping, too
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

	// The fields of its forms.
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

	// Their buttons.
	Continue
	Back
	PlaceOrder // {0} is the total
	Change

	// What is wrong with a form.
	Required
	NotEmail
	NotValid
	ChooseOne
	StockChanged
	GoodsGone
	PricesChanged
	GoodsChanged
	ErrorSummary
	NoRates
	NoMethods

	// Ways to send and to pay.
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
	LineShipped  // {0} is how many pieces of a line
	LineRefunded // likewise
	Tracking
	Instructions
	PayBy     // {0} is the last day
	OrderedOn // {0} is the date

	// Mails: {0} is the number of the order, {1} the name of the shop.
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

	// What else a page may have to say.
	NotFound
	NotFoundText
	TryAgain
	TryAgainText
	TooMany
	TooManyText

	// What themes say on the pages of the shop.
	Ask
	FoundNothing
	SearchHint
	SearchMore
	InStock
	Sale
	PriceFrom   // {0} is the lowest price
	PriceNow    // for who hears the page, before a price
	PriceBefore // for who hears the page, before the higher price
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
	MoreFrom // {0} is who makes it
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
	Items Plural = iota // how many things are in the cart
	Days                // how many days something takes

	plurals int = iota
)
