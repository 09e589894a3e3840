package graph

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/fault"
)

// check collects everything that is wrong with an input, so that one answer
// names it all. Members are named by their REST pointers; the GraphQL face
// turns them into argument paths.
type check struct{ fields []fault.Field }

type fieldsKey struct{}

// WithFields hands a resolver method what a facade already found wrong while
// it decoded the input: the answer then names both kinds of errors at once.
func WithFields(ctx context.Context, fields []fault.Field) context.Context {
	if len(fields) == 0 {
		return ctx
	}
	return context.WithValue(ctx, fieldsKey{}, fields)
}

// newCheck starts with what the facade found.
func newCheck(ctx context.Context) *check {
	fields, _ := ctx.Value(fieldsKey{}).([]fault.Field)
	return &check{fields: slices.Clone(fields)}
}

// err returns the 422, or nil.
func (c *check) err() error {
	if len(c.fields) == 0 {
		return nil
	}
	return fault.Invalid(c.fields...)
}

// add reports one member, unless something is known to be wrong with it.
func (c *check) add(name, code, detail string) {
	pointer := "#/" + name
	known := func(f fault.Field) bool { return f.Pointer == pointer }
	if !slices.ContainsFunc(c.fields, known) {
		c.fields = append(c.fields, fault.Field{Pointer: pointer, Code: code, Detail: detail})
	}
}

// required reports a member that is absent.
func (c *check) required(name string, present bool) {
	if !present {
		c.add(name, fault.Required, "This member is required.")
	}
}

// line checks a text of one line of at most limit code points that is not blank.
func (c *check) line(name, text string, limit int) { c.text(name, text, limit, false) }

// long checks a text that may hold tabs and new lines.
func (c *check) long(name, text string, limit int) { c.text(name, text, limit, true) }

func (c *check) text(name, text string, limit int, long bool) {
	switch {
	case !utf8.ValidString(text):
		c.add(name, fault.InvalidFormat, "The text is not valid UTF-8.")
	case utf8.RuneCountInString(text) > limit:
		c.add(name, fault.TooLong, "The text has more than "+strconv.Itoa(limit)+" characters.")
	case strings.ContainsFunc(text, func(r rune) bool { return forbidden(r, long) }):
		c.add(name, fault.InvalidFormat, "The text holds control characters.")
	case strings.TrimSpace(text) == "":
		c.add(name, fault.TooShort, "The text is blank.")
	}
}

// forbidden tells whether r may not stand in a text (contract, section 1).
func forbidden(r rune, long bool) bool {
	if long && (r == '\t' || r == '\n' || r == '\r') {
		return false
	}
	return unicode.IsControl(r)
}

// opt runs f on a value that was given.
func opt[T any](v *T, f func(T)) {
	if v != nil {
		f(*v)
	}
}

// amount checks an amount in minor units.
func (c *check) amount(name string, v int64) { c.within(name, v, 0, currency.MaxMinor) }

// within checks a whole number.
func (c *check) within(name string, v, low, high int64) {
	if v < low || v > high {
		c.add(name, fault.OutOfRange,
			"The number is not between "+strconv.FormatInt(low, 10)+" and "+strconv.FormatInt(high, 10)+".")
	}
}

// currency checks a code and returns it in upper case.
func (c *check) currency(name, code string) string {
	known, ok := currency.Parse(code)
	if !ok {
		c.add(name, fault.UnknownValue, "This is not a currency of ISO 4217.")
	}
	return string(known)
}

// handle checks a product's name in addresses.
func (c *check) handle(name, handle string, limit int) {
	switch {
	case handle == "":
		c.add(name, fault.TooShort, "The handle is empty.")
	case len(handle) > limit:
		c.add(name, fault.TooLong, "The handle has more than "+strconv.Itoa(limit)+" characters.")
	case strings.ContainsFunc(handle, func(r rune) bool { return !handleRune(r) }):
		c.add(name, fault.InvalidFormat, "A handle is made of a-z, 0-9 and -.")
	}
}

func handleRune(r rune) bool { return r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' }

// tags checks a list of labels.
func (c *check) tags(name string, tags []string) {
	if len(tags) > 50 {
		c.add(name, fault.TooLong, "There are more than 50 tags.")
		return
	}
	for i, t := range tags {
		c.line(name+"/"+strconv.Itoa(i), t, 64)
	}
}

// https checks an absolute https address.
func (c *check) https(name, address string) {
	u, err := url.Parse(address)
	switch {
	case len(address) > 2048:
		c.add(name, fault.TooLong, "The address has more than 2048 bytes.")
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f || unicode.IsControl(r) }):
		c.add(name, fault.InvalidFormat, "This is not an absolute https address.")
	}
}
