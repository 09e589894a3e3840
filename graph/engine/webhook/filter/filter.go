// Package filter holds filters of webhook endpoints: conditions that an event of a subscribed type
// must meet to be sent. They apply to bodies as receivers get them. The package uses no database.
package filter

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
)

// object begins every field: it is the one member of an event's data.
const object = "object."

// Condition is a test of one field of an event. Exactly one test is set; Min and Max count as one.
type Condition struct {
	// Field is the path to a member of the event's data, with dots between the names.
	Field string   `json:"field"`
	In    []string `json:"in,omitempty"`
	NotIn []string `json:"not_in,omitempty"`
	Min   *int64   `json:"min,omitempty"`
	Max   *int64   `json:"max,omitempty"`
	// Exists tests whether the member is present and not null.
	Exists *bool `json:"exists,omitempty"`
	// Changed tests whether the member is among the event's changed fields.
	Changed *bool `json:"changed,omitempty"`
}

// Set is the conditions of an endpoint, all of which have to hold. An empty set matches every
// event.
type Set []*Condition

// Check validates conditions and calls add for each problem, with a path below name, a code and a
// sentence.
func (s Set) Check(name string, add func(at, code, detail string)) {
	if len(s) > limit.Filters {
		add(name, fault.TooLong, "There are more than "+strconv.Itoa(limit.Filters)+" conditions.")
		return
	}
	for i := range s {
		s[i].check(name+"/"+strconv.Itoa(i), add)
	}
	if len(s.Text()) > limit.FilterText {
		add(name, fault.TooLong,
			"The conditions take more than "+strconv.Itoa(limit.FilterText)+" bytes in all.")
	}
}

func (c *Condition) check(at string, add func(at, code, detail string)) {
	if !path(c.Field) {
		add(at+"/field", fault.InvalidFormat,
			"A field is object, a point and the names of members, with points between them: object.status.")
	}
	tests := 0
	for _, given := range []bool{c.In != nil, c.NotIn != nil, c.Min != nil || c.Max != nil, c.Exists != nil,
		c.Changed != nil} {
		if given {
			tests++
		}
	}
	if tests != 1 {
		add(at, fault.InvalidFormat,
			"A condition has one of in, not_in, exists and changed, or min and max.")
	}
	if c.Min != nil && c.Max != nil && *c.Min > *c.Max {
		add(at+"/max", fault.OutOfRange, "The maximum is below the minimum.")
	}
	checkTexts(at+"/in", c.In, add)
	checkTexts(at+"/not_in", c.NotIn, add)
}

func checkTexts(at string, texts []string, add func(at, code, detail string)) {
	switch {
	case texts == nil:
	case len(texts) == 0:
		add(at, fault.TooShort, "The list is empty.")
	case len(texts) > limit.FilterValues:
		add(at, fault.TooLong, "There are more than "+strconv.Itoa(limit.FilterValues)+" values.")
	}
	for i, text := range texts {
		switch place := at + "/" + strconv.Itoa(i); {
		case !utf8.ValidString(text), strings.ContainsFunc(text, unicode.IsControl):
			add(place, fault.InvalidFormat, "The value is not a line of text.")
		case utf8.RuneCountInString(text) > limit.Line:
			add(place, fault.TooLong, "The value has more than "+strconv.Itoa(limit.Line)+" characters.")
		}
	}
}

// path reports whether a field is a valid path to a member of the object.
func path(field string) bool {
	steps, ok := strings.CutPrefix(field, object)
	if !ok || len(field) > limit.FilterField {
		return false
	}
	for step := range strings.SplitSeq(steps, ".") {
		if step == "" || strings.ContainsFunc(step, func(r rune) bool {
			return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		}) {
			return false
		}
	}
	return true
}

// Text returns the stored form, which is equal for equal conditions; "" for an empty set.
func (s Set) Text() string {
	if len(s) == 0 {
		return ""
	}
	text, _ := json.Marshal(s) //nolint:errchkjson // strings, numbers and booleans always encode
	return string(text)
}

// Parse parses the result of [Set.Text].
func Parse(text string) (s Set, err error) {
	if text == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, fmt.Errorf("read filters: %w", err)
	}
	if slices.Contains(s, nil) {
		return nil, errors.New("read filters: a condition is null")
	}
	return s, nil
}

// Event is the part of an event that conditions can test.
type Event struct {
	changed []string
	object  map[string]any // nil: left out because of its size
}

// Read parses the body of an event.
func Read(body []byte) (*Event, error) {
	var envelope struct {
		Changed []string `json:"changed_fields"`
		Data    *struct {
			Object map[string]any `json:"object"`
		} `json:"data"`
	}
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	if err := d.Decode(&envelope); err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	e := &Event{changed: envelope.Changed}
	if envelope.Data != nil {
		e.object = envelope.Data.Object
	}
	return e, nil
}

// Match reports whether all conditions hold for an event. An event whose data was left out matches.
func (s Set) Match(e *Event) bool {
	if e.object == nil {
		return true
	}
	return !slices.ContainsFunc(s, func(c *Condition) bool { return !c.holds(e) })
}

func (c *Condition) holds(e *Event) bool {
	steps := strings.TrimPrefix(c.Field, object)
	if c.Changed != nil {
		member, _, _ := strings.Cut(steps, ".")
		return slices.Contains(e.changed, member) == *c.Changed
	}
	value := e.at(steps)
	switch {
	case c.Exists != nil:
		return (value != nil) == *c.Exists
	case c.In != nil:
		return among(value, c.In)
	case c.NotIn != nil:
		return !among(value, c.NotIn)
	}
	n, ok := value.(json.Number)
	return ok && (c.Min == nil || compare(n, *c.Min) >= 0) && (c.Max == nil || compare(n, *c.Max) <= 0)
}

func (e *Event) at(steps string) any {
	var value any = e.object
	for step := range strings.SplitSeq(steps, ".") {
		members, _ := value.(map[string]any)
		if value = members[step]; value == nil {
			return nil
		}
	}
	return value
}

// among reports whether a value, or an entry of a list, is one of the texts.
func among(value any, texts []string) bool {
	switch v := value.(type) {
	case string:
		return slices.Contains(texts, v)
	case json.Number:
		return slices.Contains(texts, v.String())
	case bool:
		return slices.Contains(texts, strconv.FormatBool(v))
	case []any:
		return slices.ContainsFunc(v, func(entry any) bool {
			_, nested := entry.([]any)
			return !nested && among(entry, texts)
		})
	}
	return false
}

// compare compares a JSON number with an integer; integers are compared exactly.
func compare(n json.Number, with int64) int {
	if i, err := n.Int64(); err == nil {
		return cmp.Compare(i, with)
	}
	f, _ := n.Float64() // infinite beyond its range, which compares correctly
	return cmp.Compare(f, float64(with))
}
