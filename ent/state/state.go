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

// Known reports whether v is a value of the enumeration.
func (v ProductStatus) Known() bool { return oneOf(v, ProductDraft, ProductActive, ProductArchived) }

// TextFormat says how a description is written.
type TextFormat string

// The values of [TextFormat].
const (
	PlainText TextFormat = "text"
	Markdown  TextFormat = "markdown"
)

// Known reports whether v is a value of the enumeration.
func (v TextFormat) Known() bool { return oneOf(v, PlainText, Markdown) }

// CustomerStatus is the state of a customer.
type CustomerStatus string

// The values of [CustomerStatus].
const (
	CustomerGuest    CustomerStatus = "guest"
	CustomerActive   CustomerStatus = "active"
	CustomerDisabled CustomerStatus = "disabled"
	CustomerRedacted CustomerStatus = "redacted"
)

// Known reports whether v is a value of the enumeration.
func (v CustomerStatus) Known() bool {
	return oneOf(v, CustomerGuest, CustomerActive, CustomerDisabled, CustomerRedacted)
}

// EmailMarketing is the state of a customer's consent to marketing emails.
type EmailMarketing string

// The values of [EmailMarketing].
const (
	EmailSubscribed    EmailMarketing = "subscribed"
	EmailUnsubscribed  EmailMarketing = "unsubscribed"
	EmailNotSubscribed EmailMarketing = "not_subscribed"
)

// Known reports whether v is a value of the enumeration.
func (v EmailMarketing) Known() bool {
	return oneOf(v, EmailSubscribed, EmailUnsubscribed, EmailNotSubscribed)
}

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

// Known reports whether v is a value of the enumeration.
func (v PaymentKind) Known() bool { return oneOf(v, LedgerPayment, LedgerRefund) }

// NoteVisibility says who may read a note.
type NoteVisibility string

// The values of [NoteVisibility].
const (
	NoteInternal NoteVisibility = "internal"
	NoteCustomer NoteVisibility = "customer"
)

// Known reports whether v is a value of the enumeration.
func (v NoteVisibility) Known() bool { return oneOf(v, NoteInternal, NoteCustomer) }

// StoreStatus is the state of a store.
type StoreStatus string

// The values of [StoreStatus].
const (
	StoreOpen   StoreStatus = "open"
	StoreClosed StoreStatus = "closed"
)

// Known reports whether v is a value of the enumeration.
func (v StoreStatus) Known() bool { return oneOf(v, StoreOpen, StoreClosed) }

// GrantEnd is the reason why a grant of an app ended.
type GrantEnd string

// The values of [GrantEnd].
const (
	GrantEndedByStore GrantEnd = "store"         // staff of the store
	GrantEndedByApp   GrantEnd = "app"           // the app revoked its refresh token
	GrantCodeReused   GrantEnd = "code_reuse"    // an authorization code was presented twice
	GrantTokenReused  GrantEnd = "refresh_reuse" // a rotated refresh token was presented
)

// Known reports whether v is a value of the enumeration.
func (v GrantEnd) Known() bool {
	return oneOf(v, GrantEndedByStore, GrantEndedByApp, GrantCodeReused, GrantTokenReused)
}

// NotificationLevel is the importance of a notification.
type NotificationLevel string

// The values of [NotificationLevel].
const (
	NotificationInfo     NotificationLevel = "info"
	NotificationWarning  NotificationLevel = "warning"
	NotificationCritical NotificationLevel = "critical"
)

// Known reports whether v is a value of the enumeration.
func (v NotificationLevel) Known() bool {
	return oneOf(v, NotificationInfo, NotificationWarning, NotificationCritical)
}

// AlertTopic is a group of notifications about which each person chooses how they are informed.
type AlertTopic string

// The values of [AlertTopic].
const (
	AlertOrder    AlertTopic = "order"
	AlertPayment  AlertTopic = "payment"
	AlertRefund   AlertTopic = "refund"
	AlertLowStock AlertTopic = "low_stock"
	AlertWebhook  AlertTopic = "webhook"
)

// AlertTopics returns all topics, in the order in which they are shown.
func AlertTopics() []AlertTopic {
	return []AlertTopic{AlertOrder, AlertPayment, AlertRefund, AlertLowStock, AlertWebhook}
}

// Known reports whether v is a value of the enumeration.
func (v AlertTopic) Known() bool { return oneOf(v, AlertTopics()...) }

// AlertEmail is when a person gets emails about a topic.
type AlertEmail string

// The values of [AlertEmail].
const (
	AlertEmailOff    AlertEmail = "off"
	AlertEmailAtOnce AlertEmail = "at_once"
	AlertEmailDaily  AlertEmail = "daily"
)

// Known reports whether v is a value of the enumeration.
func (v AlertEmail) Known() bool { return oneOf(v, AlertEmailOff, AlertEmailAtOnce, AlertEmailDaily) }

// OrderEmail is an email to shoppers about their order.
type OrderEmail string

// The values of [OrderEmail].
const (
	EmailPlaced          OrderEmail = "placed"
	EmailPaid            OrderEmail = "paid"
	EmailShipped         OrderEmail = "shipped"
	EmailPartlyShipped   OrderEmail = "partly_shipped"
	EmailRefunded        OrderEmail = "refunded"
	EmailCancelled       OrderEmail = "cancelled"
	EmailReturnRequested OrderEmail = "return_requested"
	EmailWithdrawn       OrderEmail = "withdrawn"
	EmailReturnApproved  OrderEmail = "return_approved"
	EmailReturnDeclined  OrderEmail = "return_declined"
	// EmailReminder reminds of a cart that was not ordered.
	EmailReminder OrderEmail = "reminder"
)

// OrderEmails returns all emails about orders, in the order of an order's life.
func OrderEmails() []OrderEmail {
	return []OrderEmail{EmailPlaced, EmailPaid, EmailPartlyShipped, EmailShipped, EmailRefunded, EmailCancelled,
		EmailReturnRequested, EmailWithdrawn, EmailReturnApproved, EmailReturnDeclined, EmailReminder}
}

// Known reports whether v is a value of the enumeration.
func (v OrderEmail) Known() bool { return oneOf(v, OrderEmails()...) }

func oneOf[T comparable](v T, all ...T) bool { return slices.Contains(all, v) }
