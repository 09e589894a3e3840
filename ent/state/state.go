// Package state defines the values of every enumeration, as stored and as written by REST.
package state

import "slices"

// ProductStatus is the state of a product (contract, section 6).
type ProductStatus string

// The values of [ProductStatus].
const (
	ProductDraft    ProductStatus = "draft"
	ProductActive   ProductStatus = "active"
	ProductArchived ProductStatus = "archived"
)

var allProductStatus = []ProductStatus{ProductDraft, ProductActive, ProductArchived}

// Known reports whether v is a value of the enumeration.
func (v ProductStatus) Known() bool { return slices.Contains(allProductStatus, v) }

// CustomerStatus is the state of a customer.
type CustomerStatus string

// The values of [CustomerStatus].
const (
	CustomerGuest    CustomerStatus = "guest"
	CustomerActive   CustomerStatus = "active"
	CustomerDisabled CustomerStatus = "disabled"
	CustomerRedacted CustomerStatus = "redacted"
)

var allCustomerStatus = []CustomerStatus{CustomerGuest, CustomerActive, CustomerDisabled, CustomerRedacted}

// Known reports whether v is a value of the enumeration.
func (v CustomerStatus) Known() bool { return slices.Contains(allCustomerStatus, v) }

// EmailMarketing is the state of a customer's consent to marketing emails.
type EmailMarketing string

// The values of [EmailMarketing].
const (
	EmailSubscribed    EmailMarketing = "subscribed"
	EmailUnsubscribed  EmailMarketing = "unsubscribed"
	EmailNotSubscribed EmailMarketing = "not_subscribed"
)

var allEmailMarketing = []EmailMarketing{EmailSubscribed, EmailUnsubscribed, EmailNotSubscribed}

// Known reports whether v is a value of the enumeration.
func (v EmailMarketing) Known() bool { return slices.Contains(allEmailMarketing, v) }

// RedactionStep is the progress of a customer's redaction.
type RedactionStep string

// The values of [RedactionStep], in order.
const (
	RedactCustomer  RedactionStep = "customer"  // the customer's own events
	RedactOrders    RedactionStep = "orders"    // their orders and the events of these
	RedactAnswers   RedactionStep = "answers"   // stored answers
	RedactFiles     RedactionStep = "files"     // exports
	RedactResponses RedactionStep = "responses" // the answers of webhook receivers
	RedactDone      RedactionStep = "done"
)

var allRedactionStep = []RedactionStep{RedactCustomer, RedactOrders, RedactAnswers, RedactFiles, RedactResponses,
	RedactDone}

// Known reports whether v is a value of the enumeration.
func (v RedactionStep) Known() bool { return slices.Contains(allRedactionStep, v) }

// OrderStatus is the state of an order.
type OrderStatus string

// The values of [OrderStatus].
const (
	OrderOpen      OrderStatus = "open"
	OrderCompleted OrderStatus = "completed"
	OrderCancelled OrderStatus = "cancelled"
)

var allOrderStatus = []OrderStatus{OrderOpen, OrderCompleted, OrderCancelled}

// Known reports whether v is a value of the enumeration.
func (v OrderStatus) Known() bool { return slices.Contains(allOrderStatus, v) }

// OrderStatuses returns all values.
func OrderStatuses() []OrderStatus { return slices.Clone(allOrderStatus) }

// FinancialStatus is the payment state of an order.
type FinancialStatus string

// The values of [FinancialStatus].
const (
	FinancialPending           FinancialStatus = "pending"
	FinancialPartiallyPaid     FinancialStatus = "partially_paid"
	FinancialPaid              FinancialStatus = "paid"
	FinancialPartiallyRefunded FinancialStatus = "partially_refunded"
	FinancialRefunded          FinancialStatus = "refunded"
	FinancialVoided            FinancialStatus = "voided"
)

var allFinancialStatus = []FinancialStatus{FinancialPending, FinancialPartiallyPaid, FinancialPaid,
	FinancialPartiallyRefunded, FinancialRefunded, FinancialVoided}

// Known reports whether v is a value of the enumeration.
func (v FinancialStatus) Known() bool { return slices.Contains(allFinancialStatus, v) }

// FinancialStatuses returns all values.
func FinancialStatuses() []FinancialStatus { return slices.Clone(allFinancialStatus) }

// FulfillmentStatus is the shipping state of an order.
type FulfillmentStatus string

// The values of [FulfillmentStatus].
const (
	FulfillmentUnfulfilled        FulfillmentStatus = "unfulfilled"
	FulfillmentPartiallyFulfilled FulfillmentStatus = "partially_fulfilled"
	FulfillmentFulfilled          FulfillmentStatus = "fulfilled"
)

var allFulfillmentStatus = []FulfillmentStatus{FulfillmentUnfulfilled, FulfillmentPartiallyFulfilled,
	FulfillmentFulfilled}

// Known reports whether v is a value of the enumeration.
func (v FulfillmentStatus) Known() bool { return slices.Contains(allFulfillmentStatus, v) }

// FulfillmentStatuses returns all values.
func FulfillmentStatuses() []FulfillmentStatus { return slices.Clone(allFulfillmentStatus) }

// PaymentKind is the kind of a ledger entry.
type PaymentKind string

// The values of [PaymentKind].
const (
	LedgerPayment PaymentKind = "payment"
	LedgerRefund  PaymentKind = "refund"
)

var allPaymentKind = []PaymentKind{LedgerPayment, LedgerRefund}

// Known reports whether v is a value of the enumeration.
func (v PaymentKind) Known() bool { return slices.Contains(allPaymentKind, v) }

// NoteVisibility says who may read a note.
type NoteVisibility string

// The values of [NoteVisibility].
const (
	NoteInternal NoteVisibility = "internal"
	NoteCustomer NoteVisibility = "customer"
)

var allNoteVisibility = []NoteVisibility{NoteInternal, NoteCustomer}

// Known reports whether v is a value of the enumeration.
func (v NoteVisibility) Known() bool { return slices.Contains(allNoteVisibility, v) }

// StoreStatus is the state of a store.
type StoreStatus string

// The values of [StoreStatus].
const (
	StoreOpen   StoreStatus = "open"
	StoreClosed StoreStatus = "closed"
)

var allStoreStatus = []StoreStatus{StoreOpen, StoreClosed}

// Known reports whether v is a value of the enumeration.
func (v StoreStatus) Known() bool { return slices.Contains(allStoreStatus, v) }

// GrantEnd is the reason why a grant of an app ended.
type GrantEnd string

// The values of [GrantEnd].
const (
	GrantEndedByStore GrantEnd = "store"         // staff of the store
	GrantEndedByApp   GrantEnd = "app"           // the app revoked its refresh token
	GrantCodeReused   GrantEnd = "code_reuse"    // an authorization code was presented twice
	GrantTokenReused  GrantEnd = "refresh_reuse" // a rotated refresh token was presented
)

var allGrantEnd = []GrantEnd{GrantEndedByStore, GrantEndedByApp, GrantCodeReused, GrantTokenReused}

// Known reports whether v is a value of the enumeration.
func (v GrantEnd) Known() bool { return slices.Contains(allGrantEnd, v) }

// NotificationLevel is the importance of a notification.
type NotificationLevel string

// The values of [NotificationLevel].
const (
	NotificationInfo     NotificationLevel = "info"
	NotificationWarning  NotificationLevel = "warning"
	NotificationCritical NotificationLevel = "critical"
)

var allNotificationLevel = []NotificationLevel{NotificationInfo, NotificationWarning, NotificationCritical}

// Known reports whether v is a value of the enumeration.
func (v NotificationLevel) Known() bool { return slices.Contains(allNotificationLevel, v) }
