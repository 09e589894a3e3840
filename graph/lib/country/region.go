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
	// Code is that of ISO 3166-2 without the country, such as NY. Where an address names one that
	// ISO has not, it is the name that addresses have.
	Code string
	// Name is the name in Latin letters, Local that in the language of the country; "" for the same.
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

// Written returns the region as addresses in a language name it: some countries abbreviate.
func (r Region) Written(language string) string { return cmp.Or(r.short, r.In(language)) }

// Spelled returns the region as an address names it that named it with text: the writing of a
// country stays, another spelling becomes the usual one.
func (r Region) Spelled(text string) string {
	if text == r.Local {
		return text
	}
	return cmp.Or(r.short, r.Name)
}

// regions are those of a country.
type regions struct {
	all   []Region
	named map[string]int // where in all a folded code or name is
}

// newRegions reads the regions of a country.
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
	// Of two that share a name, the one that addresses name has it; a code goes before a name.
	order := slices.SortedStableFunc(slices.Values(indexes(r.all)), func(a, b int) int {
		return cmp.Compare(rank(r.all[a]), rank(r.all[b]))
	})
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

func indexes(list []Region) []int {
	at := make([]int, len(list))
	for i := range at {
		at[i] = i
	}
	return at
}

// rank puts the regions that addresses name first.
func rank(r Region) int {
	if r.listed {
		return 0
	}
	return 1
}

// name lets names lead to a region, but for those that lead to another already.
func (r *regions) name(key func(string) string, i int, names ...string) {
	for _, name := range names {
		k := key(name)
		if _, taken := r.named[k]; k != "" && !taken {
			r.named[k] = i
		}
	}
}

// generic are the words that people write or leave out in the name of a region.
var generic = map[string]bool{"of": true, "state": true, "province": true, "prefecture": true, "county": true,
	"region": true, "oblast": true, "governorate": true, "co": true, "de": true, "the": true}

// words returns the letters and digits of a name by its words, in small letters and without accents.
func words(name string) []string {
	plain := name
	if strings.ContainsFunc(name, func(c rune) bool { return c > unicode.MaxASCII }) {
		plain = norm.NFC.String(runes.Remove(runes.In(unicode.Mn)).String(norm.NFKD.String(name)))
	}
	return strings.FieldsFunc(strings.ToLower(plain), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
}

// squeeze makes one of "N.Y.", "n y" and "ny".
func squeeze(name string) string { return strings.Join(words(name), "") }

// fold leaves out generic words too: "State of New York" is "new york".
func fold(name string) string {
	all := words(name)
	telling := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return generic[w] })
	if len(telling) == 0 {
		telling = all
	}
	return strings.Join(telling, "")
}

// Find returns the region of a country that a code or a name means, in any spelling of case,
// accents, dots and blanks: "NY", "US-NY", "N.Y.", "new york".
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

// Key is what a region of a country is compared by: its code, or the name of one that is not
// known, folded. It is "" for none.
func Key(country, text string) string {
	if r, ok := Find(country, text); ok {
		return r.Code
	}
	if key := fold(text); key != "" {
		return "?" + key
	}
	return ""
}

// Lineage returns the [Key] of a region and those of the regions that it is in after it: a
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

// Regions returns the regions of a country that an address is asked for: those that addresses
// name, or all of the level below where one of named, codes or names, is not among them.
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
