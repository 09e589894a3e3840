package customfield

import (
	"context"
	"fmt"
	"regexp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customfield"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

type fieldEdit = change.Edit[*db.CustomField, *db.CustomFieldUpdate]

func (r *Resolver) fields() *change.Versioned[*db.CustomField, *db.CustomFieldUpdate] {
	return &change.Versioned[*db.CustomField, *db.CustomFieldUpdate]{
		Kind: xid.CustomField,
		Load: r.field,
		Head: func(f *db.CustomField) change.Head {
			return change.Head{Store: f.StoreID, ID: f.ID, Version: &f.Version, UpdatedAt: &f.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.CustomFieldUpdate {
			return r.Client(ctx).CustomField.Update().Where(customfield.ID(id), customfield.Version(version))
		},
		Taken: nameTaken,
	}
}

// name is a namespace and a key. It has no letters that look like others.
var name = regexp.MustCompile(`^[a-z0-9_]+\.[a-z0-9_]+$`)

func nameTaken() error {
	return core.Invalid("name", fault.Taken, "Another custom field has this name, or is being deleted.")
}

// CustomFieldCreate defines a custom field.
func (m Mutation) CustomFieldCreate(
	ctx context.Context, in model.CustomFieldCreateInput,
) (*model.CustomFieldPayload, error) {
	if err := check(&in); err != nil {
		return nil, err
	}
	var f *db.CustomField
	err := m.Commit(ctx, xid.CustomField, func(ctx context.Context) (_ *change.Record, err error) {
		if err := m.room(ctx, in.Owner, 1, in.Filterable); err != nil {
			return nil, err
		}
		id := xid.New()
		f, err = m.Client(ctx).CustomField.Create().SetID(id).SetOwner(in.Owner).SetName(in.Name).
			SetLabel(in.Label).SetType(in.Type).SetVisibleInShop(in.VisibleInShop).SetFilterable(in.Filterable).
			SetUpdatedAt(id.Time()).Save(ctx)
		if ent.IsDuplicate(err) {
			return nil, nameTaken()
		}
		if err != nil {
			return nil, err
		}
		return m.fields().Created(f, "custom_field.create", f.Name), nil
	})
	if err != nil {
		return nil, err
	}
	return &model.CustomFieldPayload{CustomField: f}, nil
}

func check(in *model.CustomFieldCreateInput) error {
	c := &core.Check{}
	if !in.Owner.Known() {
		c.Add("owner", fault.UnknownValue, "The value is product, variant, order or customer.")
	}
	if !in.Type.Known() {
		c.Add("type", fault.UnknownValue, "The value is text, number, boolean, date, money, url, json or list.")
	}
	switch {
	case len(in.Name) > limit.CustomFieldName:
		c.Add("name", fault.TooLong, fmt.Sprintf("The name has more than %d characters.", limit.CustomFieldName))
	case !name.MatchString(in.Name):
		c.Add("name", fault.InvalidFormat, "A name is a namespace and a key of a-z, 0-9 and _ with a dot between them. "+
			"For example, details.material.")
	}
	c.Line("label", in.Label, limit.Label)
	checkUse(c, in.Owner, in.Type, in.VisibleInShop, in.Filterable)
	return c.Err()
}

func checkUse(c *core.Check, owner state.CustomFieldOwner, t state.CustomFieldType, shown, filterable bool) {
	if shown && owner != state.FieldsOfProducts {
		c.Add("visible_in_shop", fault.OutOfRange, "A shop shows only fields of products.")
	}
	if filterable && (t == state.FieldJSON || owner == state.FieldsOfVariants && t == state.FieldList) {
		c.Add("filterable", fault.OutOfRange, "No list can be filtered by JSON, or by lists of variants.")
	}
}

// room refuses more fields than an owner can have, or one more filterable one.
func (m Mutation) room(ctx context.Context, owner state.CustomFieldOwner, more int, filterable bool) error {
	fields, err := m.Core.CustomFields(ctx, owner)
	if err != nil {
		return err
	}
	if len(fields)+more > limit.CustomFields {
		return fault.State(fault.LimitReached,
			fmt.Sprintf("There are at most %d custom fields of each kind. Delete one first.", limit.CustomFields))
	}
	n := 0
	for _, f := range fields {
		if f.Filterable {
			n++
		}
	}
	most := limit.FilterableFields
	if owner == state.FieldsOfVariants {
		most = limit.FilterableVariantFields
	}
	if filterable && n >= most {
		return fault.State(fault.LimitReached, fmt.Sprintf("At most %d custom fields of this kind are filterable.", most))
	}
	return nil
}

// CustomFieldUpdate changes how a custom field is called and used. Its name and type never change, so
// its values stay valid.
func (m Mutation) CustomFieldUpdate(
	ctx context.Context, id string, expectedVersion int64, in model.CustomFieldUpdateInput,
) (*model.CustomFieldPayload, error) {
	c := &core.Check{}
	core.NotNull(c, "label", in.Label, func(s string) { c.Line("label", s, limit.Label) })
	core.NotNull(c, "visible_in_shop", in.VisibleInShop, func(bool) {})
	core.NotNull(c, "filterable", in.Filterable, func(bool) {})
	if err := c.Err(); err != nil {
		return nil, err
	}
	f, err := core.Change(ctx, m.Core, m.fields(), id, expectedVersion, "custom_field.update",
		func(ctx context.Context, e *fieldEdit) error {
			f, u, was := e.Row, e.Update, e.Row.Filterable
			core.MemberOf(&e.Changed, in.Label, "label", &f.Label, u.SetLabel)
			core.MemberOf(&e.Changed, in.VisibleInShop, "visible_in_shop", &f.VisibleInShop, u.SetVisibleInShop)
			core.MemberOf(&e.Changed, in.Filterable, "filterable", &f.Filterable, u.SetFilterable)
			if checkUse(c, f.Owner, f.Type, f.VisibleInShop, f.Filterable); c.Err() != nil || len(e.Changed) == 0 {
				return c.Err()
			}
			if f.Filterable && !was {
				if err := m.room(ctx, f.Owner, 0, true); err != nil {
					return err
				}
			}
			e.Then = func(ctx context.Context) error { return m.changed(ctx, f, f.Filterable != was) }
			return nil
		})
	if err != nil {
		return nil, err
	}
	return &model.CustomFieldPayload{CustomField: f}, nil
}

// changed begins what follows from a change of a field: the shop shows its records anew, and if walked
// is true their values are indexed, or removed, in the background.
func (m Mutation) changed(ctx context.Context, f *db.CustomField, walked bool) error {
	if f.Owner == state.FieldsOfProducts {
		if err := m.BumpStorefrontRevision(ctx); err != nil {
			return err
		}
	}
	if !walked {
		return nil
	}
	_, err := m.Tasks.Put(ctx, WalkTask, f.StoreID, f.StoreID, walk{Field: f.ID[:]})
	return err
}

// CustomFieldDelete deletes a custom field and its values. The field disappears at once, and its name
// can be used again when the last value is gone.
func (m Mutation) CustomFieldDelete(
	ctx context.Context, id string, expectedVersion int64,
) (*model.CustomFieldDeletePayload, error) {
	_, err := core.Change(ctx, m.Core, m.fields(), id, expectedVersion, "custom_field.delete",
		func(_ context.Context, e *fieldEdit) error {
			e.Update.SetGone(true)
			e.Changed, e.Detail = []string{"gone"}, e.Row.Name
			e.Then = func(ctx context.Context) error {
				e.Row.Gone = true
				return m.changed(ctx, e.Row, true)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	return &model.CustomFieldDeletePayload{DeletedID: &id}, nil
}
