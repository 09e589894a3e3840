package state

// DiscountKind is the kind of a discount.
type DiscountKind string

// The values of [DiscountKind].
const (
	DiscountPercent      DiscountKind = "percent"
	DiscountAmount       DiscountKind = "amount"
	DiscountFreeShipping DiscountKind = "free_shipping"
)

// Known reports whether v is a value of the enumeration.
func (v DiscountKind) Known() bool {
	return oneOf(v, DiscountPercent, DiscountAmount, DiscountFreeShipping)
}

// Tax categories with a meaning of their own. A store has others, such as "reduced" or "books": they are
// taxed at the rates that name them, and elsewhere like [TaxStandard].
const (
	TaxStandard = "standard"
	// TaxZero is taxed at 0 % where no rate names it: the taxes of the place appear, with amount 0.
	TaxZero = "zero"
	// TaxExempt bears no tax anywhere.
	TaxExempt = "exempt"
)

// TaxCategories are those of every store.
var TaxCategories = []string{TaxStandard, "reduced", TaxZero, TaxExempt}

// TaxRelation says how a tax relates to other taxes of one place.
type TaxRelation string

// The values of [TaxRelation].
const (
	// TaxReplaces the taxes of the larger area, such as those of the region's country.
	TaxReplaces TaxRelation = "replace"
	// TaxBeside is computed on the price, beside the taxes of the larger area and earlier ones.
	TaxBeside TaxRelation = "beside"
	// TaxUpon is computed on the price with the taxes before it.
	TaxUpon TaxRelation = "upon"
)

// Known reports whether v is a value of the enumeration.
func (v TaxRelation) Known() bool { return oneOf(v, TaxReplaces, TaxBeside, TaxUpon) }

// TaxRelief is why an order bears no tax.
type TaxRelief string

// The values of [TaxRelief].
const (
	// TaxReverseCharge: the buyer, a company in another country of the European Union, owes the tax.
	TaxReverseCharge TaxRelief = "reverse_charge"
	// TaxExemptBuyer: the customer is exempt.
	TaxExemptBuyer TaxRelief = "exempt"
)

// Known reports whether v is a value of the enumeration.
func (v TaxRelief) Known() bool { return oneOf(v, TaxReverseCharge, TaxExemptBuyer) }

// ShippingKind is the way in which items reach the shopper.
type ShippingKind string

// The values of [ShippingKind].
const (
	ShippingDelivery ShippingKind = "delivery"
	ShippingPickup   ShippingKind = "pickup" // collected at the shop
)

// Known reports whether v is a value of the enumeration.
func (v ShippingKind) Known() bool { return oneOf(v, ShippingDelivery, ShippingPickup) }

// PaymentMethod is a shopper's method of payment.
type PaymentMethod string

// The values of [PaymentMethod].
const (
	PaymentTransfer   PaymentMethod = "bank_transfer"
	PaymentOnDelivery PaymentMethod = "cash_on_delivery"
	// PaymentTest moves no money: the shopper chooses the outcome.
	PaymentTest PaymentMethod = "test"
	// PaymentStripe is the store's own account with the provider of that name.
	PaymentStripe PaymentMethod = "stripe"
)

// Online reports whether the shopper pays right after ordering. The items are reserved only for a
// while until then.
func (v PaymentMethod) Online() bool { return v == PaymentTest || v == PaymentStripe }

// Known reports whether v is a value of the enumeration.
func (v PaymentMethod) Known() bool {
	return oneOf(v, PaymentTransfer, PaymentOnDelivery, PaymentTest, PaymentStripe)
}

// PaymentSessionState is the state of an online payment.
type PaymentSessionState string

// The values of [PaymentSessionState].
const (
	PaymentSessionOpen PaymentSessionState = "open"
	PaymentSessionPaid PaymentSessionState = "paid" // and credited to the order
	// PaymentSessionClosed is a session without a payment, or whose money is returned.
	PaymentSessionClosed PaymentSessionState = "closed"
)

// PaymentRefundState is the state of a refund by a provider.
type PaymentRefundState string

// The values of [PaymentRefundState].
const (
	PaymentRefundWaiting PaymentRefundState = "waiting"
	PaymentRefundDone    PaymentRefundState = "done"
	PaymentRefundFailed  PaymentRefundState = "failed" // to be refunded in another way
)

// Known reports whether v is a value of the enumeration.
func (v PaymentRefundState) Known() bool {
	return oneOf(v, PaymentRefundWaiting, PaymentRefundDone, PaymentRefundFailed)
}

// InvoiceKind is the kind of an invoice.
type InvoiceKind string

// The values of [InvoiceKind].
const (
	InvoiceBill   InvoiceKind = "invoice"
	InvoiceCredit InvoiceKind = "credit_note"
)

// Known reports whether v is a value of the enumeration.
func (v InvoiceKind) Known() bool { return oneOf(v, InvoiceBill, InvoiceCredit) }

// InvoiceIssue says when a store issues the invoices of its orders.
type InvoiceIssue string

// The values of [InvoiceIssue].
const (
	InvoiceManual InvoiceIssue = "manual" // when staff issue them
	InvoicePlaced InvoiceIssue = "placed" // with the order
	InvoicePaid   InvoiceIssue = "paid"   // when the order is paid
)

// Known reports whether v is a value of the enumeration.
func (v InvoiceIssue) Known() bool { return oneOf(v, InvoiceManual, InvoicePlaced, InvoicePaid) }

// ReturnState is the state of a return.
type ReturnState string

// The values of [ReturnState].
const (
	ReturnRequested ReturnState = "requested"
	ReturnApproved  ReturnState = "approved"
	ReturnDeclined  ReturnState = "declined"
	ReturnReceived  ReturnState = "received" // the items are back at the store
	ReturnRefunded  ReturnState = "refunded"
)

// Known reports whether v is a value of the enumeration.
func (v ReturnState) Known() bool {
	return oneOf(v, ReturnRequested, ReturnApproved, ReturnDeclined, ReturnReceived, ReturnRefunded)
}

// ReturnReason is why an item is returned.
type ReturnReason string

// The values of [ReturnReason].
const (
	ReasonNone    ReturnReason = "none" // none was given
	ReasonMind    ReturnReason = "changed_mind"
	ReasonDamaged ReturnReason = "damaged"
	ReasonWrong   ReturnReason = "wrong_item"
	ReasonUnlike  ReturnReason = "not_as_described"
	ReasonLate    ReturnReason = "too_late"
)

// ReturnReasons returns all reasons, in the order in which they are shown.
func ReturnReasons() []ReturnReason {
	return []ReturnReason{ReasonNone, ReasonMind, ReasonDamaged, ReasonWrong, ReasonUnlike, ReasonLate}
}

// Known reports whether v is a value of the enumeration.
func (v ReturnReason) Known() bool { return oneOf(v, ReturnReasons()...) }

// ReturnRefusal is why a shopper cannot return an item by themselves.
type ReturnRefusal string

// The values of [ReturnRefusal].
const (
	RefusedOff       ReturnRefusal = "off"       // the store takes no such requests
	RefusedCancelled ReturnRefusal = "cancelled" // the order is
	RefusedUnpaid    ReturnRefusal = "unpaid"    // the order awaits its online payment
	RefusedExcluded  ReturnRefusal = "excluded"  // the product cannot be returned
	RefusedNoneLeft  ReturnRefusal = "none_left" // all units are refunded or in a return
	RefusedUnshipped ReturnRefusal = "unshipped" // no unit was shipped yet
	RefusedExpired   ReturnRefusal = "expired"   // the time is over
)

// Known reports whether v is a value of the enumeration.
func (v ReturnRefusal) Known() bool {
	return oneOf(v, RefusedOff, RefusedCancelled, RefusedUnpaid, RefusedExcluded, RefusedNoneLeft, RefusedUnshipped,
		RefusedExpired)
}
