package export

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customfield"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/csvcell"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// customColumn is a column with the values of a custom field. These columns follow those of the kind.
type customColumn struct {
	Owner state.CustomFieldOwner `json:"owner"`
	Name  string                 `json:"name"`
	Label string                 `json:"label"`
	Type  state.CustomFieldType  `json:"type"`
}

// fieldOwners are the owners whose custom fields a kind's files have.
var fieldOwners = map[state.ExportKind][]state.CustomFieldOwner{
	state.ExportOrders:    {state.FieldsOfOrders},
	state.ExportProducts:  {state.FieldsOfProducts, state.FieldsOfVariants},
	state.ExportCustomers: {state.FieldsOfCustomers},
}

// customColumns returns the columns of a job that begins, the oldest field first, in the form of its row.
// There are none before custom fields have values, which is before every program writes such columns.
func customColumns(ctx context.Context, c *db.Client, job *db.Export) ([]byte, error) {
	owners := fieldOwners[job.Kind]
	if job.Format == state.ExportJSONL || len(owners) == 0 || !ent.Writes(ctx, ent.CustomFields) {
		return nil, nil
	}
	query := c.CustomField.Query().Where(customfield.OwnerIn(owners...), customfield.Gone(false))
	query.Modify(ent.ForceIndex("customfield_store_id_owner_name"))
	fields, err := query.Load(ctx)
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	slices.SortFunc(fields, func(a, b *db.CustomField) int { return a.ID.Compare(b.ID) })
	list := make([]customColumn, len(fields))
	for i, f := range fields {
		list[i] = customColumn{f.Owner, f.Name, f.Label, f.Type}
	}
	return json.Marshal(list)
}

// customHeader appends the headings of the custom fields.
func (r *row) customHeader() {
	for _, c := range r.custom {
		if r.texts == nil {
			r.plain(csvcell.Heading(c.Owner, c.Name))
		} else {
			r.text(cmp.Or(c.Label, c.Name))
		}
	}
}

// values appends the cells of the custom fields of a record.
func (r *row) values(b []byte, doc document.CustomFields) []byte {
	if len(r.custom) == 0 {
		return b
	}
	r.b = b
	all := r.decode(doc)
	for _, c := range r.custom {
		r.text(r.value(c, all[c.Name]))
	}
	return r.b
}

func (r *row) decode(doc document.CustomFields) map[string]json.RawMessage {
	all, err := doc.Map()
	r.fail(err)
	return all
}

// productValues appends the cells of the custom fields of a product and its variants. The cell of a
// variant's field is a value if the product is the only variant, and else a list of values.
func (r *row) productValues(b []byte, p *db.Product) []byte {
	if len(r.custom) == 0 {
		return b
	}
	r.b = b
	all := r.decode(p.CustomFields)
	var each []map[string]json.RawMessage
	if slices.ContainsFunc(r.custom, func(c customColumn) bool { return c.Owner == state.FieldsOfVariants }) {
		for _, v := range variants.Of(p) {
			each = append(each, r.decode(v.CustomFields))
		}
	}
	for _, c := range r.custom {
		switch {
		case c.Owner == state.FieldsOfProducts:
			r.text(r.value(c, all[c.Name]))
		case p.Options == nil:
			r.text(r.value(c, each[0][c.Name]))
		default:
			r.text(r.variantValues(c, each))
		}
	}
	return r.b
}

// variantValues returns the cell of the values of variants: JSON, or for spreadsheets one text.
func (r *row) variantValues(c customColumn, each []map[string]json.RawMessage) string {
	values := make([]json.RawMessage, len(each))
	var texts []string
	for i, of := range each {
		if values[i] = of[c.Name]; r.texts != nil && values[i] != nil {
			texts = append(texts, r.value(c, values[i]))
		}
	}
	if r.texts != nil {
		return strings.Join(texts, "; ")
	}
	return csvcell.Fields(values)
}

// value returns the text of a value.
func (r *row) value(c customColumn, value json.RawMessage) string {
	var amount struct {
		AmountMinor int64  `json:"amount_minor"`
		Currency    string `json:"currency"`
	}
	var list []string
	switch {
	case r.texts == nil || len(value) == 0:
	case c.Type == state.FieldMoney && json.Unmarshal(value, &amount) == nil:
		from := len(r.b)
		r.amount(amount.AmountMinor, amount.Currency)
		text := string(r.b[from:]) + " " + amount.Currency
		r.b = r.b[:from]
		return text
	case c.Type == state.FieldList && json.Unmarshal(value, &list) == nil:
		return strings.Join(list, ", ")
	}
	return csvcell.Field(c.Type, value)
}

func readColumns(job *db.Export) (list []customColumn, err error) {
	if len(job.CustomColumns) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(job.CustomColumns, &list); err != nil {
		return nil, fmt.Errorf("read the columns of an export: %w", err)
	}
	return list, nil
}
