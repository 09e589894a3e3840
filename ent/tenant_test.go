package ent_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

// withoutPublicID are the store-owned entities without a public id, which therefore have no
// CreatedAt either.
var withoutPublicID = []string{"Idempotency", "ConsentTicket", "Outbox", "Attempt", "FormerHandle", "Mail",
	"MailStop", "MailSender", "ShopperChallenge", "ShopperPasskey", "ShopperSession", "ThemeUpload",
	"PriceChange", "ScheduledPrice", "InventoryChange", "InventoryMark", "StockLevel",
	"ExportPart", "Redaction", "Picture", "OutboxFailure", "Menus",
	"ShippingCountry", "TaxSettings", "DiscountUse", "Cart", "CartLine", "PaymentSettings", "PaymentHold",
	"CollectionProduct", "PaymentAccount", "PaymentSession", "PaymentRefund", "Imported", "Listing", "Facet",
	"SearchEntry", "SearchPending", "SearchSpelling", "ShelfWalk", "SearchTerm", "SearchWalk", "LineWalk",
	"SalesInterval", "SalesPending", "SalesWalk", "OrderText", "InvoiceSeries",
	"InvoiceSettings", "Download", "ImportFinding", "ImportImage", "ReturnFile"}

// queries calls f for every store-owned entity, with its name and a function that creates a query.
func queries(c *db.Client, f func(name string, query func() reflect.Value)) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		method := v.Field(i).MethodByName("Query")
		if !method.IsValid() {
			continue
		}
		query := func() reflect.Value { return method.Call(nil)[0] }
		all, _ := query().Type().MethodByName("All")
		entity := all.Type.Out(0).Elem().Elem()
		_, created := reflect.PointerTo(entity).MethodByName("CreatedAt")
		_, owned := entity.FieldByName("StoreID")
		if owned && (created || slices.Contains(withoutPublicID, name)) {
			f(name, query)
		}
	}
}

func call(ctx context.Context, query reflect.Value, method string) (reflect.Value, error) {
	out := query.MethodByName(method).Call([]reflect.Value{reflect.ValueOf(ctx)})
	err, _ := reflect.TypeAssert[error](out[1])
	return out[0], err
}

func storeOf(row reflect.Value) any { return row.Elem().FieldByName("StoreID").Interface() }

// rowsOf returns how many rows of an entity [fill] creates for a store.
func rowsOf(name string) int {
	if name == "MailSender" {
		return 1
	}
	return 2
}

func TestLoadEqualsAll(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, store := storetest.Merchant(t, s)
		fill(t, ctx, s, store.ID)
		n := 0
		queries(s.DB(ctx), func(name string, query func() reflect.Value) {
			n++
			all, err := call(ctx, query(), "All")
			if err != nil || all.Len() != rowsOf(name) {
				t.Fatalf("%s: All gave %d rows, %v, want %d", name, all.Len(), err, rowsOf(name))
			}
			loaded, err := call(ctx, query(), "Load")
			if err != nil || loaded.Len() != all.Len() {
				t.Fatalf("%s: Load gave %d rows, %v", name, loaded.Len(), err)
			}
			for i := range all.Len() {
				compare(t, name, all.Index(i).Elem(), loaded.Index(i).Elem())
			}
		})
		if want := len(ownedTables()); n != want {
			t.Errorf("compared %d entities, want the %d that stores own", n, want)
		}
	})
}

// compare checks that the exported fields are equal, distinguishing nil and empty.
func compare(t *testing.T, name string, all, loaded reflect.Value) {
	t.Helper()
	for i := range all.NumField() {
		f := all.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		a, b := all.Field(i).Interface(), loaded.Field(i).Interface()
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s.%s: All gives %#v, Load %#v", name, f.Name, a, b)
		}
	}
}

// TestStoresAreIsolated reads every entity as one of two stores.
func TestStoresAreIsolated(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ours, store := storetest.Merchant(t, s)
		theirs, other := storetest.Merchant(t, s)
		fill(t, ours, s, store.ID)
		fill(t, theirs, s, other.ID)
		queries(s.DB(ours), func(name string, query func() reflect.Value) {
			for _, method := range []string{"All", "Load"} {
				rows, err := call(ours, query(), method)
				if err != nil || rows.Len() != rowsOf(name) {
					t.Fatalf("%s.%s: got %d rows, %v, want our %d", name, method, rows.Len(), err,
						rowsOf(name))
				}
				for i := range rows.Len() {
					if got := storeOf(rows.Index(i)); got != store.ID {
						t.Errorf("%s.%s: a row of store %v", name, method, got)
					}
				}
				if _, err := call(t.Context(), query(), method); !errors.Is(err, rule.ErrDenied) {
					t.Errorf("%s.%s without a viewer: got %v, want denied", name, method, err)
				}
			}
			if n, err := call(ours, query(), "Count"); err != nil || n.Interface() != rowsOf(name) {
				t.Errorf("%s.Count: got %v, %v, want %d", name, n, err, rowsOf(name))
			}
		})
	})
}

func newProduct(c *db.Client, handle string) *db.ProductCreate {
	return c.Product.Create().SetTitle("Mug").SetHandle(handle).SetStatus("active").SetPriceMinor(100).
		SetCurrency("EUR").SetTags([]byte("[]")).SetUpdatedAt(micros.Now())
}

func makeProduct(t *testing.T, ctx context.Context, s *ent.Store) (p *db.Product) {
	t.Helper()
	err := s.InTx(ctx, func(ctx context.Context) (err error) {
		p, err = newProduct(s.DB(ctx), "mug-"+xid.New().String()).Save(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTenantPolicy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ours, store := storetest.Merchant(t, s)
		theirs, other := storetest.Merchant(t, s)
		p := makeProduct(t, ours, s)
		if p.StoreID != store.ID {
			t.Fatalf("the new product is of store %v, want ours", p.StoreID)
		}

		t.Run("get", func(t *testing.T) {
			if got, err := s.DB(ours).Product.Get(ours, p.ID); err != nil || got.ID != p.ID {
				t.Errorf("ours: got %v, %v", got, err)
			}
			if _, err := s.DB(theirs).Product.Get(theirs, p.ID); !db.IsNotFound(err) {
				t.Errorf("theirs: got %v, want not found", err)
			}
		})
		t.Run("exist", func(t *testing.T) {
			if ok, err := s.DB(theirs).Product.Query().Where(product.ID(p.ID)).Exist(theirs); ok || err != nil {
				t.Errorf("got %t, %v, want hidden", ok, err)
			}
		})
		t.Run("group", func(t *testing.T) {
			type group struct {
				Status string `sql:"status"`
				Count  int    `sql:"n"`
			}
			for who, c := range map[string]struct {
				ctx  context.Context
				want []group
			}{"ours": {ours, []group{{"active", 1}}}, "theirs": {theirs, nil}} {
				var got []group
				err := s.DB(c.ctx).Product.Query().GroupBy(product.FieldStatus).Aggregate(db.As(db.Count(), "n")).
					Scan(c.ctx, &got)
				if err != nil || !slices.Equal(got, c.want) {
					t.Errorf("%s: got %v, %v, want %v", who, got, err, c.want)
				}
				counts, err := s.DB(c.ctx).Product.Query().Aggregate(db.Count()).Ints(c.ctx)
				if err != nil || !slices.Equal(counts, []int{len(c.want)}) {
					t.Errorf("%s: counted %v, %v, want %d", who, counts, err, len(c.want))
				}
			}
		})
		t.Run("update", func(t *testing.T) {
			n, err := updateTitle(theirs, s, p.ID)
			if n != 0 || err != nil {
				t.Errorf("theirs: got %d, %v, want no row", n, err)
			}
			if n, err = updateTitle(ours, s, p.ID); n != 1 || err != nil {
				t.Errorf("ours: got %d, %v, want 1", n, err)
			}
		})
		t.Run("delete", func(t *testing.T) {
			if n, err := deleteProduct(theirs, s, p.ID); n != 0 || err != nil {
				t.Errorf("theirs: got %d, %v, want no row", n, err)
			}
			if n, err := deleteProduct(ours, s, p.ID); n != 1 || err != nil {
				t.Errorf("ours: got %d, %v, want 1", n, err)
			}
		})
		t.Run("the store itself", func(t *testing.T) {
			if got, err := s.DB(ours).Store.Query().Only(ours); err != nil || got.ID != store.ID {
				t.Errorf("got %v, %v, want only our own", got, err)
			}
			if _, err := s.DB(ours).Store.Get(ours, other.ID); !db.IsNotFound(err) {
				t.Errorf("got %v, want not found", err)
			}
		})
		denied := map[string]func(ctx context.Context, c *db.Client) error{
			"create for another store": func(ctx context.Context, c *db.Client) error {
				return newProduct(c, "stolen").SetStoreID(other.ID).Exec(ctx)
			},
			"update one": func(ctx context.Context, c *db.Client) error {
				return c.Product.UpdateOneID(p.ID).SetTitle("x").Exec(ctx)
			},
			"delete one": func(ctx context.Context, c *db.Client) error {
				return c.Product.DeleteOneID(p.ID).Exec(ctx)
			},
		}
		for name, f := range denied {
			t.Run(name, func(t *testing.T) {
				if err := s.InTx(ours, func(ctx context.Context) error { return f(ctx, s.DB(ctx)) }); !errors.Is(err,
					rule.ErrDenied) {
					t.Errorf("got %v, want denied", err)
				}
			})
		}
		t.Run("no viewer", func(t *testing.T) { noViewer(t, s, p.ID) })
	})
}

func noViewer(t *testing.T, s *ent.Store, id xid.ID) {
	err := s.InTx(t.Context(), func(ctx context.Context) error { return newProduct(s.DB(ctx), "no-viewer").Exec(ctx) })
	if !errors.Is(err, rule.ErrDenied) {
		t.Errorf("create: got %v, want denied", err)
	}
	if _, err := updateTitle(t.Context(), s, id); !errors.Is(err, rule.ErrDenied) {
		t.Errorf("update: got %v, want denied", err)
	}
	if _, err := deleteProduct(t.Context(), s, id); !errors.Is(err, rule.ErrDenied) {
		t.Errorf("delete: got %v, want denied", err)
	}
	if _, err := s.DB(t.Context()).Product.Get(t.Context(), id); !errors.Is(err, rule.ErrDenied) {
		t.Errorf("get: got %v, want denied", err)
	}
}

func updateTitle(ctx context.Context, s *ent.Store, id xid.ID) (n int, err error) {
	err = s.InTx(ctx, func(ctx context.Context) (err error) {
		n, err = s.DB(ctx).Product.Update().Where(product.ID(id)).SetTitle("Cup").AddVersion(1).Save(ctx)
		return err
	})
	return n, err
}

func deleteProduct(ctx context.Context, s *ent.Store, id xid.ID) (n int, err error) {
	err = s.InTx(ctx, func(ctx context.Context) (err error) {
		n, err = s.DB(ctx).Product.Delete().Where(product.ID(id)).Exec(ctx)
		return err
	})
	return n, err
}

// TestModifiedQueriesStayFiltered covers lists with an index hint.
func TestModifiedQueriesStayFiltered(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ours, _ := storetest.Merchant(t, s)
		theirs, _ := storetest.Merchant(t, s)
		makeProduct(t, ours, s)
		q := s.DB(theirs).Product.Query()
		q.Modify(func(sel *sql.Selector) { sel.OrderBy(sql.Desc(sel.C("id"))) })
		rows, err := q.Load(theirs)
		if len(rows) != 0 || err != nil {
			t.Errorf("got %d rows, %v, want none", len(rows), err)
		}
	})
}
