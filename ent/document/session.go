package document

// Session is a JSON object of [SessionFields].
type Session []byte

// SessionFields are what a program said in a checkout session of the shop's API. The API shows a
// program these fields, and never what the shopper entered on the pages.
type SessionFields struct {
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	Email     string `json:"email,omitempty"`
	Phone     string `json:"phone,omitempty"`
	// Consent holds the answers of the shopper by purpose.
	Consent map[string]bool `json:"consent,omitempty"`
	// Destinations are the addresses to choose from, Chosen is the id of the chosen one.
	Destinations []Destination `json:"destinations,omitempty"`
	Chosen       string        `json:"chosen,omitempty"`
	// Codes are the discount codes that the program sent. The cart has the one that counts.
	Codes []string `json:"codes,omitempty"`
	// TotalMinor is the total of the latest answer to a change.
	TotalMinor int64 `json:"total_minor,omitempty"`
	// Canceled means that the program canceled the session.
	Canceled bool `json:"canceled,omitempty"`
	// HandedOver means that the shopper opened the session on the pages. What they enter there is
	// not for the program.
	HandedOver bool `json:"handed_over,omitempty"`
}

// Destination is an address of a session. It may be incomplete.
type Destination struct {
	ID        string        `json:"id"`
	FirstName string        `json:"first_name,omitempty"`
	LastName  string        `json:"last_name,omitempty"`
	Address   AddressFields `json:"address"`
}

// NewSession encodes the fields.
func NewSession(f SessionFields) Session { return encode(f) }

// Fields decodes the document. It returns nil for a cart without a session.
func (d Session) Fields() (*SessionFields, error) { return decode[*SessionFields](d) }

// Ended returns the document of a session that became an order: the order has the personal data.
func (d Session) Ended() (Session, error) {
	f, err := d.Fields()
	if err != nil || f == nil {
		return nil, err
	}
	return NewSession(SessionFields{Codes: f.Codes, HandedOver: f.HandedOver}), nil
}
