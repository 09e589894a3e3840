package document

// Prices is a list of [PriceStep] as a column.
type Prices []byte

// PriceStep is what shoppers pay and see from a time on. The first step of a list has no time.
type PriceStep struct {
	From       int64 `json:"from,omitempty"` // microseconds since the Unix epoch
	PriceMinor int64 `json:"price_minor"`
	// CompareAtMinor is the compare-at price, and LowestMinor the lowest price of the 30 days before
	// the reduction began, if one is announced and that price is known.
	CompareAtMinor *int64 `json:"compare_at_minor,omitempty"`
	LowestMinor    *int64 `json:"lowest_minor,omitempty"`
	// HighestMinor is the highest price of the variants of a product if it exceeds the lowest.
	HighestMinor *int64 `json:"highest_minor,omitempty"`
}

// Reduced reports whether a reduction is announced.
func (s PriceStep) Reduced() bool { return s.CompareAtMinor != nil && *s.CompareAtMinor > s.PriceMinor }

// NewPrices encodes steps in the order of their times.
func NewPrices(steps []PriceStep) Prices { return encode(steps) }

// List decodes the steps; nil if there are none.
func (p Prices) List() ([]PriceStep, error) { return decode[[]PriceStep](p) }
