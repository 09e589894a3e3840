package page

import "github.com/storefront-go/storefront/ent/limit"

// Limits of a page, in rows (contract, section 1).
const (
	DefaultLimit = 50
	MaxLimit     = limit.Page
)

// ParseLimit reads a limit given as text. A number above [MaxLimit] of any
// length counts as MaxLimit; it reports false for what is not decimal digits
// alone and for zero. A limit not given at all is the caller's to know.
func ParseLimit(text string) (int, bool) {
	n := 0
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		// Capped in the loop, so a long number cannot overflow.
		n = min(n*10+int(c-'0'), MaxLimit)
	}
	return n, n > 0
}
