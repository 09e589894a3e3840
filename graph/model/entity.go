package model

import (
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Store is a store with the host that serves it.
type Store struct {
	*db.Store
	StoreHost string
}

// Staff is a membership with the person's name and address.
type Staff struct {
	*db.Staff
	Name  string
	Email string
}

// APIKey is a key with what is derived from its row.
type APIKey struct{ *db.APIKey }

// Scopes returns the granted scopes, sorted.
func (k *APIKey) Scopes() []string { return scope.Parse(k.APIKey.Scopes).Names() }

// ExpiresAt is when the key ends by itself, whichever end comes first; nil for never.
func (k *APIKey) ExpiresAt() *micros.Time {
	if k.APIKey.ExpiresAt == nil || k.RetiresAt != nil && *k.RetiresAt < *k.APIKey.ExpiresAt {
		return k.RetiresAt
	}
	return k.APIKey.ExpiresAt
}

// AllowedNetworks are those that the key may be used from; without any, it may be used
// from everywhere.
func (k *APIKey) AllowedNetworks() []string {
	if k.Networks == nil {
		return []string{}
	}
	return strings.Fields(*k.Networks)
}

// Superseded reports whether a younger key of the lineage exists.
func (k *APIKey) Superseded() bool { return k.SupersededAt != nil }

// Customer is a customer in their store's currency.
type Customer struct {
	*db.Customer
	Currency string
}

// DisplayName is what to call the customer: the name, else the e-mail address.
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
}

// PublicVariantID returns the variant that was sold, nil for a line without a product.
func (l *LineItem) PublicVariantID() *string {
	id := wire.VariantOf(l.OrderLine)
	if id == nil {
		return nil
	}
	return new(xid.Variant.Format(*id))
}

// Texts returns the options of the variant.
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
	// RestOfWorld says that it has the countries that no zone names.
	RestOfWorld bool
}

// TaxSettings are how a store taxes; their version is 0 before they were ever changed.
type TaxSettings struct{ *db.TaxSettings }

// UpdatedAt is when they were last changed; nil for never.
func (t *TaxSettings) UpdatedAt() *micros.Time {
	if t.Version == 0 {
		return nil
	}
	return &t.TaxSettings.UpdatedAt
}

// PaymentSettings are how shoppers may pay; their version is 0 before they were ever changed.
type PaymentSettings struct {
	*db.PaymentSettings
	// Kinds are the ways to pay that the installation offers.
	Kinds []state.PaymentMethod
	// Stripe is the store's account with the provider of that name.
	Stripe *PaymentAccount
}

// PaymentRefund is money that a payment provider gives back.
type PaymentRefund struct{ *db.PaymentRefund }

// PaymentID is the public id of the row of the ledger; nil for money that the order did not
// take.
func (p *PaymentRefund) PaymentID() *string {
	if p.LedgerID == nil {
		return nil
	}
	return new(xid.Payment.Format(*p.LedgerID))
}

// CreatedAt is when it was decided.
func (p *PaymentRefund) CreatedAt() micros.Time { return p.ID.Time() }

// UpdatedAt is when they were last changed; nil for never.
func (p *PaymentSettings) UpdatedAt() *micros.Time {
	if p.Version == 0 {
		return nil
	}
	return &p.PaymentSettings.UpdatedAt
}

// OrderNote is a note with its author.
type OrderNote struct{ *db.Note }

// Author is who wrote it, by the name of that time.
func (n *OrderNote) Author() *Author {
	return &Author{Type: n.AuthorType, ID: wire.ActorID(n.AuthorType, n.AuthorID), Name: n.AuthorName}
}

// AuditEntry is a row of the audit log.
type AuditEntry struct{ *db.Audit }

// Actor is who did it.
func (a *AuditEntry) Actor() *Author {
	var id xid.ID // the operator has none
	if a.ActorID != nil {
		id = *a.ActorID
	}
	return &Author{Type: a.ActorType, ID: wire.ActorID(a.ActorType, id), Name: a.ActorName}
}

// PublicResourceID returns the id of what it was done to.
func (a *AuditEntry) PublicResourceID() string {
	return xid.KindOf(a.ResourceType).Format(a.ResourceID)
}

// OrderAct is what somebody did to an order: of the audit log, without where it came from.
type OrderAct struct{ *db.Audit }

// Actor is who did it.
func (a *OrderAct) Actor() *Author { return (&AuditEntry{a.Audit}).Actor() }

// Identity is who the calling credential is.
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
	// App and Grant are nil but for an app's token.
	App        *AppSummary
	Grant      *db.Grant
	Limits     *Limits
	ServerTime micros.Time
}

// Scopes returns the effective scopes, sorted.
func (i *Identity) Scopes() []string { return i.Effective.Names() }

// GrantedScopes returns the granted scopes, sorted.
func (i *Identity) GrantedScopes() []string { return i.Granted.Names() }
