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
