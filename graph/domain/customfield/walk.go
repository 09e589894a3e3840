package customfield

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customfield"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/engine/task"
)

// WalkTask goes through the records of a custom field's owner: it removes their values of a deleted
// field, or indexes them.
const WalkTask task.Kind = "custom_field.walk"

const (
	// walkBatch is how many records one transaction reads, and walkSteps how many transactions follow
	// each other before other tasks get their turn.
	walkBatch = 200
	walkSteps = 50
)

// walk is the payload of a [WalkTask].
type walk struct {
	Field []byte `json:"field"`
	// Behind is the last record that is done.
	Behind []byte `json:"behind,omitempty"`
	Step   int    `json:"step,omitempty"`
}

// Walk runs one step of a [WalkTask], and leaves the next one to another task. After the last step a
// deleted field is removed.
func (r *Resolver) Walk(ctx context.Context, t task.Task) error {
	var w walk
	if err := t.Read(&w); err != nil {
		return err
	}
	ctx = viewer.Operator(ctx, t.Target)
	var id, behind xid.ID
	copy(id[:], w.Field)
	copy(behind[:], w.Behind)
	f, err := core.Only(r.Client(ctx).CustomField.Query().Where(customfield.ID(id)).Load(ctx))
	if errors.Is(err, core.ErrNoRow) {
		return nil
	}
	if err != nil {
		return err
	}
	last, err := r.step(ctx, f, behind)
	switch {
	case err != nil:
		return err
	case last.IsNil() && f.Gone:
		_, err = r.Client(ctx).CustomField.Delete().Where(customfield.ID(id)).Exec(ctx)
	case last.IsNil():
	case (w.Step+1)%walkSteps == 0:
		err = r.Tasks.Leave(ctx, WalkTask, t.Home, t.Target, walk{w.Field, last[:], w.Step + 1})
	default:
		_, err = r.Tasks.Put(ctx, WalkTask, t.Home, t.Target, walk{w.Field, last[:], w.Step + 1})
	}
	return err
}

// kinds are the records that are found by the values of an owner.
var kinds = map[state.CustomFieldOwner]search.Kind{
	state.FieldsOfProducts: search.Products, state.FieldsOfVariants: search.Products,
	state.FieldsOfOrders: search.Orders, state.FieldsOfCustomers: search.Customers,
}

// record is a row of products, orders or customers.
type record struct {
	id      xid.ID
	version int64
	updated micros.Time
	values  document.CustomFields
}

// step handles the next records of a field's owner, and returns the last one, or nil at the end.
func (r *Resolver) step(ctx context.Context, f *db.CustomField, behind xid.ID) (last xid.ID, err error) {
	table, column := string(f.Owner)+"s", "custom_fields"
	if f.Owner == state.FieldsOfVariants {
		table, column = "products", "variant_custom_fields"
	}
	rows, err := r.records(ctx, table, column, behind)
	if err != nil || len(rows) == 0 {
		return last, err
	}
	var parts []*db.Variant // with a value
	if f.Owner == state.FieldsOfVariants {
		if parts, err = r.variantsWith(ctx, f.Name, rows); err != nil {
			return last, err
		}
	}
	for _, row := range rows {
		rest, had, err := without(row.values, f.Name)
		switch {
		case err != nil:
			return last, err
		case !had && !slices.ContainsFunc(parts, func(v *db.Variant) bool { return v.ProductID == row.id }):
			continue
		case f.Gone:
			err = r.write(ctx, table, column, row, rest)
		}
		if err == nil {
			err = search.For(ctx, r.Store).Mark(ctx, kinds[f.Owner], row.id)
		}
		if err != nil {
			return last, err
		}
	}
	if len(rows) == walkBatch {
		last = rows[len(rows)-1].id
	}
	if !f.Gone {
		return last, nil
	}
	return last, r.clear(ctx, f.Name, parts)
}

// without returns the values except for one, and whether that was there.
func without(values document.CustomFields, name string) (rest document.CustomFields, had bool, err error) {
	all, err := values.Map()
	if _, had = all[name]; err != nil || !had {
		return values, false, err
	}
	delete(all, name)
	return document.NewCustomFields(all), true, nil
}

func (r *Resolver) records(ctx context.Context, table, column string, behind xid.ID) (list []record, err error) {
	query := "SELECT id, version, updated_at, " + column + " FROM " + table +
		ent.IndexHint(r.Store.Dialect(), table, ent.Primary) + " WHERE store_id = ? AND id > ? ORDER BY id LIMIT ?"
	err = ent.Read(ctx, r.Client(ctx), func(rows *stdsql.Rows) error {
		var row record
		err := rows.Scan(&row.id, &row.version, &row.updated, (*[]byte)(&row.values))
		list = append(list, row)
		return err
	}, query, viewer.From(ctx).Store, behind, walkBatch)
	if err != nil {
		return nil, fmt.Errorf("read %s with custom fields: %w", table, err)
	}
	return list, nil
}

// write sets the values of a record, which gets its next version. Events are not sent: a field of a
// store can have millions of values.
func (r *Resolver) write(ctx context.Context, table, column string, row record, values document.CustomFields) error {
	set := ""
	if table == "orders" { // their lines stay: see package lineset
		set = "line_set_version = line_set_version + 1, "
	}
	done, err := r.Client(ctx).ExecContext(ctx, "UPDATE "+table+" SET "+set+column+
		" = ?, version = version + 1, updated_at = ? WHERE store_id = ? AND id = ? AND version = ?",
		nullable(values), change.UpdateTime(ctx, row.updated), viewer.From(ctx).Store, row.id, row.version)
	if err != nil {
		return fmt.Errorf("remove a custom field of %s: %w", table, err)
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return ent.Again(errors.Join(err, errors.New("the record was changed meanwhile")))
	}
	return nil
}

func nullable(values document.CustomFields) any {
	if len(values) == 0 {
		return nil
	}
	return []byte(values)
}

// variantsWith returns the variants of products that have a value of a field.
func (r *Resolver) variantsWith(ctx context.Context, name string, products []record) ([]*db.Variant, error) {
	query := r.Client(ctx).Variant.Query().Where(
		variant.ProductIDIn(core.Map(products, func(p record) xid.ID { return p.id })...), variant.CustomFieldsNotNil())
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read variants with custom fields: %w", err)
	}
	return slices.DeleteFunc(rows, func(v *db.Variant) bool {
		_, had, failed := without(v.CustomFields, name)
		err = errors.Join(err, failed)
		return !had
	}), err
}

// clear removes the value of a field from variants. The versions of their products guard them.
func (r *Resolver) clear(ctx context.Context, name string, list []*db.Variant) error {
	for _, v := range list {
		rest, _, err := without(v.CustomFields, name)
		if err == nil {
			_, err = r.Client(ctx).ExecContext(ctx,
				"UPDATE variants SET custom_fields = ? WHERE store_id = ? AND product_id = ? AND id = ?",
				nullable(rest), v.StoreID, v.ProductID, v.ID)
		}
		if err != nil {
			return fmt.Errorf("remove a custom field of variants: %w", err)
		}
	}
	return nil
}
