package document

import "github.com/storefront-go/storefront/ent/state"

// PaymentMethods is a JSON array of [PaymentMethod].
type PaymentMethods []byte

// PaymentMethod is one way in which the shoppers of a store may pay.
type PaymentMethod struct {
	Kind state.PaymentMethod `json:"kind"`
	Name string              `json:"name"`
	// Instructions are what a shopper reads who has ordered, such as an account's number;
	// plain text.
	Instructions string `json:"instructions"`
	Active       bool   `json:"active"`
}

// NewPaymentMethods encodes ways to pay.
func NewPaymentMethods(methods []PaymentMethod) PaymentMethods {
	return encode(append([]PaymentMethod{}, methods...))
}

// List decodes the ways to pay; an absent document has none.
func (m PaymentMethods) List() ([]PaymentMethod, error) { return decode[[]PaymentMethod](m) }
