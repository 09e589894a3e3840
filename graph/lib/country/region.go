package country

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"
)

// Region is a subdivision of a country.
type Region struct {
	// Code is the ISO 3166-2 code without the country, such as NY. For a region that ISO lacks, it
	// is the name in addresses.
	Code string
	// Name is the name in Latin letters, Local the name in the country's language, "" if it is the
	// same.
	Name, Local string

	short, parent string
	listed        bool
	language      string
}

// In returns the name in a language, a tag such as "ja".
func (r Region) In(language string) string {
	if language == r.language {
		return cmp.Or(r.Local, r.Name)
	}
	return r.Name
}

// Written returns the region as addresses in a language name it. Some countries abbreviate.
func (r Region) Written(language string) string { return cmp.Or(r.short, r.In(language)) }

// Spelled returns the region as an address that named it with text should have it: a name in the
// country's own script stays, another spelling becomes the usual one.
func (r Region) Spelled(text string) string {
	if text == r.Local {
		return text
	}
	return cmp.Or(r.short, r.Name)
}

type regions struct {
	all   []Region
	named map[string]int // the index in all of a folded code or name
}

func newRegions(country, language, lines string) *regions {
	r := &regions{named: map[string]int{}}
	var names [][]string
	for line := range strings.Lines(lines) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		code, listed := strings.CutPrefix(f[0], "+")
		one := Region{Code: code, short: f[1], Name: f[2], Local: f[3], parent: f[4], listed: listed,
			language: language}
		r.all = append(r.all, one)
		names = append(names, strings.Split(f[5], "|"))
	}
	// If two share a name, the one that addresses name gets it. Codes take precedence over names.
	var order []int
	for _, listed := range []bool{true, false} {
		for i, one := range r.all {
			if one.listed == listed {
				order = append(order, i)
			}
		}
	}
	for _, i := range order {
		r.name(squeeze, i, r.all[i].Code, country+r.all[i].Code, r.all[i].short)
	}
	for _, key := range []func(string) string{squeeze, fold} {
		for _, i := range order {
			r.name(key, i, r.all[i].Name, r.all[i].Local)
		}
		for _, i := range order {
			r.name(key, i, names[i]...)
		}
	}
	return r
}

// name maps names to a region, except names that are taken.
func (r *regions) name(key func(string) string, i int, names ...string) {
	for _, name := range names {
		k := key(name)
		if _, taken := r.named[k]; k != "" && !taken {
			r.named[k] = i
		}
	}
}

// generic are words that people may leave out of a region's name.
var generic = map[string]bool{"of": true, "state": true, "province": true, "prefecture": true, "county": true,
	"region": true, "oblast": true, "governorate": true, "co": true, "de": true, "the": true}

// words splits a name into words of letters and digits, in lower case and without accents.
func words(name string) []string {
	plain := name
	if strings.ContainsFunc(name, func(c rune) bool { return c > unicode.MaxASCII }) {
		plain = norm.NFC.String(runes.Remove(runes.In(unicode.Mn)).String(norm.NFKD.String(name)))
	}
	return strings.FieldsFunc(strings.ToLower(plain), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
}

// squeeze returns the same for "N.Y.", "n y" and "ny".
func squeeze(name string) string { return strings.Join(words(name), "") }

// fold also leaves out generic words: "State of New York" becomes "new york".
func fold(name string) string {
	all := words(name)
	telling := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return generic[w] })
	if len(telling) == 0 {
		telling = all
	}
	return strings.Join(telling, "")
}

// Find returns the region of a country by code or name, ignoring case, accents, dots and spaces:
// "NY", "US-NY", "N.Y.", "new york".
func Find(country, text string) (Region, bool) {
	if c := countries()[country]; c != nil {
		for _, key := range []string{squeeze(text), fold(text)} {
			if i, ok := c.regions().named[key]; ok {
				return c.regions().all[i], true
			}
		}
	}
	return Region{}, false
}

// Key returns a comparison key of a region: its code, or the folded name of an unknown region. It
// is "" for no region.
func Key(country, text string) string {
	if r, ok := Find(country, text); ok {
		return r.Code
	}
	if key := fold(text); key != "" {
		return "?" + key
	}
	return ""
}

// Lineage returns the [Key] of a region followed by those of the regions that contain it: a
// province is in its autonomous community.
func Lineage(country, text string) []string {
	r, ok := Find(country, text)
	if !ok {
		return slices.DeleteFunc([]string{Key(country, text)}, func(key string) bool { return key == "" })
	}
	line := []string{r.Code}
	for r.parent != "" && !slices.Contains(line, r.parent) {
		line = append(line, r.parent)
		r, _ = Find(country, country+"-"+r.parent)
	}
	return line
}

// Regions returns the regions to choose from in an address of a country: those that addresses name,
// or all of the lowest level if a code or name in named is not among them.
func Regions(country string, named ...string) []Region {
	c := countries()[country]
	if c == nil {
		return nil
	}
	all, reached := c.regions().all, map[string]bool{}
	outer := map[string]bool{}
	for _, r := range all {
		outer[r.parent] = true
		if r.listed {
			for _, code := range Lineage(country, country+"-"+r.Code) {
				reached[code] = true
			}
		}
	}
	within := func(name string) bool { r, ok := Find(country, name); return !ok || reached[r.Code] }
	listed := !slices.ContainsFunc(named, func(name string) bool { return !within(name) })
	return slices.DeleteFunc(slices.Clone(all), func(r Region) bool {
		if listed {
			return !r.listed
		}
		return outer[r.Code]
	})
}
