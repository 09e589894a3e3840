package shopify

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/model"
)

type problem struct{ text string }

func (p *problem) Error() string { return p.text }

func wrong(format string, args ...any) error { return &problem{fmt.Sprintf(format, args...)} }

// money reads an amount such as 12.50 in the minor units of a currency; an empty one is nil. It
// refuses anything but digits and a point, and more digits than the currency has, because a comma
// is ambiguous.
func money(r row, column string, code string) (*int64, error) {
	text := r.get(column)
	if text == "" {
		return nil, nil
	}
	digits, ok := currency.Digits(currency.Code(code))
	if !ok {
		return nil, wrong("%s is not a currency", code)
	}
	whole, part, _ := strings.Cut(text, ".")
	for len(part) > digits && strings.HasSuffix(part, "0") {
		part = strings.TrimSuffix(part, "0")
	}
	if len(part) > digits || whole == "" || strings.Trim(whole+part, "0123456789") != "" {
		return nil, wrong("%s: %q is not an amount in %s", title(column), text, code)
	}
	v, err := strconv.ParseInt(whole+part+strings.Repeat("0", digits-len(part)), 10, 64)
	if err != nil || v > currency.MaxMinor {
		return nil, wrong("%s: %q is too large", title(column), text)
	}
	return &v, nil
}

// amountOf formats an amount as [money] reads it.
func amountOf(minor int64, code string) string {
	digits, _ := currency.Digits(currency.Code(code))
	return strconv.FormatFloat(float64(minor)/math.Pow10(digits), 'f', digits, 64)
}

// sum is [money] with 0 for an empty amount.
func sum(r row, column string, code string) (int64, error) {
	v, err := money(r, column, code)
	if v == nil {
		return 0, err
	}
	return *v, err
}

// whole reads a whole number, which spreadsheets may have turned into 3.0.
func whole(r row, column string) (*int64, error) {
	text := r.get(column)
	if text == "" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > currency.MaxMinor {
		return nil, wrong("%s: %q is not an integer", title(column), text)
	}
	return new(int64(v)), nil
}

// yes reports whether text is TRUE, yes or the like.
func yes(text string) bool {
	return slices.Contains([]string{"true", "yes", "1"}, strings.ToLower(text))
}

// moment reads a time such as 2024-01-31 17:05:09 +0100.
func moment(r row, column string) (*micros.Time, error) {
	text := r.get(column)
	if text == "" {
		return nil, nil
	}
	for _, layout := range []string{"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return new(micros.Of(t)), nil
		}
	}
	return nil, wrong("%s: %q is not a time such as 2024-01-31 17:05:09 +0100", title(column), text)
}

// labels reads tags separated by commas, up to the maximum number and length.
func (i *importer) labels(c *record, text string) []string {
	var list []string
	over := 0
	for tag := range strings.SplitSeq(text, ",") {
		short := i.clip(c, "a tag", lineOf(tag), limit.Label)
		switch {
		case short == "" || slices.Contains(list, short):
		case len(list) == limit.Tags:
			over++
		default:
			list = append(list, short)
		}
	}
	if over > 0 {
		i.note(c, "%d tags above %d are not imported", over, limit.Tags)
	}
	return list
}

// clip shortens a text to the most code points that are allowed.
func (i *importer) clip(c *record, what, text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	i.note(c, "%s is shortened to %d characters", what, most)
	return strings.TrimSpace(string([]rune(text)[:most]))
}

// clipped is [importer.clip] for an optional line.
func (i *importer) clipped(c *record, what string, text *string) *string {
	if text = line(text); text == nil || *text == "" {
		return nil
	}
	return new(i.clip(c, what, *text, limit.Line))
}

func grams(r row) (*int64, error) {
	text := r.get("variant grams")
	if text == "" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > limit.Weight {
		return nil, wrong("%s: %q is not a weight", title("variant grams"), text)
	}
	return new(int64(math.Round(v))), nil
}

// title returns a column as in the header of the file.
func title(column string) string {
	words := strings.Fields(column)
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// line returns a text in one line; line breaks become spaces.
func line(text *string) *string {
	if text == nil {
		return nil
	}
	return new(lineOf(*text))
}

// lineOf is [line] for a text that is not optional. It removes other control characters.
func lineOf(text string) string {
	seen := func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}
	return strings.Join(strings.Fields(strings.Map(seen, text)), " ")
}

// short is [line], and nil if the text is longer than a telephone number or tag.
func short(text *string) *string {
	if text = line(text); text == nil || len(*text) > limit.Label {
		return nil
	}
	return text
}

// place reads an address from columns with a prefix. Without a street, city or country there is
// none; complete is false if only some of these are there.
func place(r row, prefix string) (a *model.AddressInput, complete bool) {
	get := func(names ...string) *string {
		for _, name := range names {
			if v := line(r.opt(prefix + name)); v != nil {
				return v
			}
		}
		return nil
	}
	street, city, country := get("address1", "street"), get("city"), get("country code", "country")
	if street == nil && city == nil {
		return nil, true
	}
	if street == nil || city == nil || country == nil || len(*country) != 2 {
		return nil, false
	}
	return &model.AddressInput{
		Name: get("name"), Company: get("company"), Line1: *street, Line2: get("address2"), City: *city,
		Region: get("province code", "province"), PostalCode: get("zip"), Country: strings.ToUpper(*country),
		Phone: short(get("phone")),
	}, true
}
