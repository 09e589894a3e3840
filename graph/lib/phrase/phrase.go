// Package phrase has the service's own texts for shoppers, in all languages of storefronts: for the
// cart, the checkout, the order page, emails and spreadsheets. Each language is a file in the folder
// language, which also says how the language writes dates and numbers.
package phrase

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/bojanz/currency"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/storefront-go/storefront/ent/state"
)

//go:generate go run ./internal/gen

// Texts are the texts and formats of one language.
type Texts struct {
	Language state.Language `json:"-"`
	// Direction is the writing direction, as in HTML's dir.
	Direction string
	// Stripe reports whether Stripe's pages exist in the language.
	Stripe bool
	// Separator and Point are the characters that spreadsheets in the language expect between the
	// cells of a CSV file and before decimals, when the file is opened by a double click.
	Separator, Point string
	// DateFormat has {0} for the day, {1} for the name of the month and {2} for the year.
	DateFormat string `json:"date_format"`
	Months     [12]string
	Plurals    map[Plural]forms
	Texts      map[Key]string

	tag     language.Tag
	amounts *currency.Formatter
}

// forms are the texts for the plural forms of a language, by their names in the plural rules of
// CLDR. "other" replaces missing ones.
type forms map[string]string

//go:embed language
var files embed.FS

// byLanguage is read-only.
var byLanguage = load()

func load() map[state.Language]*Texts {
	all := map[state.Language]*Texts{}
	for _, l := range state.Languages() {
		t := &Texts{Language: l, tag: language.MustParse(string(l))}
		t.amounts = currency.NewFormatter(currency.NewLocale(string(l)))
		data, err := files.ReadFile("language/" + string(l) + ".json")
		if err == nil {
			err = json.Unmarshal(data, t)
		}
		if err != nil {
			panic(fmt.Errorf("read the texts in %s: %w", l, err))
		}
		all[l] = t
	}
	return all
}

// In returns the texts in a language, or in English if there are none.
func In(l state.Language) *Texts {
	return cmp.Or(byLanguage[l], byLanguage[state.English])
}

// Tag returns the language as a golang.org/x/text tag.
func (t *Texts) Tag() language.Tag { return t.tag }

// Say returns a text with args in the places of {0}, {1} and so on.
func (t *Texts) Say(k Key, args ...string) string { return fill(t.Texts[k], args) }

// Count returns a text with a number, in the language's plural form.
func (t *Texts) Count(p Plural, n int64) string {
	return fill(t.Plurals[p].of(form(t.tag, n)), []string{strconv.FormatInt(n, 10)})
}

// Money formats an amount, in minor units of its currency, for the language. An amount in an
// unknown currency is shown with the currency's code.
func (t *Texts) Money(minor int64, code string) string {
	a, err := currency.NewAmountFromInt64(minor, code)
	if err != nil {
		return strconv.FormatInt(minor, 10) + "\u00a0" + code
	}
	return t.amounts.Format(a)
}

// Percent formats a rate that is given in percent, such as "8.875".
func (t *Texts) Percent(rate string) string {
	if t.Point == "." {
		return rate + "%"
	}
	return strings.Replace(rate, ".", t.Point, 1) + "\u00a0%"
}

// Country returns the name of a country, or its code.
func (t *Texts) Country(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return cmp.Or(display.Regions(t.tag).Name(region), code)
}

// Date formats the day of a time.
func (t *Texts) Date(at time.Time) string {
	y, m, d := at.Date()
	return fill(t.DateFormat, []string{strconv.Itoa(d), t.Months[m-1], strconv.Itoa(y)})
}

// form returns the plural form of a whole number. The rules use only its last digits, which fit
// into an int32.
func form(tag language.Tag, n int64) plural.Form {
	const (
		size = 10_000_000
		last = 1_000_000
	)
	v := new(big.Int).Abs(big.NewInt(n))
	if v.Cmp(big.NewInt(size)) >= 0 {
		v.Mod(v, big.NewInt(last))
		v.Add(v, big.NewInt(size))
	}
	return plural.Cardinal.MatchPlural(tag, int(v.Int64()), 0, 0, 0, 0)
}

func (f forms) of(k plural.Form) string {
	return cmp.Or(f[[...]string{"other", "zero", "one", "two", "few", "many"}[k]], f["other"])
}

// fill replaces the placeholders of a text, in one pass, so that placeholders in arguments have no
// effect.
func fill(text string, args []string) string {
	if len(args) == 0 || !strings.Contains(text, "{") {
		return text
	}
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", a)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
