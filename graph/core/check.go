package core

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// Check collects all faults of an input, so that one answer reports them together. Members are
// named by their REST pointers; GraphQL turns these into argument paths.
//
// Use the zero Check for an input that no facade decoded; otherwise see [NewCheck].
type Check struct{ fields []fault.Field }

// decoded is an input with the faults that a facade found while decoding it; see [model.Decoded].
type decoded interface{ Faults() []fault.Field }

// NewCheck returns a check that starts with the faults of the facade.
func NewCheck(in decoded) *Check { return &Check{fields: slices.Clone(in.Faults())} }

// Err returns the fault for a 422, or nil if nothing is wrong.
func (c *Check) Err() error {
	if len(c.fields) == 0 {
		return nil
	}
	return fault.Invalid(c.fields...)
}

// Fields returns the faults. Callers must not modify them.
func (c *Check) Fields() []fault.Field { return c.fields }

// maxFaults is how many faults one answer lists, as of the form of a body ([wire.Reader]).
const maxFaults = 100

// Add reports a fault of one member. Only the first fault of a member is kept.
func (c *Check) Add(name, code, detail string) {
	c.add(fault.Field{Pointer: "#/" + name, Code: code, Detail: detail})
}

// Include reports the faults of an error.
func (c *Check) Include(err *fault.Error) {
	for _, f := range err.Fields {
		c.add(f)
	}
}

func (c *Check) add(f fault.Field) {
	if len(c.fields) < maxFaults &&
		!slices.ContainsFunc(c.fields, func(o fault.Field) bool { return o.Pointer == f.Pointer }) {
		c.fields = append(c.fields, f)
	}
}

// Required reports a missing member.
func (c *Check) Required(name string, present bool) {
	if !present {
		c.Add(name, fault.Required, "This member is required.")
	}
}

// Line checks a non-blank text of one line with at most limit code points.
func (c *Check) Line(name, text string, limit int) { c.text(name, text, limit, false) }

// Name checks the name of a store, an app or a person: a line without invisible characters, because
// people decide by these names whom they trust.
func (c *Check) Name(name, text string, limit int) {
	c.Line(name, text, limit)
	if strings.ContainsFunc(text, invisible) {
		c.Add(name, fault.InvalidFormat, "The name contains invisible or direction-changing characters.")
	}
}

// invisible reports whether r shows nothing by itself: format characters, including those that
// change the text direction (Unicode Standard Annex 9, section 2), and blank letters.
func invisible(r rune) bool {
	const blank = "\u115f\u1160\u2800\u3164\uffa0"
	return unicode.Is(unicode.Cf, r) || strings.ContainsRune(blank, r)
}

func visible(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsMark(r) && !invisible(r) }

// changesDirection reports whether r changes the direction of the text after it, even beyond the
// end of a title. Single marks such as U+200F, which Arabic needs, do not.
func changesDirection(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Long checks a text that may contain tabs and line breaks.
func (c *Check) Long(name, text string, limit int) { c.text(name, text, limit, true) }

func (c *Check) text(name, text string, limit int, long bool) {
	switch {
	case !utf8.ValidString(text):
		c.Add(name, fault.InvalidFormat, "The text is not valid UTF-8.")
	case utf8.RuneCountInString(text) > limit:
		c.Add(name, fault.TooLong, "The text has more than "+strconv.Itoa(limit)+" characters.")
	case strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && (!long || r != '\t' && r != '\n' && r != '\r')
	}): // contract, section 1
		c.Add(name, fault.InvalidFormat, "The text contains control characters.")
	case !long && strings.ContainsFunc(text, changesDirection):
		c.Add(name, fault.InvalidFormat, "The text contains characters that change the text direction.")
	case !strings.ContainsFunc(text, visible):
		c.Add(name, fault.TooShort, "The text is blank.")
	}
}

// CleanInput returns a text that a person typed without surrounding spaces and without characters that
// change its direction, which phones copy along with numbers of contacts.
func CleanInput(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if changesDirection(r) {
			return -1
		}
		return r
	}, text))
}

// Opt calls f with the value unless it is nil.
func Opt[T any](v *T, f func(T)) {
	if v != nil {
		f(*v)
	}
}

// Deref returns the value, or zero for nil.
func Deref[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// Amount checks an amount in minor units.
func (c *Check) Amount(name string, v int64) { c.Within(name, v, 0, currency.MaxMinor) }

// Within checks that a whole number is between low and high.
func (c *Check) Within(name string, v, low, high int64) {
	if v < low || v > high {
		c.Add(name, fault.OutOfRange,
			"The number is not between "+strconv.FormatInt(low, 10)+" and "+strconv.FormatInt(high, 10)+".")
	}
}

// Currency checks a currency code and returns it in upper case.
func (c *Check) Currency(name, code string) string {
	known, ok := currency.Parse(code)
	if !ok {
		c.Add(name, fault.UnknownValue, "This is not an ISO 4217 currency code.")
	}
	return string(known)
}

// Handle checks the handle of a product, its name in URLs.
func (c *Check) Handle(name, handle string, limit int) { c.Label(name, "handle", handle, limit) }

// Label checks a text of the characters of handles; what is its noun.
func (c *Check) Label(name, what, text string, limit int) {
	switch {
	case text == "":
		c.Add(name, fault.TooShort, "The "+what+" is empty.")
	case len(text) > limit:
		c.Add(name, fault.TooLong, "The "+what+" has more than "+strconv.Itoa(limit)+" characters.")
	case strings.ContainsFunc(text, func(r rune) bool { return !HandleRune(r) }):
		c.Add(name, fault.InvalidFormat, "A "+what+" may contain only a-z, 0-9 and -.")
	}
}

// File decodes the base64 of a file (RFC 4648, section 4): the standard alphabet with padding and
// without line breaks. what is its noun, and limit its largest size, in whole MiB.
func (c *Check) File(name, what, text string, limit int) []byte {
	tooLong := fmt.Sprintf("The %s has more than %d MiB.", what, limit>>20)
	if len(text) > base64.StdEncoding.EncodedLen(limit) {
		c.Add(name, fault.TooLong, tooLong)
		return nil
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	switch {
	case err != nil || strings.ContainsAny(text, "\r\n"): // the library skips these
		c.Add(name, fault.InvalidFormat, "The "+what+" is not base64 in the standard alphabet, with padding.")
	case len(b) > limit:
		c.Add(name, fault.TooLong, tooLong)
	case len(b) == 0:
		c.Add(name, fault.TooShort, "The "+what+" is empty.")
	}
	return b
}

// HandleRune reports whether handles may contain r.
func HandleRune(r rune) bool { return r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' }

// Tags checks a list of labels.
func (c *Check) Tags(name string, tags []string) {
	if len(tags) > limit.Tags {
		c.Add(name, fault.TooLong, "There are more than "+strconv.Itoa(limit.Tags)+" tags.")
		return
	}
	for i, t := range tags {
		c.Line(name+"/"+strconv.Itoa(i), t, limit.Label)
	}
}

// IDs checks a list of at most most ids of one kind without duplicates, and returns them.
func (c *Check) IDs(name string, kind xid.Kind, texts []string, most int) []xid.ID {
	if len(texts) > most {
		c.Add(name, fault.TooLong, "There are more than "+strconv.Itoa(most)+" ids.")
		return nil
	}
	list := make([]xid.ID, 0, len(texts))
	for i, text := range texts {
		at := name + "/" + strconv.Itoa(i)
		id, err := kind.Parse(text)
		switch {
		case err != nil:
			c.Add(at, fault.InvalidFormat, "This is not the id of a "+kind.Resource()+".")
		case slices.Contains(list, id):
			c.Add(at, fault.Taken, "This id appears twice.")
		}
		list = append(list, id)
	}
	return list
}

// Found reports the ids of a list that are not in found.
func (c *Check) Found(name string, kind xid.Kind, ids, found []xid.ID) {
	for i, id := range ids {
		if !slices.Contains(found, id) {
			c.Add(name+"/"+strconv.Itoa(i), fault.UnknownValue, "The store has no such "+kind.Resource()+".")
		}
	}
}

// Address checks the target of a link: a path of the shop or an https address.
func (c *Check) Address(name, address string) {
	if !strings.HasPrefix(address, "/") {
		c.HTTPS(name, address)
		return
	}
	switch {
	case len(address) > limit.URL:
		c.Add(name, fault.TooLong, "The address has more than "+strconv.Itoa(limit.URL)+" bytes.")
	case strings.HasPrefix(address, "//"), strings.Contains(address, `\`),
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		c.Add(name, fault.InvalidFormat, "This is not a path of the shop. For example, /search?q=mugs.")
	}
}

// HTTPS checks an absolute https URL.
func (c *Check) HTTPS(name, address string) {
	u, err := url.Parse(address)
	switch {
	case len(address) > limit.URL:
		c.Add(name, fault.TooLong, "The address has more than "+strconv.Itoa(limit.URL)+" bytes.")
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f || unicode.IsControl(r) }):
		c.Add(name, fault.InvalidFormat, "This is not an absolute https URL.")
	}
}
