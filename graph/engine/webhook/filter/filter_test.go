package filter_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
)

// order is an event as receivers get it.
const order = `{"type":"order.updated","changed_fields":["tags","shipping_address"],"data":{"object":{
	"status":"open","total_minor":9007199254740993,"weight":1.5,"paid":false,"email":null,"tags":["vip","b2b"],
	"shipping_address":{"country":"CH","lines":[["x"]]}}}}`

// condition keeps the rows of tables short.
type condition filter.Condition

func TestMatch(t *testing.T) {
	for name, tc := range map[string]struct {
		condition
		want bool
	}{
		"value in list":                  {condition{In: []string{"paid", "open"}}, true},
		"value not in list":              {condition{In: []string{"paid"}}, false},
		"not in excludes":                {condition{NotIn: []string{"open"}}, false},
		"not in allows a missing member": {condition{Field: "object.gone", NotIn: []string{"open"}}, true},
		"missing member":                 {condition{Field: "object.gone.deeper", In: []string{""}}, false},
		"boolean":                        {condition{Field: "object.paid", In: []string{"false"}}, true},
		"number":                         {condition{Field: "object.weight", In: []string{"1.5"}}, true},
		"list entry":                     {condition{Field: "object.tags", In: []string{"b2b"}}, true},
		"no list entry":                  {condition{Field: "object.tags", NotIn: []string{"vip"}}, false},
		"nested member": {condition{Field: "object.shipping_address.country", In: []string{"CH"}},
			true},
		"object":                {condition{Field: "object.shipping_address", In: []string{""}}, false},
		"nested list":           {condition{Field: "object.shipping_address.lines", In: []string{"x"}}, false},
		"path through a string": {condition{Field: "object.status.x", Exists: new(true)}, false},
		"at the minimum": {condition{Field: "object.total_minor", Min: new(int64(9007199254740993))},
			true},
		"below the minimum": {condition{Field: "object.total_minor", Min: new(int64(9007199254740994))},
			false},
		"between bounds": {condition{Field: "object.weight", Max: new(int64(2)), Min: new(int64(1))},
			true},
		"above the maximum":     {condition{Field: "object.weight", Max: new(int64(1))}, false},
		"string with bounds":    {condition{Min: new(int64(-1))}, false},
		"exists":                {condition{Exists: new(true)}, true},
		"null does not exist":   {condition{Field: "object.email", Exists: new(false)}, true},
		"changed":               {condition{Field: "object.tags", Changed: new(true)}, true},
		"nested member changed": {condition{Field: "object.shipping_address.city", Changed: new(true)}, true},
		"unchanged":             {condition{Changed: new(true)}, false},
		"unchanged as wanted":   {condition{Changed: new(false)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := filter.Condition(tc.condition)
			if c.Field == "" {
				c.Field = "object.status"
			}
			e, err := filter.Read([]byte(order))
			if err != nil {
				t.Fatal(err)
			}
			if got := (filter.Set{&c}).Match(e); got != tc.want {
				t.Errorf("matches: %v", got)
			}
			other := filter.Condition{Field: "object.status", In: []string{"open"}}
			if got := (filter.Set{&other, &c}).Match(e); got != tc.want {
				t.Errorf("beside one that holds: %v", got)
			}
		})
	}
}

// An event that cannot be tested is sent.
func TestMatchOfWhatWasLeftOut(t *testing.T) {
	set := filter.Set{{Field: "object.status", In: []string{"open"}}}
	e, err := filter.Read([]byte(`{"changed_fields":null,"data":null,"payload_omitted":true}`))
	if err != nil || !set.Match(e) || !set.Match(new(filter.Event)) {
		t.Errorf("it does not match: %v", err)
	}
	if e, err = filter.Read([]byte(order)); err != nil || !(filter.Set{}).Match(e) {
		t.Errorf("without conditions: %v", err)
	}
	if _, err := filter.Read([]byte(`{`)); err == nil {
		t.Error("half an event was read")
	}
}

func TestCheck(t *testing.T) {
	some := []string{"x"}
	long := func(n int) (list []string) {
		for range n {
			list = append(list, strings.Repeat("x", limit.Line))
		}
		return list
	}
	for name, tc := range map[string]struct {
		set  filter.Set
		want string
	}{
		"valid":       {filter.Set{{Field: "object.a_1.b", In: some}, {Field: "object.c", Min: new(int64(1))}}, ""},
		"both bounds": {filter.Set{{Field: "object.a", Min: new(int64(1)), Max: new(int64(1))}}, ""},
		"maximum below minimum": {filter.Set{{Field: "object.a", Min: new(int64(1)), Max: new(int64(0))}},
			"f/0/max out_of_range"},
		"outside of object": {filter.Set{{Field: "status", In: some}}, "f/0/field invalid_format"},
		"no member name":    {filter.Set{{Field: "object.", In: some}}, "f/0/field invalid_format"},
		"empty step":        {filter.Set{{Field: "object.a..b", In: some}}, "f/0/field invalid_format"},
		"field too long":    {filter.Set{{Field: "object." + long(1)[0], In: some}}, "f/0/field invalid_format"},
		"no test":           {filter.Set{{Field: "object.a"}}, "f/0 invalid_format"},
		"two tests":         {filter.Set{{Field: "object.a", In: some, Exists: new(true)}}, "f/0 invalid_format"},
		"empty list":        {filter.Set{{Field: "object.a", In: []string{}}}, "f/0/in too_short"},
		"long value": {filter.Set{{Field: "object.a", NotIn: []string{long(1)[0] + "x"}}},
			"f/0/not_in/0 too_long"},
		"control character": {filter.Set{{Field: "object.a", In: []string{"\n"}}}, "f/0/in/0 invalid_format"},
		"too many values": {filter.Set{{Field: "object.a", In: make([]string, limit.FilterValues+1)}},
			"f/0/in too_long"},
		"text too long":       {filter.Set{{Field: "object.a", In: long(20)}}, "f too_long"},
		"too many conditions": {make(filter.Set, limit.Filters+1), "f too_long"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			tc.set.Check("f", func(at, code, _ string) { got = append(got, at+" "+code) })
			if strings.Join(got, "; ") != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if tc.want != "" {
				return
			}
			again, err := filter.Parse(tc.set.Text())
			if err != nil || again.Text() != tc.set.Text() {
				t.Errorf("read back as %s: %v", again.Text(), err)
			}
		})
	}
	if again, err := filter.Parse(filter.Set{}.Text()); err != nil || again != nil {
		t.Errorf("none is read back as %v: %v", again, err)
	}
	if _, err := filter.Parse("["); err == nil {
		t.Error("half a text was read")
	}
}

// For all stored filters and events, Match returns, and exactly one of a condition and its opposite
// holds.
func FuzzMatch(f *testing.F) {
	f.Add(`[{"field":"object.status","in":["open"]}]`, order)
	f.Add(`[{"field":"object.total_minor","min":1,"max":1e3},null]`, `{"data":{"object":{"total_minor":1e400}}}`)
	f.Fuzz(func(t *testing.T, text, body string) {
		set, err := filter.Parse(text)
		if err != nil {
			return
		}
		wrong := false
		set.Check("f", func(string, string, string) { wrong = true })
		e, err := filter.Read([]byte(body))
		if err != nil || wrong {
			return
		}
		set.Match(e)
		for _, c := range set {
			if c.In == nil {
				continue
			}
			opposite := filter.Condition{Field: c.Field, NotIn: c.In}
			never := filter.Set{{Field: "object.x", Changed: new(true)}, {Field: "object.x", Changed: new(false)}}
			known := never.Match(e)
			if !known && (filter.Set{c}).Match(e) == (filter.Set{&opposite}).Match(e) {
				t.Errorf("%+v and its opposite agree", c)
			}
		}
	})
}
