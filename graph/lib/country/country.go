// Package country knows the countries of ISO 3166-1, their regions (ISO 3166-2), and what their
// addresses are made of. It is the only list of countries. Its facts are in fact.txt, which a
// generator writes from the packages named there.
package country

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Need says how a part belongs to the addresses of a country.
type Need int

// The needs of a part.
const (
	Unused Need = iota
	Optional
	Required
)

// Form is what the addresses of a country hold beside a name, a street and a city.
type Form struct{ PostalCode, Region Need }

// country is one with its facts. Its regions and its pattern are read when they are first asked for.
type country struct {
	code, language string
	form           Form
	postal         func() *postal
	regions        func() *regions
}

//go:embed fact.txt
var facts string

// countries reads the facts of all countries by their codes.
var countries = sync.OnceValue(func() map[string]*country {
	all := map[string]*country{}
	for _, part := range strings.Split(facts, "\n=")[1:] {
		head, list, _ := strings.Cut(part, "\n")
		f := strings.Split(head, "\t")
		c := &country{code: f[0], language: f[1], form: Form{PostalCode: needOf(f[2]), Region: needOf(f[3])}}
		if c.form.Region == Required && !strings.Contains("\n"+list, "\n+") {
			c.form.Region = Unused // American Samoa is its own region
		}
		c.postal = sync.OnceValue(func() *postal { return newPostal(c.code, f[4], f[5]) })
		c.regions = sync.OnceValue(func() *regions { return newRegions(c.code, c.language, list) })
		all[c.code] = c
	}
	return all
})

// needOf reads a need: its number.
func needOf(s string) Need { return Need(s[0] - '0') }

// codes are those of all countries, in their order.
var codes = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(countries())) })

// Codes returns the codes of all countries (ISO 3166-1 alpha-2), in their order.
func Codes() []string { return slices.Clone(codes()) }

// Assigned reports whether a code is one of ISO 3166-1 alpha-2 now, in capital letters.
func Assigned(code string) bool { return countries()[code] != nil }

// FormOf returns what the addresses of a country hold. Nothing is known of others: they may hold both.
func FormOf(code string) Form {
	if c := countries()[code]; c != nil {
		return c.form
	}
	return Form{PostalCode: Optional, Region: Optional}
}
