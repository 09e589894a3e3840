package cart

import (
	"regexp"
	"sync"
)

// form is what an address needs in a country, besides a name, a street, a city and the
// country itself. The facts are those of the Universal Postal Union's addressing guides.
type form struct {
	// postal is the pattern of postal codes, nil for a country that has none or whose codes
	// are not judged. One that has a pattern is needed.
	postal func() *regexp.Regexp
	// region says that a region is needed: a state, a province or a prefecture.
	region bool
}

// forms are the forms of countries by their codes (ISO 3166-1 alpha-2). In the others
// nothing more is asked for.
var forms = map[string]form{
	"AR": {digits(`[A-HJ-NP-Z]?\d{4}([A-Z]{3})?`), true}, "AT": {digits(`\d{4}`), false},
	"AU": {digits(`\d{4}`), true}, "BE": {digits(`\d{4}`), false}, "BG": {digits(`\d{4}`), false},
	"BR": {digits(`\d{5}-?\d{3}`), true}, "CA": {digits(`[A-CEGHJ-NPR-TVXY]\d[A-Z] ?\d[A-Z]\d`), true},
	"CH": {digits(`\d{4}`), false}, "CN": {digits(`\d{6}`), true}, "CZ": {digits(`\d{3} ?\d{2}`), false},
	"DE": {digits(`\d{5}`), false}, "DK": {digits(`\d{4}`), false}, "EE": {digits(`\d{5}`), false},
	"EG": {digits(`\d{5}`), true}, "ES": {digits(`\d{5}`), true}, "FI": {digits(`\d{5}`), false},
	"FR": {digits(`\d{2} ?\d{3}`), false},
	"GB": {digits(`GIR ?0AA|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}`), false}, "GR": {digits(`\d{3} ?\d{2}`), false},
	"HR": {digits(`\d{5}`), false}, "HU": {digits(`\d{4}`), false}, "IN": {digits(`\d{6}`), true},
	"IT": {digits(`\d{5}`), true}, "JP": {digits(`\d{3}-?\d{4}`), true}, "KR": {digits(`\d{5}`), true},
	"LI": {digits(`94\d{2}`), false}, "LT": {digits(`(LT-)?\d{5}`), false}, "LU": {digits(`(L-)?\d{4}`), false},
	"LV": {digits(`(LV-)?\d{4}`), false}, "MX": {digits(`\d{5}`), true},
	"NL": {digits(`\d{4} ?[A-Z]{2}`), false}, "NO": {digits(`\d{4}`), false}, "NZ": {digits(`\d{4}`), false},
	"PL": {digits(`\d{2}-?\d{3}`), false}, "PT": {digits(`\d{4}-\d{3}`), false}, "RO": {digits(`\d{6}`), true},
	"SE": {digits(`\d{3} ?\d{2}`), false}, "SG": {digits(`\d{6}`), false}, "SI": {digits(`(SI-)?\d{4}`), false},
	"SK": {digits(`\d{3} ?\d{2}`), false}, "TR": {digits(`\d{5}`), true}, "TW": {digits(`\d{3}(\d{2,3})?`), true},
	"UA": {digits(`\d{5}`), true}, "US": {digits(`\d{5}(-\d{4})?`), true},
}

// Need is what an address needs beside a name, a street and a city.
type Need struct{ PostalCode, Region bool }

// NeedOf is what the addresses of a country need.
func NeedOf(country string) Need {
	f := forms[country]
	return Need{f.postal != nil, f.region}
}

// digits compiles the pattern of a whole postal code when an address asks for it: most shops
// sell to a few countries.
func digits(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) })
}
