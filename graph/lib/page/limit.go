package page

import "github.com/storefront-go/storefront/ent/limit"

// Limits of a page, in rows (contract, section 1).
const (
	DefaultLimit = 50
	MaxLimit     = limit.Page
)

// ParseLimit parses a limit. A number above [MaxLimit], however long, becomes MaxLimit. It returns
// false for zero and for anything but decimal digits. The caller handles an absent limit.
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
