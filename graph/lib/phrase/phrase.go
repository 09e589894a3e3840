// Package phrase has the texts that shoppers read from the service itself, on the
// pages of the cart, the checkout and an order, and in mails: in every language that
// a storefront speaks.
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

// Texts are those of one language.
type Texts struct {
	says   [keys]string
	counts [plurals]forms
	months [12]string
	// date is a day: {0} is its number, {1} the name of the month, {2} the year.
	date string

	language state.Language
	tag      language.Tag
	amounts  *currency.Formatter
}

// forms are the texts for the kinds of numbers that languages have (CLDR, plural
// rules). Where one is missing, other stands for it.
type forms struct{ zero, one, two, few, many, other string }

// byLanguage is never changed.
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

// In returns the texts of a language, and those in English for one that there is not.
func In(l state.Language) *Texts {
	if t := byLanguage[l]; t != nil {
		return t
	}
	return byLanguage[state.English]
}

// Language is the one of the texts.
func (t *Texts) Language() state.Language { return t.language }

// Tag is the language as golang.org/x/text names it.
func (t *Texts) Tag() language.Tag { return t.tag }

// Say returns a text with what stands in the places of {0}, {1} and so on.
func (t *Texts) Say(k Key, args ...string) string { return fill(t.says[k], args) }

// Count returns a text with a number, in the form that the language has for it.
func (t *Texts) Count(p Plural, n int64) string {
	return fill(t.counts[p].of(form(t.tag, n)), []string{strconv.FormatInt(n, 10)})
}

// Money writes an amount, given in the smallest unit of its currency, as the language
// does. The amount of an unknown currency stands beside its code.
func (t *Texts) Money(minor int64, code string) string {
	a, err := currency.NewAmountFromInt64(minor, code)
	if err != nil {
		return strconv.FormatInt(minor, 10) + "\u00a0" + code
	}
	return t.amounts.Format(a)
}

// Date writes the day of a time.
func (t *Texts) Date(at time.Time) string {
	y, m, d := at.Date()
	return fill(t.date, []string{strconv.Itoa(d), t.months[m-1], strconv.Itoa(y)})
}

// form is the kind of a whole number in a language. The rules look at no more than its
// last digits, which is all that fits into an int32.
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

// of returns the text for a form.
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

// fill puts the arguments into a text, in one pass: what an argument holds is never
// read as a place.
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
