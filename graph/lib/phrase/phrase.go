// Package phrase has the service's own texts for shoppers, in all languages of storefronts: for the
// cart, the checkout, the order page and emails.
package phrase

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/bojanz/currency"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"github.com/storefront-go/storefront/ent/state"
)

// Texts are the texts in one language.
type Texts struct {
	says   [keys]string
	counts [plurals]forms
	months [12]string
	// date is the date format: {0} is the day, {1} the name of the month, {2} the year.
	date string

	language state.Language
	tag      language.Tag
	amounts  *currency.Formatter
}

// forms are the texts for the plural forms of a language (CLDR plural rules). other replaces
// missing ones.
type forms struct{ zero, one, two, few, many, other string }

// byLanguage is read-only.
var byLanguage = map[state.Language]*Texts{
	state.English:  tagged(state.English, &english),
	state.German:   tagged(state.German, &german),
	state.French:   tagged(state.French, &french),
	state.Spanish:  tagged(state.Spanish, &spanish),
	state.Japanese: tagged(state.Japanese, &japanese),
	state.Arabic:   tagged(state.Arabic, &arabic),
}

func tagged(l state.Language, t *Texts) *Texts {
	t.language, t.tag = l, language.MustParse(string(l))
	t.amounts = currency.NewFormatter(currency.NewLocale(string(l)))
	return t
}

// In returns the texts in a language, or in English if there are none.
func In(l state.Language) *Texts {
	if t := byLanguage[l]; t != nil {
		return t
	}
	return byLanguage[state.English]
}

// Language returns the language of the texts.
func (t *Texts) Language() state.Language { return t.language }

// Tag returns the language as a golang.org/x/text tag.
func (t *Texts) Tag() language.Tag { return t.tag }

// Say returns a text with args in the places of {0}, {1} and so on.
func (t *Texts) Say(k Key, args ...string) string { return fill(t.says[k], args) }

// Count returns a text with a number, in the language's plural form.
func (t *Texts) Count(p Plural, n int64) string {
	return fill(t.counts[p].of(form(t.tag, n)), []string{strconv.FormatInt(n, 10)})
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

// Date formats the day of a time.
func (t *Texts) Date(at time.Time) string {
	y, m, d := at.Date()
	return fill(t.date, []string{strconv.Itoa(d), t.months[m-1], strconv.Itoa(y)})
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

// of returns the text of a plural form.
func (f *forms) of(k plural.Form) string {
	text := f.other
	switch k {
	case plural.Zero:
		text = f.zero
	case plural.One:
		text = f.one
	case plural.Two:
		text = f.two
	case plural.Few:
		text = f.few
	case plural.Many:
		text = f.many
	}
	if text == "" {
		return f.other
	}
	return text
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
