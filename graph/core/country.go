package core

import (
	"strings"

	"golang.org/x/text/language"

	"github.com/storefront-go/storefront/ent/fault"
)

// Country checks the form of a code of ISO 3166-1 alpha-2 and returns it in upper case.
// Whether the code is assigned is not judged: the list changes, and an order of last year
// keeps its country.
func (c *Check) Country(name, code string) string {
	upper := strings.ToUpper(code)
	if len(code) != 2 || strings.Trim(upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		c.Add(name, fault.InvalidFormat, "A country is two letters.")
	}
	return upper
}

// AssignedCountry is [Check.Country] for one that there is: settings that name another
// would never be used.
func (c *Check) AssignedCountry(name, code string) string {
	upper := c.Country(name, code)
	if r, err := language.ParseRegion(upper); err != nil || !r.IsCountry() || r.Canonicalize().String() != upper {
		c.Add(name, fault.UnknownValue, "There is no such country.")
	}
	return upper
}
