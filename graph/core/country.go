package core

import (
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/country"
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

// AssignedCountry is [Check.Country] for a code that ISO 3166-1 has now, or that is among kept:
// settings of earlier days can be saved with a code that was withdrawn.
func (c *Check) AssignedCountry(name, code string, kept ...string) string {
	upper := c.Country(name, code)
	if !country.Assigned(upper) && !slices.Contains(kept, upper) {
		c.Add(name, fault.UnknownValue, "There is no such country.")
	}
	return upper
}
