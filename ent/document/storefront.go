package document

// Storefront is a JSON object of [StorefrontFields].
type Storefront []byte

// StorefrontFields are how a shop looks beyond its theme.
type StorefrontFields struct {
	// Logo and Favicon are paths of images at the store's host, "" for none.
	Logo    string `json:"logo,omitempty"`
	Favicon string `json:"favicon,omitempty"`
}

// NewStorefront encodes the fields.
func NewStorefront(f StorefrontFields) Storefront { return encode(f) }

// Fields decodes the document; an absent one has no values.
func (s Storefront) Fields() (StorefrontFields, error) { return decode[StorefrontFields](s) }
