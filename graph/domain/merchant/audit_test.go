package merchant_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// write appends audit entries: of a person, about a product, one after the other.
func write(ctx context.Context, t *testing.T, p *graphtest.Shop, n int, action string, of xid.ID) {
	t.Helper()
	err := p.Store.InTx(ctx, func(ctx context.Context) error {
		for range n {
			if err := audit.Write(ctx, p.Client(ctx), action, xid.Product, of, ""); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// walk reads all pages and counts them.
func walk(t *testing.T, p *graphtest.Shop, first int, f *model.AuditFilter) (rows []*model.AuditEntry, pages int) {
	t.Helper()
	var after *string
	for {
		c := graphtest.Must[*model.AuditEntryConnection](t)(p.Query().AuditLog(p.Ctx, &first, after, f))
		rows, pages = append(rows, c.Nodes...), pages+1
		info := c.PageInfo()
		if !info.HasNextPage {
			return rows, pages
		}
		after = info.EndCursor
	}
}

// Each filter, and all of them together, return what they match. Malformed ids are refused, unknown
// ones match nothing.
func TestAuditFilter(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		thing, other, ann := xid.New(), xid.New(), xid.New()
		anns := viewer.WithOrigin(p.As(ann, viewer.Admin), viewer.Origin{Agent: "Browser"})
		began := micros.Now()
		write(anns, t, p, 3, "product.update", thing)
		write(anns, t, p, 2, "product.create", thing)
		write(anns, t, p, 2, "product.update", other)
		write(p.Ctx, t, p, 2, "product.update", thing)
		id, annID := xid.Product.Format(thing), xid.User.Format(ann)
		for name, tc := range map[string]struct {
			f    model.AuditFilter
			want int
		}{
			"everything since": {model.AuditFilter{From: &began}, 9},
			"nothing since":    {model.AuditFilter{From: new(micros.Now().Add(time.Hour))}, 0},
			"before":           {model.AuditFilter{To: &began, ActorID: &annID}, 0},
			"a person":         {model.AuditFilter{ActorID: &annID}, 7},
			"the operator":     {model.AuditFilter{ActorID: new("system"), ResourceID: &id}, 2},
			"a thing":          {model.AuditFilter{ResourceID: &id}, 7},
			"an action":        {model.AuditFilter{Action: new("product.create")}, 2},
			"a kind of things": {model.AuditFilter{ResourceType: new("product")}, 9},
			"another kind":     {model.AuditFilter{ResourceType: new("order"), ResourceID: &id}, 0},
			"all of them": {model.AuditFilter{ActorID: &annID, ResourceID: &id, Action: new("product.update"),
				ResourceType: new("product"), From: &began, To: new(micros.Now().Add(time.Hour))}, 3},
			"nobody":           {model.AuditFilter{ActorID: new(xid.User.Format(xid.New()))}, 0},
			"an unknown thing": {model.AuditFilter{ResourceID: new(xid.Order.Format(xid.New()))}, 0},
			"the wrong prefix": {model.AuditFilter{ResourceID: new(xid.Order.Format(thing))}, 0},
		} {
			for _, first := range []int{1, 2, 100} {
				if rows, _ := walk(t, p, first, &tc.f); len(rows) != tc.want {
					t.Errorf("%s, by %d: %d rows, want %d", name, first, len(rows), tc.want)
				}
			}
		}
		for name, f := range map[string]model.AuditFilter{
			"#/actor_id": {ActorID: new("usr_x")}, "#/resource_id": {ResourceID: new("")},
		} {
			if _, err := p.Query().AuditLog(p.Ctx, nil, nil, &f); graphtest.FaultOf(err) != "invalid_parameter" {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// plantAudit writes n entries of one person about one product.
func plantAudit(t *testing.T, p *graphtest.Shop, n int, person, product xid.ID) {
	p.PlantMany(t, n, func(ctx context.Context, c *db.Client, rows []int) error {
		return c.Audit.MapCreateBulk(rows, func(c *db.AuditCreate, _ int) {
			c.SetActorType(viewer.Staff).SetActorID(person).SetActorName("Ann").SetAction("product.update").
				SetResourceType("product").SetResourceID(product)
		}).Exec(ctx)
	})
}

// TestAuditBounds: whatever the filter, a page reads at most its bound.
func TestAuditBounds(t *testing.T) {
	plant := func(t *testing.T, p *graphtest.Shop, n int) map[string]*model.AuditFilter {
		product, began := xid.New(), micros.Now()
		plantAudit(t, p, n, xid.New(), product)
		return graphtest.Combined(map[string]func(*model.AuditFilter){
			"actor":  func(f *model.AuditFilter) { f.ActorID = new(xid.User.Format(xid.New())) },
			"action": func(f *model.AuditFilter) { f.Action = new("product.create") },
			"type":   func(f *model.AuditFilter) { f.ResourceType = new("product") },
			"id":     func(f *model.AuditFilter) { f.ResourceID = new(xid.Product.Format(product)) },
			"from":   func(f *model.AuditFilter) { f.From = &began },
			"to":     func(f *model.AuditFilter) { f.To = new(began.Add(time.Hour)) },
		})
	}
	graphtest.Bounds(t, plant,
		func(ctx context.Context, p *graphtest.Shop, f *model.AuditFilter, after *string) (*model.PageInfo, error) {
			c, err := p.Query().AuditLog(ctx, new(1), after, f)
			return c.PageInfo(), err
		})
}

// A filter searches a bounded number of rows per page: a page may be short or empty, and following
// pages return the rest, each row once.
func TestAuditFilterIsBounded(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const rows = 3000 // above what one page searches, below what two do
		ann, thing := xid.New(), xid.New()
		anns := p.As(ann, viewer.Admin)
		write(anns, t, p, 2, "product.create", thing)
		plantAudit(t, p, rows, ann, thing)
		write(anns, t, p, 1, "product.create", thing)
		f := &model.AuditFilter{ActorID: new(xid.User.Format(ann)), Action: new("product.create")}
		before := p.Store.Statements()
		c := graphtest.Must[*model.AuditEntryConnection](t)(p.Query().AuditLog(p.Ctx, nil, nil, f))
		if n := p.Store.Statements() - before; n != 2 || len(c.Nodes) != 1 || !c.PageInfo().HasNextPage {
			t.Errorf("%d statements, %d rows, more %v", n, len(c.Nodes), c.PageInfo().HasNextPage)
		}
		found, pages := walk(t, p, 50, f)
		ids := make([]xid.ID, len(found))
		for i, r := range found {
			ids[i] = r.ID
		}
		slices.SortFunc(ids, xid.ID.Compare)
		if len(slices.Compact(ids)) != 3 || len(found) != 3 || pages != 2 {
			t.Errorf("%d rows on %d pages", len(found), pages)
		}
		gone := &model.AuditFilter{ActorID: f.ActorID, Action: new("product.delete")}
		if found, pages := walk(t, p, 50, gone); len(found) != 0 || pages != 2 {
			t.Errorf("%d rows on %d pages", len(found), pages)
		}
		some := &model.AuditFilter{Action: new("product.update")}
		if found, pages := walk(t, p, 1000, some); len(found) != rows || pages < rows/100 {
			t.Errorf("%d rows on %d pages", len(found), pages)
		}
	})
}
