package model

import (
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Store is a store with its store_host, and the address at which visitors arrive.
type Store struct {
	*db.Store
	StoreHost, URL string
	// Logo and Favicon are addresses, nil for none.
	Logo, Favicon     *string
	Announcement      *document.Announcement
	Pause             *document.Pause
	PasswordProtected bool
	Returns           document.ReturnTerms
}

// Staff is a membership with the person's name and email address.
type Staff struct {
	*db.Staff
	Name  string
	Email string
}

// APIKey is an API key.
type APIKey struct{ *db.APIKey }

// Scopes returns the granted scopes, sorted.
func (k *APIKey) Scopes() []string { return scope.Parse(k.APIKey.Scopes).Names() }

// ExpiresAt returns when the key expires or retires, whichever is earlier; nil for never.
func (k *APIKey) ExpiresAt() *micros.Time {
	if k.APIKey.ExpiresAt == nil || k.RetiresAt != nil && *k.RetiresAt < *k.APIKey.ExpiresAt {
		return k.RetiresAt
	}
	return k.APIKey.ExpiresAt
}

// AllowedNetworks returns the networks from which the key may be used. An empty list allows all.
func (k *APIKey) AllowedNetworks() []string {
	if k.Networks == nil {
		return []string{}
	}
	return strings.Fields(*k.Networks)
}

// Superseded reports whether the key was replaced by a newer one of its lineage.
func (k *APIKey) Superseded() bool { return k.SupersededAt != nil }

// Customer is a customer with the store's currency.
type Customer struct {
	*db.Customer
	Currency string
}

// DisplayName returns the customer's name, or else the email address.
func (c *Customer) DisplayName() string { return wire.DisplayName(c.Customer) }

// Order is an order with its lines.
type Order struct {
	*db.Order
	*Siblings
	Lines []*LineItem
}

// LineItem is a line of an order.
type LineItem struct {
	*db.OrderLine
	*Siblings
	// Of is the order of the line; nil while it is only computed.
	Of *Placed
}

// PublicVariantID returns the public id of the sold variant; nil for a line without a product.
func (l *LineItem) PublicVariantID() *string {
	id := wire.VariantOf(l.OrderLine)
	if id == nil {
		return nil
	}
	return new(xid.Variant.Format(*id))
}

// Texts returns the option values of the variant.
func (l *LineItem) Texts() ([]string, error) {
	if l.Options == nil {
		return []string{}, nil
	}
	return l.Options.List()
}

// ShippingZone is a zone with its countries.
type ShippingZone struct {
	*db.ShippingZone
	Countries []string
	// RestOfWorld means that the zone also covers the countries that no zone names.
	RestOfWorld bool
}

// TaxSettings holds the tax settings of a store. Version 0 means that they were never changed.
type TaxSettings struct{ *db.TaxSettings }

// UpdatedAt returns when the settings were last changed; nil for never.
func (t *TaxSettings) UpdatedAt() *micros.Time {
	if t.Version == 0 {
		return nil
	}
	return &t.TaxSettings.UpdatedAt
}

// PaymentSettings holds the payment methods of a store. Version 0 means that they were never
// changed.
type PaymentSettings struct {
	*db.PaymentSettings
	// Kinds lists the payment methods that the installation offers.
	Kinds []state.PaymentMethod
	// Stripe is the store's Stripe account.
	Stripe *PaymentAccount
}

// PaymentRefund is a refund through a payment provider.
type PaymentRefund struct{ *db.PaymentRefund }

// PaymentID returns the public id of the refund's ledger row; nil for money that the order did not
// accept.
func (p *PaymentRefund) PaymentID() *string {
	if p.LedgerID == nil {
		return nil
	}
	return new(xid.Payment.Format(*p.LedgerID))
}

// CreatedAt returns when the refund was decided.
func (p *PaymentRefund) CreatedAt() micros.Time { return p.ID.Time() }

// UpdatedAt returns when the settings were last changed; nil for never.
func (p *PaymentSettings) UpdatedAt() *micros.Time {
	if p.Version == 0 {
		return nil
	}
	return &p.PaymentSettings.UpdatedAt
}

// OrderNote is a note on an order.
type OrderNote struct{ *db.Note }

// Author returns the author, with their name at that time.
func (n *OrderNote) Author() *Author {
	return &Author{Type: n.AuthorType, ID: wire.ActorID(n.AuthorType, n.AuthorID), Name: n.AuthorName}
}

// AuditEntry is a row of the audit log.
type AuditEntry struct{ *db.Audit }

// Actor returns the person, app or key that acted.
func (a *AuditEntry) Actor() *Author {
	var id xid.ID // the operator has no id
	if a.ActorID != nil {
		id = *a.ActorID
	}
	return &Author{Type: a.ActorType, ID: wire.ActorID(a.ActorType, id), Name: a.ActorName}
}

// PublicResourceID returns the public id of the changed resource.
func (a *AuditEntry) PublicResourceID() string {
	return xid.KindOf(a.ResourceType).Format(a.ResourceID)
}

// WaitingEmail is an email to a shopper that is not sent yet.
type WaitingEmail struct{ *db.Mail }

// CreatedAt returns when the email was written.
func (e *WaitingEmail) CreatedAt() micros.Time { return e.ID.Time() }

// OrderAct is an entry of the audit log about an order, without the request's origin.
type OrderAct struct{ *db.Audit }

// Actor returns the person, app or key that acted.
func (a *OrderAct) Actor() *Author { return (&AuditEntry{a.Audit}).Actor() }

// Identity describes the credential of the request.
type Identity struct {
	Type         CredentialType
	Credential   xid.ID
	CredentialID string
	Name         *string
	Hint         string
	CreatedAt    micros.Time
	ExpiresAt    *micros.Time
	Superseded   bool
	Effective    scope.Set
	Granted      scope.Set
	Store        *Store
	// App and Grant are set only for tokens of apps.
	App        *AppSummary
	Grant      *db.Grant
	Limits     *Limits
	ServerTime micros.Time
}

// Scopes returns the effective scopes, sorted.
func (i *Identity) Scopes() []string { return i.Effective.Names() }

// GrantedScopes returns the granted scopes, sorted.
func (i *Identity) GrantedScopes() []string { return i.Granted.Names() }
