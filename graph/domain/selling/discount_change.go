package selling

import (
	"context"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/db/discount"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// discountEdit is a change of one discount.
type discountEdit = change.Edit[*db.Discount, *db.DiscountUpdate]

// discounts returns how discounts change. One that orders use cannot be deleted.
func (r *Resolver) discounts() *change.Versioned[*db.Discount, *db.DiscountUpdate] {
	return &change.Versioned[*db.Discount, *db.DiscountUpdate]{
		Kind: xid.Discount,
		Load: r.discount,
		Head: func(d *db.Discount) change.Head {
			return change.Head{Store: d.StoreID, ID: d.ID, Version: &d.Version, UpdatedAt: &d.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.DiscountUpdate {
			return r.Client(ctx).Discount.Update().Where(discount.ID(id), discount.Version(version))
		},
		Delete: func(ctx context.Context, id xid.ID, version int64) (int, error) {
			return r.Client(ctx).Discount.Delete().
				Where(discount.ID(id), discount.Version(version), discount.Uses(0)).Exec(ctx)
		},
		Taken: codeTaken,
	}
}

func codeTaken() error {
	return fault.Invalid(fault.Field{Pointer: "#/code", Code: fault.Taken, Detail: "Another discount has this code."})
}

// DiscountCreate creates a discount. No other discount of the store has its code.
func (m Mutation) DiscountCreate(ctx context.Context, in model.DiscountInput) (*model.DiscountPayload, error) {
	ids, err := checkDiscount(&in)
	if err != nil {
		return nil, err
	}
	lists, err := m.discountLists(ctx, ids, nil)
	if err != nil {
		return nil, err
	}
	var d *db.Discount
	err = m.Commit(ctx, xid.Discount, func(ctx context.Context) (_ *change.Record, err error) {
		err = m.Room(ctx, limit.Discounts, ent.Primary, func(pick func(*sql.Selector), ids any) error {
			return m.Client(ctx).Discount.Query().Modify(pick).Scan(ctx, ids)
		})
		if err != nil {
			return nil, err
		}
		id := xid.New()
		d, err = m.Client(ctx).Discount.Create().SetID(id).SetCode(in.Code).SetKind(in.Kind).
			SetNillableBasisPoints(in.BasisPoints).SetNillableAmountMinor(in.AmountMinor).
			SetNillableStartsAt(in.StartsAt).SetNillableEndsAt(in.EndsAt).SetNillableLeastMinor(in.LeastMinor).
			SetNillableUsesMax(in.UsesMax).SetNillableCustomerUsesMax(in.CustomerUsesMax).SetActive(in.Active).
			SetCollections(lists).SetUpdatedAt(id.Time()).Save(ctx)
		if ent.IsDuplicate(err) {
			return nil, codeTaken()
		}
		if err != nil {
			return nil, err
		}
		return m.discounts().Created(d, "discount.create", ""), nil
	})
	if err != nil {
		return nil, err
	}
	return &model.DiscountPayload{Discount: d}, nil
}

// DiscountUpdate replaces a discount, except its use count.
func (m Mutation) DiscountUpdate(
	ctx context.Context, id string, expectedVersion int64, in model.DiscountInput,
) (*model.DiscountPayload, error) {
	ids, err := checkDiscount(&in)
	if err != nil {
		return nil, err
	}
	d, err := core.Change(ctx, m.Core, m.discounts(), id, expectedVersion, "discount.update",
		func(ctx context.Context, e *discountEdit) error {
			d, u, all := e.Row, e.Update, &e.Changed
			lists, err := m.discountLists(ctx, ids, d.Collections)
			if err != nil {
				return err
			}
			core.Replace(all, &in.Code, "code", &d.Code, u.SetCode)
			core.Replace(all, &in.Kind, "kind", &d.Kind, u.SetKind)
			core.MemberOpt(all, core.Given(in.BasisPoints), "basis_points", &d.BasisPoints,
				u.SetBasisPoints, u.ClearBasisPoints)
			core.MemberOpt(all, core.Given(in.AmountMinor), "amount_minor", &d.AmountMinor,
				u.SetAmountMinor, u.ClearAmountMinor)
			core.MemberOpt(all, core.Given(in.StartsAt), "starts_at", &d.StartsAt, u.SetStartsAt, u.ClearStartsAt)
			core.MemberOpt(all, core.Given(in.EndsAt), "ends_at", &d.EndsAt, u.SetEndsAt, u.ClearEndsAt)
			core.MemberOpt(all, core.Given(in.LeastMinor), "least_minor", &d.LeastMinor,
				u.SetLeastMinor, u.ClearLeastMinor)
			core.MemberOpt(all, core.Given(in.UsesMax), "uses_max", &d.UsesMax, u.SetUsesMax, u.ClearUsesMax)
			core.MemberOpt(all, core.Given(in.CustomerUsesMax), "customer_uses_max", &d.CustomerUsesMax,
				u.SetCustomerUsesMax, u.ClearCustomerUsesMax)
			core.Replace(all, &in.Active, "active", &d.Active, u.SetActive)
			core.MemberDoc(all, lists, true, "collection_ids", &d.Collections, u.SetCollections, u.ClearCollections)
			return nil
		})
	if err != nil {
		return nil, err
	}
	return &model.DiscountPayload{Discount: d}, nil
}

// DiscountBatch writes discounts of a file in the transaction of its context.
type DiscountBatch struct {
	Mutation
	rows map[string]*db.Discount // by code
}

// DiscountBatch finds the discounts of the store that a file names by their codes.
func (m Mutation) DiscountBatch(ctx context.Context, codes []string) (*DiscountBatch, error) {
	b := &DiscountBatch{Mutation: m, rows: map[string]*db.Discount{}}
	rows, err := m.Client(ctx).Discount.Query().Where(discount.CodeIn(core.Map(codes, storedCode)...)).Load(ctx)
	for _, d := range rows {
		b.rows[d.Code] = d
	}
	return b, core.Explain("discount", err)
}

// Apply creates or changes the discount that has a code, and returns whether it did either. merge sets
// the members that the file has.
func (b *DiscountBatch) Apply(
	ctx context.Context, code string, merge func(in *model.DiscountInput) error,
) (created, changed bool, err error) {
	code = storedCode(code)
	d := b.rows[code]
	in := model.DiscountInput{Active: true, CollectionIds: []string{}}
	if d != nil {
		if in, err = model.DiscountOf(d); err != nil {
			return false, false, core.Explain("discount", err)
		}
	}
	if err := merge(&in); err != nil {
		return false, false, err
	}
	if !in.Kind.Known() {
		return false, false, core.Invalid("kind", fault.Required, "A new discount needs a kind.")
	}
	if d == nil {
		made, err := b.DiscountCreate(ctx, in)
		if err != nil {
			return false, false, err
		}
		b.rows[code] = made.Discount
		return true, true, nil
	}
	done, err := b.DiscountUpdate(ctx, d.PublicID(), d.Version, in)
	if err != nil {
		return false, false, err
	}
	b.rows[code] = done.Discount
	return false, done.Discount.Version != d.Version, nil
}

// DiscountDelete removes a discount that no order uses.
func (m Mutation) DiscountDelete(
	ctx context.Context, id string, expectedVersion int64,
) (*model.DiscountDeletePayload, error) {
	err := core.Remove(ctx, m.Core, m.discounts(), id, expectedVersion, "discount.delete",
		func(_ context.Context, d *db.Discount) error {
			if d.Uses > 0 {
				return fault.State(fault.DiscountUsed, "Orders use this discount. Deactivate it instead.")
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	return &model.DiscountDeletePayload{DeletedID: &id}, nil
}

// checkDiscount validates a discount, brings its code into stored form, and returns the ids of its
// collections.
func checkDiscount(in *model.DiscountInput) ([]xid.ID, error) {
	c := &core.Check{}
	in.Code = storedCode(in.Code)
	checkCode(c, in.Code)
	fits := func(name string, v *int64, wanted bool, most int64) {
		switch {
		case wanted && v == nil:
			c.Add(name, fault.Required, "This type of discount requires it.")
		case !wanted && v != nil:
			c.Add(name, fault.OutOfRange, "This type of discount cannot have it.")
		case wanted:
			c.Within(name, *v, 1, most)
		}
	}
	fits("basis_points", in.BasisPoints, in.Kind == state.DiscountPercent, limit.BasisPoints)
	fits("amount_minor", in.AmountMinor, in.Kind == state.DiscountAmount, currency.MaxMinor)
	if in.StartsAt != nil && in.EndsAt != nil && *in.EndsAt <= *in.StartsAt {
		c.Add("ends_at", fault.OutOfRange, "The end must be after the start.")
	}
	core.Opt(in.LeastMinor, func(n int64) { c.Amount("least_minor", n) })
	core.Opt(in.UsesMax, func(n int64) { c.Within("uses_max", n, 1, limit.Uses) })
	core.Opt(in.CustomerUsesMax, func(n int64) { c.Within("customer_uses_max", n, 1, limit.Uses) })
	ids := c.IDs("collection_ids", xid.Collection, in.CollectionIds, limit.DiscountCollections)
	return ids, c.Err()
}

// discountLists returns the collections of a discount in stored form: collections of the store, and
// those that the discount had before, even if they were deleted since. Otherwise a discount whose
// last collection was deleted could not be changed at all without applying it to all products.
func (m Mutation) discountLists(ctx context.Context, ids []xid.ID, before document.Tags) (document.Tags, error) {
	had, err := before.List()
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	found, err := m.Client(ctx).Collection.Query().Where(collection.IDIn(ids...), collection.Gone(false)).IDs(ctx)
	if err != nil {
		return nil, core.Explain("collection", err)
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = xid.Collection.Format(id)
		if slices.Contains(had, texts[i]) {
			found = append(found, id)
		}
	}
	c := &core.Check{}
	c.Found("collection_ids", xid.Collection, ids, found)
	return document.NewTags(texts), c.Err()
}

// checkCode validates what shoppers enter: characters that everyone can type and that
// no one confuses.
func checkCode(c *core.Check, code string) {
	bad := func(r rune) bool { return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') }
	switch {
	case len(code) < limit.ShortCode:
		c.Add("code", fault.TooShort, "A code must have at least 3 characters.")
	case len(code) > limit.Code:
		c.Add("code", fault.TooLong, "A code can have at most 64 characters.")
	case strings.ContainsFunc(code, bad):
		c.Add("code", fault.InvalidFormat, "A code may contain only letters from A to Z, digits, - and _.")
	}
}
