package document

import "github.com/storefront-go/storefront/ent/micros"

// Storefront is a JSON object of [StorefrontFields].
type Storefront []byte

// StorefrontFields are how a shop looks beyond its theme.
type StorefrontFields struct {
	// Logo and Favicon are paths of images at the store's host, "" for none.
	Logo    string `json:"logo,omitempty"`
	Favicon string `json:"favicon,omitempty"`
	// Announcement is shown above every page of the shop.
	Announcement *Announcement `json:"announcement,omitempty"`
	// Pause stops selling while the shop stays visible.
	Pause *Pause `json:"pause,omitempty"`
	// Password is the hash of the password that visitors need, "" for none.
	Password string `json:"password,omitempty"`
	// Returns are the terms of returns; nil for the defaults.
	Returns *ReturnTerms `json:"returns,omitempty"`
}

// ReturnTerms say what shoppers may return by themselves.
type ReturnTerms struct {
	// Requests lets shoppers ask for a return on the page of their order.
	Requests bool `json:"requests,omitempty"`
	// Withdrawal lets shoppers withdraw from the contract. Nil decides by the countries of the shopper
	// and of the store's VAT id.
	Withdrawal *bool `json:"withdrawal,omitempty"`
	// Days is how long an order can be returned, where Countries has no other time for the destination.
	Days      int64            `json:"days"`
	Countries []*ReturnCountry `json:"countries,omitempty"`
	// Instructions say how to send the items.
	Instructions *string `json:"instructions,omitempty"`
	// ExcludedTags are the tags of products that cannot be returned.
	ExcludedTags []string `json:"excluded_tags,omitempty"`
}

// ReturnCountry is how long orders to a country can be returned.
type ReturnCountry struct {
	Country string `json:"country"` // ISO 3166-1 alpha-2
	Days    int64  `json:"days"`
}

// DefaultReturnDays is the withdrawal period of Article 9(1) of Directive 2011/83/EU.
const DefaultReturnDays = 14

// Terms returns the terms of returns.
func (f StorefrontFields) Terms() ReturnTerms {
	if f.Returns == nil {
		return ReturnTerms{Days: DefaultReturnDays}
	}
	return *f.Returns
}

// Announcement is a line above the pages of a shop.
type Announcement struct {
	Text string `json:"text"`
	// Link is a path of the shop or an https address.
	Link    *string      `json:"link,omitempty"`
	Enabled bool         `json:"enabled"`
	From    *micros.Time `json:"from,omitempty"`
	Until   *micros.Time `json:"until,omitempty"`
}

// Pause says that a shop takes no orders.
type Pause struct {
	Message string `json:"message"`
	// Until is when the shop sells again; nil until the merchant ends the pause.
	Until *micros.Time `json:"until,omitempty"`
}

// Announced returns the announcement to show at a time, or nil.
func (f StorefrontFields) Announced(now micros.Time) *Announcement {
	a := f.Announcement
	if a == nil || !a.Enabled || a.From != nil && now < *a.From || a.Until != nil && now >= *a.Until {
		return nil
	}
	return a
}

// Paused returns the pause that applies at a time, or nil. The pages show it, and carts are ordered
// only without it.
func (f StorefrontFields) Paused(now micros.Time) *Pause {
	if f.Pause == nil || f.Pause.Until != nil && now >= *f.Pause.Until {
		return nil
	}
	return f.Pause
}

// NewStorefront encodes the fields.
func NewStorefront(f StorefrontFields) Storefront { return encode(f) }

// Fields decodes the document; an absent one has no values.
func (s Storefront) Fields() (StorefrontFields, error) { return decode[StorefrontFields](s) }
