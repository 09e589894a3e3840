package core

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customfield"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// CustomFieldsMember is the member of records that holds the values of their custom fields.
const CustomFieldsMember = "custom_fields"

// CustomFields reads the custom fields of an owner in the viewer's store, by name.
func (c *Core) CustomFields(ctx context.Context, owner state.CustomFieldOwner) (map[string]*db.CustomField, error) {
	query := c.Client(ctx).CustomField.Query().Where(customfield.OwnerEQ(owner), customfield.Gone(false))
	query.Modify(ent.ForceIndex("customfield_store_id_owner_name"))
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read custom fields: %w", err)
	}
	fields := make(map[string]*db.CustomField, len(rows))
	for _, f := range rows {
		fields[f.Name] = f
	}
	return fields, nil
}

// FieldMerge merges values of the custom fields of an owner, whose definitions it reads once.
type FieldMerge struct {
	core   *Core
	owner  state.CustomFieldOwner
	fields map[string]*db.CustomField
}

// FieldMerge returns a merge for the records of an owner.
func (c *Core) FieldMerge(owner state.CustomFieldOwner) *FieldMerge {
	return &FieldMerge{core: c, owner: owner}
}

// ChangeCustomFields changes the custom fields of a record, if they are given, as [MemberDoc] does.
func ChangeCustomFields[U any](ctx context.Context, m *FieldMerge, changed *[]string,
	v given[document.CustomFields], dst *document.CustomFields, write func(document.CustomFields) U, empty func() U,
) error {
	values, ok := v.ValueOK()
	if !ok {
		return nil
	}
	next, err := m.Merge(ctx, CustomFieldsMember, *dst, values)
	if err == nil {
		MemberDoc(changed, next, true, CustomFieldsMember, dst, write, empty)
	}
	return err
}

// Merge merges the given values into those of a record (RFC 7396), in the transaction that writes it.
// Null removes a value, and nil removes all. Values are checked by the type of their field. A name that
// the store did not define is refused unless its value is removed.
func (m *FieldMerge) Merge(
	ctx context.Context, at string, has, given document.CustomFields,
) (document.CustomFields, error) {
	if given == nil {
		return nil, nil
	}
	patch, err := wire.Parse(given)
	if err != nil {
		return nil, err
	}
	if patch.Len() == 0 {
		return has, nil
	}
	if !ent.Writes(ctx, ent.CustomFields) {
		return nil, fault.State(fault.InvalidTransition,
			"Custom fields are available once the upgrade is finished (storefront migrate finalize).")
	}
	values, err := has.Map()
	if err != nil {
		return nil, err
	}
	if m.fields == nil {
		if m.fields, err = m.core.CustomFields(ctx, m.owner); err != nil {
			return nil, err
		}
	}
	next := map[string]json.RawMessage{}
	maps.Copy(next, values)
	check := &Check{}
	check.mergeCustomFields(at, next, m.fields, patch)
	merged := document.NewCustomFields(next)
	if len(next) > limit.CustomFields || len(merged) > limit.CustomFieldBytes {
		check.Add(at, fault.TooLong, fmt.Sprintf("The custom fields of a record are at most %d with %d KiB in all.",
			limit.CustomFields, limit.CustomFieldBytes>>10))
	}
	return merged, check.Err()
}

func (c *Check) mergeCustomFields(
	at string, values map[string]json.RawMessage, fields map[string]*db.CustomField, patch wire.Value,
) {
	if patch.Len() > 2*limit.CustomFields {
		c.Add(at, fault.TooLong, "There are more values than a record can have.")
		return
	}
	for name, v := range patch.Members() {
		field, value := fields[name], values[name]
		switch {
		case v.Kind() == wire.NullKind && (field != nil || value != nil):
			delete(values, name)
		case field == nil && len(name) > limit.Line:
			c.Add(at, fault.UnknownMember, "The store has no custom field with such a long name.")
		case field == nil:
			c.Add(at+wire.Pointer(name)[1:], fault.UnknownMember, "The store has no custom field with this name.")
		default:
			values[name] = c.CustomValue(at+"/"+name, field.Type, v)
		}
	}
}

// maxCustomDepth is how deep a value of type json may nest.
const maxCustomDepth = 10

// CustomValue checks the value of a custom field of a type, and returns it as it is stored and shown.
func (c *Check) CustomValue(name string, t state.CustomFieldType, v wire.Value) json.RawMessage {
	is := func(kind wire.Kind, detail string) bool {
		if v.Kind() != kind {
			c.Add(name, fault.InvalidType, detail)
		}
		return v.Kind() == kind
	}
	switch {
	case t == state.FieldText && is(wire.StringKind, "The value is a text."):
		c.Long(name, v.Text(), limit.CustomText)
	case t == state.FieldBoolean && is(wire.BoolKind, "The value is true or false."):
	case t == state.FieldDate && is(wire.StringKind, "The value is a date such as 2026-01-31."):
		c.date(name, v.Text())
	case t == state.FieldURL && is(wire.StringKind, "The value is an http or https address."):
		c.webAddress(name, v.Text())
	case t == state.FieldNumber && is(wire.NumberKind, "The value is a number."):
		return c.decimal(name, v)
	case t == state.FieldMoney && is(wire.ObjectKind, "The value is an object with amount_minor and currency."):
		return c.money(name, v)
	case t == state.FieldList && is(wire.ArrayKind, "The value is a list of texts."):
		c.lines(name, v)
	case t == state.FieldJSON:
		return c.json(name, v)
	}
	return wire.AppendCanonical(nil, v)
}

func (c *Check) date(name, text string) {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		c.Add(name, fault.InvalidFormat, "This is not a date such as 2026-01-31.")
	}
}

// webAddress checks an address that visitors may follow.
func (c *Check) webAddress(name, address string) {
	if rest, ok := strings.CutPrefix(address, "http://"); ok {
		address = "https://" + rest
	}
	before := len(c.fields)
	if c.HTTPS(name, address); len(c.fields) > before && c.fields[before].Code == fault.InvalidFormat {
		c.fields[before].Detail = "This is not an absolute http or https URL."
	}
}

func (c *Check) decimal(name string, v wire.Value) json.RawMessage {
	text, ok := v.Decimal()
	if !ok {
		c.Add(name, fault.OutOfRange, "The number has more than 15 digits.")
	}
	return json.RawMessage(text)
}

func (c *Check) money(name string, v wire.Value) json.RawMessage {
	amount, _ := v.Get("amount_minor")
	code, _ := v.Get("currency")
	minor, wrong := amount.Int()
	switch {
	case wrong != "":
		c.Add(name, wrong, "The member amount_minor is a whole number.")
	case v.Len() > 2:
		c.Add(name, fault.UnknownMember, "An amount has only the members amount_minor and currency.")
	case code.Kind() != wire.StringKind:
		c.Add(name, fault.InvalidType, "The member currency is a text.")
	default:
		c.Amount(name, minor)
	}
	return fmt.Appendf(nil, `{"amount_minor":%d,"currency":%q}`, minor, c.Currency(name, code.Text()))
}

func (c *Check) lines(name string, v wire.Value) {
	if v.Len() > limit.CustomFieldItems {
		c.Add(name, fault.TooLong, "The list has more than "+strconv.Itoa(limit.CustomFieldItems)+" entries.")
		return
	}
	for i, e := range v.Elements() {
		at := name + "/" + strconv.Itoa(i)
		if e.Kind() != wire.StringKind {
			c.Add(at, fault.InvalidType, "An entry is a text.")
			continue
		}
		c.Line(at, e.Text(), limit.Line)
	}
}

func (c *Check) json(name string, v wire.Value) json.RawMessage {
	text := wire.AppendCanonical(nil, v)
	switch {
	case v.Kind() != wire.ObjectKind && v.Kind() != wire.ArrayKind:
		c.Add(name, fault.InvalidType, "The value is a JSON object or array.")
	case len(text) > limit.CustomFieldJSON:
		c.Add(name, fault.TooLong, fmt.Sprintf("The value has more than %d KiB.", limit.CustomFieldJSON>>10))
	case !plain(v, maxCustomDepth):
		c.Add(name, fault.OutOfRange, "The value nests too deep, or has a number with more than 15 digits.")
	}
	return text
}

// plain reports whether a value nests at most that deep and has only numbers that every reader of
// JSON keeps.
func plain(v wire.Value, depth int) bool {
	if v.Kind() == wire.NumberKind {
		_, ok := v.Decimal()
		return ok
	}
	if v.Kind() >= wire.ArrayKind && depth == 0 {
		return false
	}
	for _, e := range v.Elements() {
		if !plain(e, depth-1) {
			return false
		}
	}
	for _, e := range v.Members() {
		if !plain(e, depth-1) {
			return false
		}
	}
	return true
}

// CustomFieldConditions returns the stored values that a list is filtered by, by the names of their
// fields. updatedFrom is the filter of the same name, beside which there can be none.
func (c *Core) CustomFieldConditions(
	ctx context.Context, owner state.CustomFieldOwner, filters []*model.CustomFieldFilter, updatedFrom *micros.Time,
) (map[string]json.RawMessage, error) {
	parameter := "custom_field"
	if owner == state.FieldsOfVariants {
		parameter = "variant_custom_field"
	}
	refused := func(code, detail string) (map[string]json.RawMessage, error) {
		return nil, &fault.Error{Kind: fault.InvalidParameter, Detail: detail,
			Fields: []fault.Field{{Parameter: parameter, Code: code, Detail: detail}}}
	}
	switch {
	case len(filters) == 0:
		return nil, nil
	case len(filters) > limit.CustomFieldFilters:
		return refused(fault.TooLong, fmt.Sprintf("A list is filtered by at most %d custom fields.",
			limit.CustomFieldFilters))
	case updatedFrom != nil:
		return refused(fault.UnknownValue, "A list of changes cannot be filtered by custom fields. Leave out these or the "+
			"time.")
	}
	if _, err := Caller(ctx); err != nil {
		return nil, err
	}
	fields, err := c.CustomFields(ctx, owner)
	if err != nil {
		return nil, Explain("custom fields", err)
	}
	values := map[string]json.RawMessage{}
	for _, f := range filters {
		field := fields[f.Name]
		switch {
		case field == nil || !field.Filterable:
			return refused(fault.UnknownValue, "The store has no filterable custom field with this name.")
		case values[f.Name] != nil:
			return refused(fault.Taken, "A list is filtered by one value of a custom field.")
		}
		if values[f.Name], err = typed(field.Type, f.Value); err != nil {
			return refused(fault.InvalidFormat, "The value is not one of a field of the type "+string(field.Type)+".")
		}
	}
	return values, nil
}

// typed returns the stored form of a value that a filter writes as a text.
func typed(t state.CustomFieldType, text string) (json.RawMessage, error) {
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	raw := string(quoted)
	switch t {
	case state.FieldNumber, state.FieldBoolean:
		raw = text
	case state.FieldMoney:
		minor, code, _ := strings.Cut(text, " ")
		raw = fmt.Sprintf(`{"amount_minor":%s,"currency":%q}`, minor, code)
	case state.FieldList:
		raw = "[" + raw + "]"
	}
	v, err := wire.Parse([]byte(raw))
	if err != nil {
		return nil, err
	}
	c := &Check{}
	value := c.CustomValue("value", t, v)
	return value, c.Err()
}
