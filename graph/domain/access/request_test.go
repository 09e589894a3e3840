package access_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/requestlog"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// requests walks the log of a shop in pages of two and returns the ids.
func requests(t testing.TB, p *graphtest.Shop, filter *model.RequestFilter) (ids []string, last *model.LoggedRequest) {
	t.Helper()
	var after *string
	for range 20 {
		c := graphtest.Must[*model.LoggedRequestConnection](t)(p.Query().RequestLog(p.Ctx, new(2), after, filter))
		for _, r := range c.Nodes {
			ids, last = append(ids, r.PublicID()), r
		}
		if c.Next == "" {
			return ids, last
		}
		after = &c.Next
	}
	t.Fatal("the walk does not end")
	return nil, nil
}

// A store sees the requests of its keys and apps, and the store that registered an app sees its
// requests in all stores; nobody sees others.
func TestRequestLog(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		maker, stranger := p.Other(t), p.Other(t)
		app := maker.NewApp(t, "products.read")
		asApp, _ := p.AsApp(t, app, "products.read")
		byApp := *viewer.From(asApp)
		byApp.AppStore = maker.Model.ID
		key := graphtest.Must[*model.APIKeyPayload](t)(p.Mutation().APIKeyCreate(p.Ctx,
			model.APIKeyCreateInput{Name: "Till", Scopes: []string{"products.read"}})).APIKey
		byKey := &viewer.Viewer{Kind: viewer.APIKey, Store: p.Model.ID, Actor: key.ID}
		l, began := requestlog.New(p.Resolver.Store), micros.Now()
		var ids []string // oldest first
		for i, as := range []*viewer.Viewer{byKey, byKey, &byApp, byKey, &byApp} {
			e := &requestlog.Entry{ID: xid.At(began.Add(time.Duration(i) * time.Second)), Method: "GET",
				Route: "/api/public/v1/products/{id}", Status: []int{200, 404, 200, 503, 429}[i],
				Took: time.Millisecond}
			if i == 1 {
				e.Kind, e.Resource, e.Code = xid.Product, key.ID, "not_found"
			}
			l.Add(as, e)
			ids = append(ids, xid.Request.Format(e.ID))
		}
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		keyID, appID := key.PublicID(), app.PublicID()
		success, client, server := model.StatusSuccess, model.StatusClientError, model.StatusServerError
		of := func(list ...int) (wanted []string) {
			for _, i := range list {
				wanted = append(wanted, ids[i])
			}
			return wanted
		}
		for name, tc := range map[string]struct {
			shop   *graphtest.Shop
			filter *model.RequestFilter
			want   []string
		}{
			"all":           {p, nil, of(4, 3, 2, 1, 0)},
			"by key":        {p, &model.RequestFilter{KeyID: &keyID}, of(3, 1, 0)},
			"by app":        {p, &model.RequestFilter{AppID: &appID}, of(4, 2)},
			"by id":         {p, &model.RequestFilter{RequestID: &ids[1]}, of(1)},
			"by id and app": {p, &model.RequestFilter{RequestID: &ids[1], AppID: &appID}, nil},
			"answered":      {p, &model.RequestFilter{Status: &success}, of(2, 0)},
			"refused":       {p, &model.RequestFilter{Status: &client}, of(4, 1)},
			"failed":        {p, &model.RequestFilter{Status: &server, KeyID: &keyID}, of(3)},
			"of a time": {p, &model.RequestFilter{From: new(began.Add(time.Second)),
				To: new(began.Add(3 * time.Second))}, of(2, 1)},
			"the maker's":      {maker, nil, of(4, 2)},
			"the maker by app": {maker, &model.RequestFilter{AppID: &appID, Status: &client}, of(4)},
			"the maker by key": {maker, &model.RequestFilter{KeyID: &keyID}, nil},
			"the maker by id":  {maker, &model.RequestFilter{RequestID: &ids[1]}, nil},
			"a stranger's":     {stranger, nil, nil},
			"a stranger by id": {stranger, &model.RequestFilter{RequestID: &ids[2]}, nil},
		} {
			got, _ := requests(t, tc.shop, tc.filter)
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
		_, r := requests(t, p, &model.RequestFilter{RequestID: &ids[1]})
		if r.Path() != "/api/public/v1/products/"+xid.Product.Format(key.ID) || r.Key == nil || r.Key.Name != "Till" ||
			r.App != nil || r.PublicCallerID() != nil || *r.Code != "not_found" || r.Duration != 1000 {
			t.Errorf("by a key: %+v", r)
		}
		_, r = requests(t, maker, &model.RequestFilter{RequestID: &ids[2]})
		if r.Path() != r.Route || r.Key != nil || r.App == nil || r.App.Name != app.Name ||
			*r.PublicCallerID() != p.Model.PublicID() {
			t.Errorf("by an app, elsewhere: %+v", r)
		}
		for want, bad := range map[string]model.RequestFilter{"request_id invalid_format": {RequestID: &keyID},
			"key_id invalid_format": {KeyID: &appID}} {
			if got := graphtest.FieldOf(graphtest.ErrOf(p.Query().RequestLog(p.Ctx, nil, nil, &bad))); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// TestRequestBounds: a page keeps its bound with every combination of filters.
func TestRequestBounds(t *testing.T) {
	plant := func(t *testing.T, p *graphtest.Shop, n int) map[string]*model.RequestFilter {
		key, began := xid.New(), micros.Now()
		p.PlantMany(t, n, func(ctx context.Context, c *db.Client, rows []int) error {
			return c.RequestLog.MapCreateBulk(rows, func(c *db.RequestLogCreate, _ int) {
				c.SetSubjectID(key).SetMethod("GET").SetRoute("/api/public/v1/orders").
					SetStatus(http.StatusOK).SetDuration(1)
			}).Exec(ctx)
		})
		return graphtest.Combined(map[string]func(*model.RequestFilter){
			"key":     func(f *model.RequestFilter) { f.KeyID = new(xid.APIKey.Format(key)) },
			"app":     func(f *model.RequestFilter) { f.AppID = new(xid.App.Format(xid.New())) },
			"request": func(f *model.RequestFilter) { f.RequestID = new(xid.Request.Format(xid.New())) },
			"status":  func(f *model.RequestFilter) { f.Status = new(model.StatusServerError) },
			"from":    func(f *model.RequestFilter) { f.From = &began },
			"to":      func(f *model.RequestFilter) { f.To = new(began.Add(time.Hour)) },
		})
	}
	graphtest.Bounds(t, plant,
		func(ctx context.Context, p *graphtest.Shop, f *model.RequestFilter, after *string) (*model.PageInfo, error) {
			c, err := p.Query().RequestLog(ctx, new(1), after, f)
			if err != nil {
				return nil, err
			}
			return c.PageInfo(), nil
		})
}
