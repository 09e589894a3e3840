// Package country has the countries of ISO 3166-1, their regions (ISO 3166-2), and the form of
// their addresses. It is the only list of countries. The data are in fact.txt, which a generator
// writes from the packages named there.
package country

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Need says whether addresses of a country have a part.
type Need int

// The values of [Need].
const (
	Unused Need = iota
	Optional
	Required
)

// Form says which parts addresses of a country have besides a name, a street and a city.
type Form struct{ PostalCode, Region Need }

// Layout is how addresses of a country are written.
type Layout struct {
	// Order has the letters A (street), C (city), S (region) and Z (postal code), each once.
	Order string
	// PostalCode, Region and City name the parts as Google's libaddressinput does, such as "zip",
	// "prefecture" and "post_town"; "" for the usual names.
	PostalCode, Region, City string
}

// country has the data of a country. Regions and pattern are parsed on first use.
type country struct {
	code, language string
	form           Form
	layout         Layout
	postal         func() *postal
	regions        func() *regions
}

//go:embed fact.txt
var facts string

var countries = sync.OnceValue(func() map[string]*country {
	all := map[string]*country{}
	for _, part := range strings.Split(facts, "\n=")[1:] {
		head, list, _ := strings.Cut(part, "\n")
		f := strings.Split(head, "\t")
		c := &country{code: f[0], language: f[1], form: Form{PostalCode: needOf(f[2]), Region: needOf(f[3])},
			layout: Layout{Order: f[7], PostalCode: f[8], Region: f[9], City: f[10]}}
		if c.form.Region == Required && !strings.Contains("\n"+list, "\n+") {
			c.form.Region = Unused // American Samoa is its own region
		}
		c.postal = sync.OnceValue(func() *postal { return newPostal(c.code, f[4], f[5]) })
		c.regions = sync.OnceValue(func() *regions { return newRegions(c.code, c.language, list) })
		all[c.code] = c
	}
	return all
})

func needOf(s string) Need { return Need(s[0] - '0') }

var codes = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(countries())) })

// Codes returns the codes of all countries (ISO 3166-1 alpha-2), sorted.
func Codes() []string { return slices.Clone(codes()) }

// Assigned reports whether an uppercase code is assigned in ISO 3166-1 alpha-2.
func Assigned(code string) bool { return countries()[code] != nil }

// LayoutOf returns how addresses of a country are written.
func LayoutOf(code string) Layout {
	if c := countries()[code]; c != nil {
		return c.layout
	}
	return Layout{Order: "AZCS"}
}

// FormOf returns the form of a country's addresses. Addresses of an unknown country may have both
// parts.
func FormOf(code string) Form {
	if c := countries()[code]; c != nil {
		return c.form
	}
	return Form{PostalCode: Optional, Region: Optional}
}
