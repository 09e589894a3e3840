package rest

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

type params struct {
	values url.Values
	limit  *int
	// cursor is what the caller sent, unchecked.
	cursor *string
	faults []fault.Field
	// malformed is the error of ParseQuery.
	malformed error
}

// read parses the query. Its error is kept until the step that may report it.
func (p *params) read(raw string) {
	if raw == "" {
		return
	}
	p.values, p.malformed = url.ParseQuery(raw)
}

// parameters checks the query: an undocumented parameter, a repeated one or a bad limit is a fault,
// a bad cursor never is (contract, section 1).
func (a *API) parameters(c *call) error {
	p := &c.query
	if p.malformed != nil || p.values.Has("") {
		return fault.New(fault.InvalidParameter, "The query string is malformed.")
	}
	for name, values := range p.values {
		switch {
		case !slices.Contains(c.row.Query, name) && !onField(c.row.Query, name) || slices.Contains(fieldFilters, name):
			p.bad(name, fault.UnknownMember, "This parameter is not known here.")
		case name == "cursor":
			// Two cursors count as none.
			if len(values) == 1 {
				p.cursor = &values[0]
			}
		case len(values) > 1:
			p.bad(name, fault.InvalidFormat, "This parameter is given more than once.")
		case name == "limit":
			p.size(values[0])
		}
	}
	return p.err()
}

// These parameters filter a list by custom fields of its items, and of the variants of products:
// custom_field[details.material]=Oak.
const (
	fieldFilter   = "custom_field"
	variantFilter = "variant_custom_field"
)

var fieldFilters = []string{fieldFilter, variantFilter}

// onField reports whether a name is that of a condition on a custom field, which the row documents.
func onField(documented []string, name string) bool {
	filter, rest, _ := strings.Cut(name, "[")
	return slices.Contains(fieldFilters, filter) && slices.Contains(documented, filter) && strings.HasSuffix(rest, "]")
}

// customFields returns the conditions of a parameter on custom fields, sorted by name.
func (p *params) customFields(filter string) (list []*model.CustomFieldFilter) {
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		if rest, ok := strings.CutPrefix(name, filter+"["); ok {
			value := p.text(name, limit.CustomText)
			list = append(list, &model.CustomFieldFilter{Name: strings.TrimSuffix(rest, "]"), Value: *value})
		}
	}
	return list
}

func (p *params) size(text string) {
	n, ok := page.ParseLimit(text)
	if !ok {
		code := fault.InvalidFormat
		if digits := strings.TrimPrefix(text, "-"); digits != "" && strings.Trim(digits, "0123456789") == "" {
			code = fault.OutOfRange
		}
		p.bad("limit", code, "A limit is a whole number from 1; above 100 counts as 100.")
	}
	p.limit = &n
}

func (p *params) bad(name, code, detail string) {
	p.faults = append(p.faults, fault.Field{Parameter: clip(name), Code: code, Detail: detail})
}

// clip shortens a parameter name of the caller so that it cannot fill the answer.
func clip(name string) string {
	const most = 64
	if len(name) > most {
		name = name[:most]
	}
	return strings.ToValidUTF8(name, "?")
}

// err returns a 400 with every recorded fault, or nil.
func (p *params) err() error {
	if len(p.faults) == 0 {
		return nil
	}
	slices.SortFunc(p.faults, func(a, b fault.Field) int { return strings.Compare(a.Parameter, b.Parameter) })
	return &fault.Error{
		Kind: fault.InvalidParameter, Detail: "The request has invalid query parameters.", Fields: p.faults,
	}
}

// text returns a non-empty parameter of at most limit code points.
func (p *params) text(name string, limit int) *string {
	values, ok := p.values[name]
	switch {
	case !ok:
		return nil
	case values[0] == "":
		p.bad(name, fault.TooShort, "The value is empty.")
	case utf8.RuneCountInString(values[0]) > limit:
		p.bad(name, fault.TooLong, "The value is too long.")
	}
	return &values[0]
}

// time returns an RFC 3339 parameter that bounds a range of times. Nothing is older than 1970, so
// an earlier time counts as 1970.
func (p *params) time(name string) *micros.Time {
	values, ok := p.values[name]
	if !ok {
		return nil
	}
	t, err := micros.ParseBound(values[0])
	if err != nil {
		p.bad(name, fault.InvalidFormat, "The value is not a time in RFC 3339.")
	}
	return &t
}

func (p *params) id(name string, kind xid.Kind) *string {
	values, ok := p.values[name]
	if !ok {
		return nil
	}
	if _, err := kind.Parse(values[0]); err != nil {
		p.bad(name, fault.InvalidFormat, "The value is not an id of this kind.")
	}
	return &values[0]
}

func enum[T interface {
	~string
	Known() bool
}](p *params, name string) *T {
	values, ok := p.values[name]
	if !ok {
		return nil
	}
	v := T(values[0])
	if !v.Known() {
		p.bad(name, fault.UnknownValue, "Unknown value.")
	}
	return &v
}
