package core

import (
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

// Check collects everything that is wrong with an input, so that one answer
// names it all. Members are named by their REST pointers; GraphQL turns them into
// argument paths.
//
// The zero Check is for what no facade decodes; see [NewCheck].
type Check struct{ fields []fault.Field }

// decoded is an input that says what a facade found wrong while it decoded it;
// see [model.Decoded].
type decoded interface{ Faults() []fault.Field }

// NewCheck starts the check of an input with what the facade found.
func NewCheck(in decoded) *Check { return &Check{fields: slices.Clone(in.Faults())} }

// Err returns the 422, or nil.
func (c *Check) Err() error {
	if len(c.fields) == 0 {
		return nil
	}
	return fault.Invalid(c.fields...)
}

// Add reports one member, unless something is known to be wrong with it.
func (c *Check) Add(name, code, detail string) {
	pointer := "#/" + name
	known := func(f fault.Field) bool { return f.Pointer == pointer }
	if !slices.ContainsFunc(c.fields, known) {
		c.fields = append(c.fields, fault.Field{Pointer: pointer, Code: code, Detail: detail})
	}
}

// Required reports a member that is absent.
func (c *Check) Required(name string, present bool) {
	if !present {
		c.Add(name, fault.Required, "This member is required.")
	}
}

// Line checks a text of one line of at most limit code points that is not blank.
func (c *Check) Line(name, text string, limit int) { c.text(name, text, limit, false) }

// Name checks the name of a store, an app or a person: a line of which one sees all,
// since people decide by these names whom they trust.
func (c *Check) Name(name, text string, limit int) {
	c.Line(name, text, limit)
	if strings.ContainsFunc(text, unseen) {
		c.Add(name, fault.InvalidFormat, "The name holds characters that cannot be seen, or that turn its direction.")
	}
}

// unseen reports whether r shows nothing itself: format characters, which include those
// that turn the direction (Unicode Standard Annex 9, section 2), and blank letters.
func unseen(r rune) bool {
	const blank = "\u115f\u1160\u2800\u3164\uffa0"
	return unicode.Is(unicode.Cf, r) || strings.ContainsRune(blank, r)
}

// visible reports whether r shows something by itself, unlike spaces and marks that
// combine with another character.
func visible(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsMark(r) && !unseen(r) }

// turns reports whether r changes the direction of the text behind it, beyond the end of
// a title too. Single marks such as U+200F, which Arabic needs, do not.
func turns(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }

// Long checks a text that may hold tabs and new lines.
func (c *Check) Long(name, text string, limit int) { c.text(name, text, limit, true) }

func (c *Check) text(name, text string, limit int, long bool) {
	switch {
	case !utf8.ValidString(text):
		c.Add(name, fault.InvalidFormat, "The text is not valid UTF-8.")
	case utf8.RuneCountInString(text) > limit:
		c.Add(name, fault.TooLong, "The text has more than "+strconv.Itoa(limit)+" characters.")
	case strings.ContainsFunc(text, func(r rune) bool { return forbidden(r, long) }):
		c.Add(name, fault.InvalidFormat, "The text holds control characters.")
	case !long && strings.ContainsFunc(text, turns):
		c.Add(name, fault.InvalidFormat, "The text holds characters that change the direction of other text.")
	case !strings.ContainsFunc(text, visible):
		c.Add(name, fault.TooShort, "The text is blank.")
	}
}

// Typed returns what a person typed without the spaces around it and without characters
// that change its direction: phones copy those along with numbers of their contacts.
func Typed(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if turns(r) {
			return -1
		}
		return r
	}, text))
}

// forbidden reports whether r may not stand in a text (contract, section 1).
func forbidden(r rune, long bool) bool {
	if long && (r == '\t' || r == '\n' || r == '\r') {
		return false
	}
	return unicode.IsControl(r)
}

// Opt runs f on a value that was given.
func Opt[T any](v *T, f func(T)) {
	if v != nil {
		f(*v)
	}
}

// Amount checks an amount in minor units.
func (c *Check) Amount(name string, v int64) { c.Within(name, v, 0, currency.MaxMinor) }

// Within checks a whole number.
func (c *Check) Within(name string, v, low, high int64) {
	if v < low || v > high {
		c.Add(name, fault.OutOfRange,
			"The number is not between "+strconv.FormatInt(low, 10)+" and "+strconv.FormatInt(high, 10)+".")
	}
}

// Currency checks a code and returns it in upper case.
func (c *Check) Currency(name, code string) string {
	known, ok := currency.Parse(code)
	if !ok {
		c.Add(name, fault.UnknownValue, "This is not a currency of ISO 4217.")
	}
	return string(known)
}

// Handle checks a product's name in addresses.
func (c *Check) Handle(name, handle string, limit int) {
	switch {
	case handle == "":
		c.Add(name, fault.TooShort, "The handle is empty.")
	case len(handle) > limit:
		c.Add(name, fault.TooLong, "The handle has more than "+strconv.Itoa(limit)+" characters.")
	case strings.ContainsFunc(handle, func(r rune) bool { return !HandleRune(r) }):
		c.Add(name, fault.InvalidFormat, "A handle is made of a-z, 0-9 and -.")
	}
}

// HandleRune reports whether a handle may hold r.
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

// IDs checks a list of ids of one kind, each of which is there once.
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
			c.Add(at, fault.Taken, "This id is there twice.")
		}
		list = append(list, id)
	}
	return list
}

// Found checks that the rows with the ids of a list were found.
func (c *Check) Found(name string, kind xid.Kind, ids, found []xid.ID) {
	for i, id := range ids {
		if !slices.Contains(found, id) {
			c.Add(name+"/"+strconv.Itoa(i), fault.UnknownValue, "The store has no such "+kind.Resource()+".")
		}
	}
}

// HTTPS checks an absolute https address.
func (c *Check) HTTPS(name, address string) {
	u, err := url.Parse(address)
	switch {
	case len(address) > limit.URL:
		c.Add(name, fault.TooLong, "The address has more than "+strconv.Itoa(limit.URL)+" bytes.")
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f || unicode.IsControl(r) }):
		c.Add(name, fault.InvalidFormat, "This is not an absolute https address.")
	}
}
