package intake

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/csvcell"
)

// Field is a custom field of the store, which columns can become.
type Field struct {
	Owner       state.CustomFieldOwner
	Name, Label string
	Type        state.CustomFieldType
}

// Member returns what a column with the values of the field becomes.
func (d Field) Member() string { return csvcell.Heading(d.Owner, d.Name) }

// Fields returns the fields of a store whose values the files of a kind can have.
func Fields(of state.ImportKind, fields []Field) []Field {
	other := func(d Field) bool { return !slices.Contains(kinds[of].owners, d.Owner) }
	return slices.DeleteFunc(slices.Clone(fields), other)
}

// exported reports whether an export of this service can have this form.
func (f *Form) exported() bool { return f.Source == Storefront && len(f.kind.owners) > 0 }

// can reports whether a column can become the member.
func (f *Form) can(member string) bool {
	_, ok := f.fields[member]
	return ok || slices.Contains(f.kind.members, member)
}

// cell is a cell of a custom field.
type cell struct {
	Field
	head, text string // as in the file
}

// fieldCells returns the cells of a row with values of an owner.
func (r *row) fieldCells(of state.CustomFieldOwner) (list []cell) {
	for i, c := range r.form.Columns {
		if d, ok := r.form.fields[c.Member]; ok && d.Owner == of && i < len(r.cells) {
			list = append(list, cell{d, c.Name, r.cells[i]})
		}
	}
	return list
}

// holds reports whether an export writes a text as this cell. Line ends in cells vary.
func (c cell) holds(text string) bool {
	if csvcell.Formula(text) {
		text = "'" + text
	}
	return lineFeeds.Replace(text) == lineFeeds.Replace(c.text)
}

var lineFeeds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// value returns the text of the cell, or "" if it is blank.
func (c cell) value(f *Form) string {
	if f.exported() {
		if text := csvcell.Unguarded(c.text); strings.TrimSpace(text) != "" {
			return text
		}
		return ""
	}
	return f.unguarded(c.text)
}

// custom puts the values of cells into the custom fields of a record, which another cell has as JSON. A
// cell that differs from those wins, and an empty one removes the value.
func (m *mapper) custom(r *row, of state.CustomFieldOwner, into map[string]any, member string) {
	cells := r.fieldCells(of)
	if len(cells) == 0 {
		return
	}
	doc, _ := into[member].(json.RawMessage)
	values, ok := objectOf(doc)
	if !ok {
		return // the check of the values refuses it
	}
	for _, c := range cells {
		m.field(values, c, r)
	}
	if len(values) > 0 {
		into[member] = values
	}
}

func (m *mapper) field(values map[string]json.RawMessage, c cell, r *row) {
	text := c.value(r.form)
	switch has := values[c.Name]; {
	case has != nil && c.holds(csvcell.Field(c.Type, has)):
	case text == "":
		values[c.Name] = json.RawMessage("null")
	default:
		values[c.Name] = csvcell.Value(c.Type, text)
	}
}

// objectOf decodes the values of custom fields. Without a document there are none.
func objectOf(doc json.RawMessage) (values map[string]json.RawMessage, ok bool) {
	values = map[string]json.RawMessage{}
	if len(doc) == 0 {
		return values, true
	}
	err := json.Unmarshal(doc, &values)
	return values, err == nil && values != nil
}

// customVariants puts the values of cells into the variants that another cell has as JSON.
func (m *mapper) customVariants(r *row) {
	cells := r.fieldCells(state.FieldsOfVariants)
	doc, _ := m.members["variants"].(json.RawMessage)
	var list []map[string]json.RawMessage
	if len(cells) == 0 || json.Unmarshal(doc, &list) != nil {
		return
	}
	all := make([]map[string]json.RawMessage, len(list))
	for i, v := range list {
		var ok bool
		if all[i], ok = objectOf(v["custom_fields"]); v == nil || !ok {
			return
		}
	}
	for _, c := range cells {
		m.variantCell(all, c, r, len(list) == 1 && noOptions(list[0]["options"]))
	}
	for i, values := range all {
		if len(values) > 0 {
			list[i]["custom_fields"], _ = json.Marshal(values) //nolint:errchkjson // valid JSON
		}
	}
	m.members["variants"] = list
}

// noOptions reports whether a variant is its product.
func noOptions(doc json.RawMessage) bool {
	var texts []string
	return json.Unmarshal(doc, &texts) == nil && len(texts) == 0
}

// variantCell sets a field of variants by a cell: a value if the only variant is the product, or else a
// list with one value for each variant.
func (m *mapper) variantCell(all []map[string]json.RawMessage, c cell, r *row, own bool) {
	if own {
		m.field(all[0], c, r)
		return
	}
	has := make([]json.RawMessage, len(all))
	for i, values := range all {
		has[i] = values[c.Name]
	}
	if c.holds(csvcell.Fields(has)) {
		return
	}
	next := make([]json.RawMessage, len(all))
	if text := c.value(r.form); text != "" {
		if json.Unmarshal([]byte(text), &next) != nil || len(next) != len(all) {
			m.wrong("The cell of %s is not a list in JSON with a value for each of its %d variants.",
				Clip(c.head, sampleLen), len(all))
			return
		}
	}
	for i := range all {
		switch {
		case len(next[i]) > 0 && string(next[i]) != "null":
			all[i][c.Name] = next[i]
		case has[i] != nil:
			all[i][c.Name] = json.RawMessage("null")
		}
	}
}
