package state

// ShopperPurpose is the action that answering a shopper's challenge permits.
type ShopperPurpose string

// The values of [ShopperPurpose].
const (
	ShopperSignIn ShopperPurpose = "sign_in" // a session begins
	ShopperErase  ShopperPurpose = "erase"   // the account is redacted
	// ShopperPasskey is a challenge that a passkey answered: it has no code, and ends replays.
	ShopperPasskey ShopperPurpose = "passkey"
)

// ConsentSource says who chose the state of a customer's consent to marketing emails.
type ConsentSource string

// The values of [ConsentSource].
const (
	ConsentAccount ConsentSource = "account" // the customer, in their account, whose address is proved
	ConsentStaff   ConsentSource = "staff"
	ConsentAPI     ConsentSource = "api"
	ConsentImport  ConsentSource = "import"
)

// Known reports whether v is a value of the enumeration.
func (v ConsentSource) Known() bool {
	return oneOf(v, ConsentAccount, ConsentStaff, ConsentAPI, ConsentImport)
}

// MarketingConsent is a filter of customers by their consent to marketing emails.
type MarketingConsent string

// The values of [MarketingConsent].
const (
	// ConsentGiven are all customers who consent now, by any source.
	ConsentGiven MarketingConsent = "given"
	// ConsentConfirmed are those who consented themselves with a proved address (double opt-in).
	ConsentConfirmed MarketingConsent = "confirmed"
)

// Known reports whether v is a value of the enumeration.
func (v MarketingConsent) Known() bool { return oneOf(v, ConsentGiven, ConsentConfirmed) }
