package core

import (
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/country"
)

// Country checks the form of an ISO 3166-1 alpha-2 code and returns it in upper case. It does not
// check that the code is assigned: the list changes, and old orders keep their country.
func (c *Check) Country(name, code string) string {
	upper := strings.ToUpper(code)
	if len(code) != 2 || strings.Trim(upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		c.Add(name, fault.InvalidFormat, "A country code has two letters.")
	}
	return upper
}

// AssignedCountry is [Check.Country] for a code that ISO 3166-1 assigns now or that is in kept, so
// that existing settings with a withdrawn code can still be saved.
func (c *Check) AssignedCountry(name, code string, kept ...string) string {
	upper := c.Country(name, code)
	if !country.Assigned(upper) && !slices.Contains(kept, upper) {
		c.Add(name, fault.UnknownValue, "Unknown country.")
	}
	return upper
}
