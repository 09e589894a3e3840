package catalog

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/db/collectionproduct"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

type collectionEdit = change.Edit[*db.Collection, *db.CollectionUpdate]

// collections describes how collections change. They have no events. The row of a deleted
// collection remains until the listing index has no entries for it, under a handle that cannot be
// requested.
func (r *Resolver) collections() *change.Versioned[*db.Collection, *db.CollectionUpdate] {
	update := func(ctx context.Context, id xid.ID, version int64) *db.CollectionUpdate {
		return r.Client(ctx).Collection.Update().
			Where(collection.ID(id), collection.Version(version), collection.Gone(false))
	}
	return &change.Versioned[*db.Collection, *db.CollectionUpdate]{
		Kind: xid.Collection,
		Load: r.collection,
		Head: func(c *db.Collection) change.Head {
			return change.Head{Store: c.StoreID, ID: c.ID, Version: &c.Version, UpdatedAt: &c.UpdatedAt}
		},
		Update: update,
		Delete: func(ctx context.Context, id xid.ID, version int64) (int, error) {
			n, err := update(ctx, id, version).SetGone(true).SetDueAt(micros.Now()).SetSettling(false).
				SetHandle("~" + xid.Collection.Format(id)).Save(ctx)
			if err != nil || n == 0 {
				return n, err
			}
			_, err = r.Client(ctx).CollectionProduct.Delete().Where(collectionproduct.CollectionID(id)).Exec(ctx)
			return n, err
		},
		Taken:   collectionTaken,
		Handles: &change.Handles[*db.Collection]{Store: r.Store, Of: func(c *db.Collection) string { return c.Handle }},
	}
}

func collectionTaken() error {
	return core.Invalid("handle", fault.Taken, "Another collection has this handle.")
}

// CollectionCreate creates a collection. Without a given handle, it derives a unique one from the
// title. Its products are listed when this returns, or within moments if the store has thousands.
func (m Mutation) CollectionCreate(
	ctx context.Context, in model.CollectionInput,
) (*model.CollectionPayload, error) {
	plan, err := planCollection(in)
	if err != nil {
		return nil, err
	}
	c, err := core.Commit(ctx, m.Core, xid.Collection, func(ctx context.Context) (
		*db.Collection, *change.Record, error,
	) {
		err := m.Room(ctx, limit.Collections, ent.Primary, core.FindIn(ctx, m.Client(ctx).Collection.Query()))
		if err != nil {
			return nil, nil, err
		}
		if err := m.holdProducts(ctx, plan.products); err != nil {
			return nil, nil, err
		}
		if err := m.holdSizeChart(ctx, in); err != nil {
			return nil, nil, err
		}
		c, err := m.insertCollection(ctx, in, plan)
		if err != nil {
			return nil, nil, err
		}
		return c, m.collections().Created(c, "collection.create", ""), m.putIn(ctx, c.ID, plan.products)
	})
	if err != nil {
		return nil, err
	}
	m.fill(ctx, c.ID)
	return &model.CollectionPayload{Collection: c}, nil
}

// insertCollection writes the row. A duplicate key leaves the transaction usable, so another handle
// can be tried.
func (m Mutation) insertCollection(
	ctx context.Context, in model.CollectionInput, plan *collectionPlan,
) (*db.Collection, error) {
	id := xid.New()
	save := func(handle string) (*db.Collection, error) {
		return m.Client(ctx).Collection.Create().SetID(id).SetTitle(in.Title).SetHandle(handle).
			SetNillableDescription(in.Description).SetSort(in.Sort).SetRule(plan.rule).
			SetNillableSizeChartID(sizeChart(in.SizeChartID.Value())).SetDueAt(id.Time()).
			SetBehind(xid.Nil).SetBucket(bucket.Of(viewer.From(ctx).Store)).SetUpdatedAt(id.Time()).Save(ctx)
	}
	if in.Handle == nil {
		return core.FirstFree(core.Slug(in.Title, "collection"), xid.Collection.Format(id), core.MaxHandle, save)
	}
	c, err := save(*in.Handle)
	if ent.IsDuplicate(err) {
		return nil, collectionTaken()
	}
	return c, err
}

// CollectionUpdate replaces a collection; without a given handle it keeps the present one.
func (m Mutation) CollectionUpdate(
	ctx context.Context, id string, expectedVersion int64, in model.CollectionInput,
) (*model.CollectionPayload, error) {
	plan, err := planCollection(in)
	if err != nil {
		return nil, err
	}
	c, err := core.Change(ctx, m.Core, m.collections(), id, expectedVersion, "collection.update",
		func(ctx context.Context, e *collectionEdit) error {
			c, u, all := e.Row, e.Update, &e.Changed
			core.Replace(all, &in.Title, "title", &c.Title, u.SetTitle)
			core.Replace(all, in.Handle, "handle", &c.Handle, u.SetHandle)
			core.MemberOpt(all, core.Given(in.Description), "description", &c.Description, u.SetDescription,
				u.ClearDescription)
			if in.SizeChartID.IsSet() {
				core.MemberOpt(all, core.Given(sizeChart(in.SizeChartID.Value())), sizeChartMember, &c.SizeChartID,
					u.SetSizeChartID, u.ClearSizeChartID)
			}
			if err := m.holdSizeChart(ctx, in); err != nil {
				return err
			}
			core.Replace(all, &in.Sort, "sort", &c.Sort, u.SetSort)
			shown := len(*all)
			core.MemberDoc(all, plan.rule, true, "rule", &c.Rule, u.SetRule, u.ClearRule)
			had, err := m.members(ctx, c.ID)
			if err != nil {
				return err
			}
			other := !slices.Equal(had, plan.products)
			if other {
				*all = append(*all, "product_ids")
				e.Then = func(ctx context.Context) error { return m.putIn(ctx, c.ID, plan.products) }
			}
			if len(*all) > shown { // its products must be selected again
				c.DueAt, c.Behind, c.Settling = e.Now, xid.Nil, false
				u.SetDueAt(c.DueAt).SetBehind(c.Behind).SetSettling(c.Settling)
			}
			if len(*all) > 0 {
				if err := m.BumpStorefrontRevision(ctx); err != nil {
					return err
				}
			}
			if other {
				return m.holdProducts(ctx, plan.products)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	m.fill(ctx, c.ID)
	return &model.CollectionPayload{Collection: c}, nil
}

// CollectionDelete deletes a collection, but not its products. Menus omit links to it from then on.
func (m Mutation) CollectionDelete(
	ctx context.Context, id string, expectedVersion int64,
) (*model.CollectionDeletePayload, error) {
	var gone xid.ID
	err := core.Remove(ctx, m.Core, m.collections(), id, expectedVersion, "collection.delete",
		func(ctx context.Context, c *db.Collection) error {
			gone = c.ID
			return m.BumpStorefrontRevision(ctx)
		})
	if err != nil {
		return nil, err
	}
	m.fill(ctx, gone)
	return &model.CollectionDeletePayload{DeletedID: &id}, nil
}

// fill starts to update the listing index for a changed collection. If this fails, the background
// worker does it.
func (m Mutation) fill(ctx context.Context, id xid.ID) {
	if err := m.Listings.Begin(ctx, id); err != nil {
		m.Logger.WarnContext(ctx, "listing index of a collection not updated yet", "error", err)
	}
}

// holdProducts checks the products of a manual collection and locks them until the commit. It runs
// before the collection's row is written, because changes of a product also lock the product before
// its collections.
func (m Mutation) holdProducts(ctx context.Context, products []xid.ID) error {
	if len(products) == 0 {
		return nil
	}
	query := m.Client(ctx).Product.Query().Where(product.IDIn(products...))
	query.Modify(ent.ForUpdate)
	rows, err := query.Load(ctx)
	if err != nil {
		return fmt.Errorf("hold products: %w", err)
	}
	c := &core.Check{}
	c.Found("product_ids", xid.Product, products, core.Map(rows, func(p *db.Product) xid.ID { return p.ID }))
	return c.Err()
}

// holdSizeChart checks that the store has the page of an input.
func (m Mutation) holdSizeChart(ctx context.Context, in model.CollectionInput) error {
	c := &core.Check{}
	if err := m.checkSizeChart(ctx, c, in.SizeChartID.Value()); err != nil {
		return err
	}
	return c.Err()
}

// putIn replaces the products of a manual collection. The products must be locked.
func (m Mutation) putIn(ctx context.Context, id xid.ID, products []xid.ID) error {
	client := m.Client(ctx).CollectionProduct
	if _, err := client.Delete().Where(collectionproduct.CollectionID(id)).Exec(ctx); err != nil {
		return fmt.Errorf("clear a collection: %w", err)
	}
	made := make([]*db.CollectionProductCreate, len(products))
	for i, p := range products {
		made[i] = client.Create().SetCollectionID(id).SetID(p).SetPosition(int64(i))
	}
	return client.CreateBulk(made...).Exec(ctx)
}

type collectionPlan struct {
	rule     document.CollectionRule // nil for a manual collection
	products []xid.ID
}

func planCollection(in model.CollectionInput) (*collectionPlan, error) {
	c, plan := &core.Check{}, &collectionPlan{}
	c.Line("title", in.Title, limit.Line)
	core.Opt(in.Handle, func(s string) { c.Handle("handle", s, limit.Handle) })
	core.Opt(in.Description, func(s string) { c.Long("description", s, limit.CollectionText) })
	if in.Rule == nil {
		plan.products = c.IDs("product_ids", xid.Product, in.ProductIds, limit.CollectionProducts)
		return plan, c.Err()
	}
	if in.Sort == state.SortManual {
		c.Add("sort", fault.UnknownValue, "Automatic collections cannot be sorted manually.")
	}
	if len(in.ProductIds) > 0 {
		c.Add("product_ids", fault.UnknownMember, "An automatic collection cannot list products.")
	}
	rule := document.CollectionRuleFields{Any: in.Rule.Any, InStock: in.Rule.InStock}
	switch n := len(in.Rule.Conditions); {
	case n == 0: // a rule may consist of the stock condition alone
		c.Required("rule/conditions", rule.InStock)
	case n > limit.Conditions:
		c.Add("rule/conditions", fault.TooLong, "A rule has at most "+strconv.Itoa(limit.Conditions)+" conditions.")
	default:
		for i, one := range in.Rule.Conditions {
			checkCondition(c, "rule/conditions/"+strconv.Itoa(i), one)
			rule.Conditions = append(rule.Conditions, *one)
		}
	}
	plan.rule = document.NewCollectionRule(rule)
	return plan, c.Err()
}

// checkCondition checks one condition: it must have exactly the members that its field needs.
func checkCondition(c *core.Check, at string, one *document.CollectionCondition) {
	if one.Field != state.FieldPrice {
		c.Required(at+"/text", one.Text != nil)
		core.Opt(one.Text, func(s string) { c.Line(at+"/text", s, limit.Line) })
		if one.LeastMinor != nil || one.MostMinor != nil {
			c.Add(at, fault.UnknownMember, "Only a price can have bounds.")
		}
		return
	}
	if one.Text != nil {
		c.Add(at+"/text", fault.UnknownMember, "A price needs bounds instead of a text.")
	}
	c.Required(at+"/least_minor", one.LeastMinor != nil || one.MostMinor != nil)
	core.Opt(one.LeastMinor, func(n int64) { c.Amount(at+"/least_minor", n) })
	core.Opt(one.MostMinor, func(n int64) { c.Amount(at+"/most_minor", n) })
	if one.LeastMinor != nil && one.MostMinor != nil && *one.LeastMinor > *one.MostMinor {
		c.Add(at+"/most_minor", fault.OutOfRange, "This is below the minimum price.")
	}
}
