package document

import "github.com/storefront-go/storefront/ent/state"

// PaymentMethods is a JSON array of [PaymentMethod].
type PaymentMethods []byte

// PaymentMethod is one payment method of a store.
type PaymentMethod struct {
	Kind state.PaymentMethod `json:"kind"`
	Name string              `json:"name"`
	// Instructions are shown to the shopper after ordering, such as a bank account number; plain
	// text.
	Instructions string `json:"instructions"`
	Active       bool   `json:"active"`
}

// NewPaymentMethods encodes payment methods.
func NewPaymentMethods(methods []PaymentMethod) PaymentMethods {
	return encode(append([]PaymentMethod{}, methods...))
}

// List decodes the payment methods; an absent document has none.
func (m PaymentMethods) List() ([]PaymentMethod, error) { return decode[[]PaymentMethod](m) }
