// Package state names the values of every enumeration, as they are stored and
// as REST writes them; GraphQL writes the same names in upper case.
package state

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Write shows a value as GraphQL does.
func Write[T ~string](w io.Writer, v T) { io.WriteString(w, strconv.Quote(strings.ToUpper(string(v)))) }

// Read takes a value as GraphQL writes it: one of all, in upper case.
func Read[T ~string](dst *T, v any, all []T) error {
	s, ok := v.(string)
	if i := slices.Index(all, T(strings.ToLower(s))); ok && i >= 0 && s == strings.ToUpper(s) {
		*dst = all[i]
		return nil
	}
	return fmt.Errorf("not a value of the enumeration")
}

// ProductStatus is the state of a product (contract, section 6).
type ProductStatus string

// The values of [ProductStatus].
const (
	ProductDraft    ProductStatus = "draft"
	ProductActive   ProductStatus = "active"
	ProductArchived ProductStatus = "archived"
)

var allProductStatus = []ProductStatus{ProductDraft, ProductActive, ProductArchived}

// Known tells whether v is a value of the enumeration.
func (v ProductStatus) Known() bool { return slices.Contains(allProductStatus, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v ProductStatus) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *ProductStatus) UnmarshalGQL(in any) error { return Read(v, in, allProductStatus) }

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

// Known tells whether v is a value of the enumeration.
func (v CustomerStatus) Known() bool { return slices.Contains(allCustomerStatus, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v CustomerStatus) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *CustomerStatus) UnmarshalGQL(in any) error { return Read(v, in, allCustomerStatus) }

// EmailMarketing is the state of a customer's consent to mail.
type EmailMarketing string

// The values of [EmailMarketing].
const (
	EmailSubscribed    EmailMarketing = "subscribed"
	EmailUnsubscribed  EmailMarketing = "unsubscribed"
	EmailNotSubscribed EmailMarketing = "not_subscribed"
)

var allEmailMarketing = []EmailMarketing{EmailSubscribed, EmailUnsubscribed, EmailNotSubscribed}

// Known tells whether v is a value of the enumeration.
func (v EmailMarketing) Known() bool { return slices.Contains(allEmailMarketing, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v EmailMarketing) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *EmailMarketing) UnmarshalGQL(in any) error { return Read(v, in, allEmailMarketing) }

// OrderStatus is the state of an order.
type OrderStatus string

// The values of [OrderStatus].
const (
	OrderOpen      OrderStatus = "open"
	OrderCompleted OrderStatus = "completed"
	OrderCancelled OrderStatus = "cancelled"
)

var allOrderStatus = []OrderStatus{OrderOpen, OrderCompleted, OrderCancelled}

// Known tells whether v is a value of the enumeration.
func (v OrderStatus) Known() bool { return slices.Contains(allOrderStatus, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v OrderStatus) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *OrderStatus) UnmarshalGQL(in any) error { return Read(v, in, allOrderStatus) }

// FinancialStatus is the state of an order's money.
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

var allFinancialStatus = []FinancialStatus{FinancialPending, FinancialPartiallyPaid, FinancialPaid, FinancialPartiallyRefunded, FinancialRefunded, FinancialVoided}

// Known tells whether v is a value of the enumeration.
func (v FinancialStatus) Known() bool { return slices.Contains(allFinancialStatus, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v FinancialStatus) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *FinancialStatus) UnmarshalGQL(in any) error { return Read(v, in, allFinancialStatus) }

// FulfillmentStatus is the state of an order's goods.
type FulfillmentStatus string

// The values of [FulfillmentStatus].
const (
	FulfillmentUnfulfilled        FulfillmentStatus = "unfulfilled"
	FulfillmentPartiallyFulfilled FulfillmentStatus = "partially_fulfilled"
	FulfillmentFulfilled          FulfillmentStatus = "fulfilled"
)

var allFulfillmentStatus = []FulfillmentStatus{FulfillmentUnfulfilled, FulfillmentPartiallyFulfilled, FulfillmentFulfilled}

// Known tells whether v is a value of the enumeration.
func (v FulfillmentStatus) Known() bool { return slices.Contains(allFulfillmentStatus, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v FulfillmentStatus) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *FulfillmentStatus) UnmarshalGQL(in any) error { return Read(v, in, allFulfillmentStatus) }

// PaymentKind is the state of a row of the ledger.
type PaymentKind string

// The values of [PaymentKind].
const (
	LedgerPayment PaymentKind = "payment"
	LedgerRefund  PaymentKind = "refund"
)

var allPaymentKind = []PaymentKind{LedgerPayment, LedgerRefund}

// Known tells whether v is a value of the enumeration.
func (v PaymentKind) Known() bool { return slices.Contains(allPaymentKind, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v PaymentKind) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *PaymentKind) UnmarshalGQL(in any) error { return Read(v, in, allPaymentKind) }

// NoteVisibility is the state of who may read a note.
type NoteVisibility string

// The values of [NoteVisibility].
const (
	NoteInternal NoteVisibility = "internal"
	NoteCustomer NoteVisibility = "customer"
)

var allNoteVisibility = []NoteVisibility{NoteInternal, NoteCustomer}

// Known tells whether v is a value of the enumeration.
func (v NoteVisibility) Known() bool { return slices.Contains(allNoteVisibility, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v NoteVisibility) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *NoteVisibility) UnmarshalGQL(in any) error { return Read(v, in, allNoteVisibility) }

// StoreStatus is the state of a store.
type StoreStatus string

// The values of [StoreStatus].
const (
	StoreOpen   StoreStatus = "open"
	StoreClosed StoreStatus = "closed"
)

var allStoreStatus = []StoreStatus{StoreOpen, StoreClosed}

// Known tells whether v is a value of the enumeration.
func (v StoreStatus) Known() bool { return slices.Contains(allStoreStatus, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v StoreStatus) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *StoreStatus) UnmarshalGQL(in any) error { return Read(v, in, allStoreStatus) }

// GrantEnd is the reason for which a grant of an app ended.
type GrantEnd string

// The values of [GrantEnd].
const (
	GrantEndedByStore GrantEnd = "store"         // a person of the store
	GrantEndedByApp   GrantEnd = "app"           // the app gave its refresh token back
	GrantCodeReused   GrantEnd = "code_reuse"    // an authorization code was presented twice
	GrantTokenReused  GrantEnd = "refresh_reuse" // a rotated refresh token was presented
)

var allGrantEnd = []GrantEnd{GrantEndedByStore, GrantEndedByApp, GrantCodeReused, GrantTokenReused}

// Known tells whether v is a value of the enumeration.
func (v GrantEnd) Known() bool { return slices.Contains(allGrantEnd, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v GrantEnd) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *GrantEnd) UnmarshalGQL(in any) error { return Read(v, in, allGrantEnd) }

// NotificationLevel is how much a notification matters.
type NotificationLevel string

// The values of [NotificationLevel].
const (
	NotificationInfo     NotificationLevel = "info"
	NotificationWarning  NotificationLevel = "warning"
	NotificationCritical NotificationLevel = "critical"
)

var allNotificationLevel = []NotificationLevel{NotificationInfo, NotificationWarning, NotificationCritical}

// Known tells whether v is a value of the enumeration.
func (v NotificationLevel) Known() bool { return slices.Contains(allNotificationLevel, v) }

// MarshalGQL implements gqlgen's marshaler.
func (v NotificationLevel) MarshalGQL(w io.Writer) { Write(w, v) }

// UnmarshalGQL implements gqlgen's unmarshaler.
func (v *NotificationLevel) UnmarshalGQL(in any) error { return Read(v, in, allNotificationLevel) }
