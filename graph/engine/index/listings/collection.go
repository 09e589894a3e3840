package listings

import (
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/db/collectionproduct"
	"github.com/storefront-go/storefront/ent/db/listing"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// byMember orders the collections of a product, byPosition the products of a collection by
	// position.
	byMember   = "collectionproduct_store_id_id_collection_id_position"
	byPosition = "collectionproduct_store_id_collection_id_position_id"
)

// collections returns the collections of each of the active products, as the transaction sees them.
// Changes that it does not see yet are handled by the second pass; see settleAfter.
func (r Writer) collections(ctx context.Context, products []*db.Product) (map[xid.ID][]xid.ID, error) {
	all := r.Client.Collection.Query().Where(collection.RuleNotNil(), collection.Gone(false))
	all.Modify(ent.ForceIndex(ent.Primary))
	rows, err := all.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read collections: %w", err)
	}
	on := map[xid.ID][]xid.ID{}
	for _, c := range rows {
		fits, err := ruleOf(c)
		if err != nil {
			return nil, err
		}
		for _, p := range products {
			if ok, err := fits(p); err != nil {
				return nil, err
			} else if ok {
				on[p.ID] = append(on[p.ID], c.ID)
			}
		}
	}
	hand := r.Client.CollectionProduct.Query().Where(collectionproduct.IDIn(idsOf(products)...))
	hand.Modify(ent.ForceIndex(byMember))
	members, err := hand.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the collections of products: %w", err)
	}
	for _, m := range members {
		on[m.ID] = append(on[m.ID], m.CollectionID)
	}
	return on, nil
}

// On returns which of the given lists each of the products is in.
func On(ctx context.Context, client *db.Client, lists, products []xid.ID) (map[xid.ID][]xid.ID, error) {
	query := client.Listing.Query().Where(listing.ShelfIn(lists...), listing.IDIn(products...))
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the listing index: %w", err)
	}
	on := map[xid.ID][]xid.ID{}
	for _, l := range rows {
		on[l.ID] = append(on[l.ID], l.Shelf)
	}
	return on, nil
}

// ruleOf returns a function that reports whether a product meets the rule of a collection.
func ruleOf(c *db.Collection) (func(*db.Product) (bool, error), error) {
	rule, err := c.Rule.Fields()
	if err != nil {
		return nil, fmt.Errorf("rule of %s: %w", c.PublicID(), err)
	}
	return func(p *db.Product) (bool, error) {
		tags, err := p.Tags.List()
		if err != nil {
			return false, fmt.Errorf("tags of %s: %w", p.PublicID(), err)
		}
		meets := func(c document.CollectionCondition) bool { return meets(c, p, tags) }
		switch {
		case len(rule.Conditions) == 0: // in stock only, which the reader of the list checks
			return rule.InStock, nil
		case rule.Any:
			return slices.ContainsFunc(rule.Conditions, meets), nil
		}
		fails := func(c document.CollectionCondition) bool { return !meets(c) }
		return !slices.ContainsFunc(rule.Conditions, fails), nil
	}, nil
}

func meets(c document.CollectionCondition, p *db.Product, tags []string) bool {
	want := Fold(orEmpty(c.Text))
	switch c.Field {
	case state.FieldTag:
		return slices.ContainsFunc(tags, func(tag string) bool { return Fold(tag) == want })
	case state.FieldProductType:
		return Fold(orEmpty(p.ProductType)) == want
	case state.FieldVendor:
		return Fold(orEmpty(p.Vendor)) == want
	case state.FieldPrice:
		price := priceOf(p)
		return (c.LeastMinor == nil || price >= *c.LeastMinor) && (c.MostMinor == nil || price <= *c.MostMinor)
	}
	return false
}

// members returns which products of a batch are in a collection.
func (r Writer) members(ctx context.Context, c *db.Collection, rows []*db.Product) (map[xid.ID]bool, error) {
	on := map[xid.ID]bool{}
	if c.Gone {
		return on, nil
	}
	if c.Rule != nil {
		fits, err := ruleOf(c)
		if err != nil {
			return nil, err
		}
		for _, p := range rows {
			if on[p.ID], err = fits(p); err != nil {
				return nil, err
			}
		}
		return on, nil
	}
	query := r.Client.CollectionProduct.Query().
		Where(collectionproduct.CollectionID(c.ID), collectionproduct.IDIn(idsOf(rows)...))
	query.Modify(ent.ForceIndex(ent.Primary), ent.ForUpdate)
	hand, err := query.Load(ctx)
	for _, m := range hand {
		on[m.ID] = true
	}
	return on, err
}
