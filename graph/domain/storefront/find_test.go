package storefront_test

import (
	"context"
	"slices"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// find returns the titles that match a query, in alphabetical order.
func find(t testing.TB, ctx context.Context, r *graph.Resolver, question string) []string {
	t.Helper()
	list := titled(t, ctx, r, graphtest.Must[[]xid.ID](t)(reader(ctx, r).Find(visitor(ctx), listings.Parse(question))))
	slices.Sort(list)
	return list
}

// TestFind: a query has the same results on every engine, in every script, with a typo, in any case
// and with any accents.
func TestFind(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		other, _ := storetest.Merchant(t, r.Store)
		published(t, graphtest.As(other, viewer.Owner), r, productAt("Foreign brake jalapeño", 1))
		graphtest.NewProduct(t, ctx, r, productAt("Draft jalapeño", 1))
		for title, edit := range map[string]func(*model.ProductCreateInput){
			"Rote jalapeño-Soße": func(p *model.ProductCreateInput) {
				p.Vendor, p.ProductType, p.Tags = new("Ölmühle Çelik"), new("Saucen"), []string{"scharf", "ＦＵＬＬ"}
			},
			"Brake pads":  func(p *model.ProductCreateInput) { p.Sku = new("BRK-300-DISC") },
			"Break glass": nil, "Bremsbeläge vorn": nil, "Kettenschmieröl": nil,
			"自転車用ブレーキパッド": nil, "東京の緑茶": nil, "دراجة هوائية": nil, "Велосипедный насос": nil,
			"Ποδήλατο πόλης": nil, "자전거 브레이크": nil, "จักรยานเสือภูเขา": nil,
		} {
			in := productAt(title, 100)
			if edit != nil {
				edit(&in)
			}
			published(t, ctx, r, in)
		}
		published(t, ctx, r, graphtest.Shirt())
		for question, want := range map[string][]string{
			"JALAPEÑO": {"Rote jalapeño-Soße"}, "jalapen\u0303o": {"Rote jalapeño-Soße"},
			"Jalapeno": {"Rote jalapeño-Soße"}, "SOSSE": {"Rote jalapeño-Soße"}, "öLMÜHLE": {"Rote jalapeño-Soße"},
			"çelik rote": {"Rote jalapeño-Soße"}, "SCHARF": {"Rote jalapeño-Soße"}, "full": {"Rote jalapeño-Soße"},
			"jalapneo": {"Rote jalapeño-Soße"}, "saucen": {"Rote jalapeño-Soße"},
			"brake": {"Brake pads"}, "brakes": {"Brake pads"}, "braek": {"Brake pads", "Break glass"},
			"brkae pads": {"Brake pads"}, "break": {"Break glass"}, "pad": {"Brake pads"}, "brak": {"Brake pads"},
			"brk-300": {"Brake pads"}, "brk300d": {"Brake pads"}, "BRK-300-DISC": {"Brake pads"}, "300": {"Brake pads"},
			"beläge": {"Bremsbeläge vorn"}, "belage": {"Bremsbeläge vorn"}, "schmieröl": {"Kettenschmieröl"},
			"ブレーキ": {"自転車用ブレーキパッド"}, "ぶれーき": {"自転車用ブレーキパッド"}, "ﾌﾞﾚｰｷ": {"自転車用ブレーキパッド"},
			"自転車": {"自転車用ブレーキパッド"}, "プレーキ": {"自転車用ブレーキパッド"}, "緑茶": {"東京の緑茶"}, "茶": {"東京の緑茶"},
			"دراجة": {"دراجة هوائية"}, "دَرّاجه": {"دراجة هوائية"}, "هوايية": {"دراجة هوائية"},
			"НАСОС": {"Велосипедный насос"}, "велосипедныи насоз": {"Велосипедный насос"},
			"ποδηλατο": {"Ποδήλατο πόλης"}, "ΠΟΛΗΣ": {"Ποδήλατο πόλης"},
			"자전거": {"자전거 브레이크"}, "จักรยาน": {"จักรยานเสือภูเขา"},
			"shirt black": {"Shirt"}, "SHIRT-M-B": {"Shirt"},
			"brake jalapeño": {}, "": {}, "   ": {}, "%": {}, "_": {}, "zzzzzz": {}, "foreign": {},
		} {
			if d := cmp.Diff(want, find(t, ctx, r, question)); d != "" {
				t.Errorf("%q:\n%s", question, d)
			}
		}
	})
}

// TestFindReads: a search runs a fixed number of statements, and reads a bounded number of rows
// however many there are.
func TestFindReads(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		plantActive(t, ctx, r, 400)
		if err := listings.NewKeeper(r.Store).Backfill(t.Context()); err != nil {
			t.Fatal(err)
		}
		published(t, ctx, r, productAt("Rare item", 1))
		for question, most := range map[string]struct {
			rows       int64
			statements int
			found      int
		}{
			"item": {2000, 3, listings.MaxFound}, "itme": {2000, 3, listings.MaxFound}, "rare item": {1000, 3, 1},
			"item 399": {1000, 3, 1}, "absent": {40, 2, 0},
		} {
			var ids []xid.ID
			counted, n := ent.CountStatements(visitor(ctx))
			ids = graphtest.Must[[]xid.ID](t)(reader(ctx, r).Find(counted, listings.Parse(question)))
			if len(ids) != most.found || int(n.N()) > most.statements {
				t.Errorf("%q finds %d with %d statements", question, len(ids), n.N())
			}
			if r.Store.Dialect() != dialect.MySQL {
				continue
			}
			read := graphtest.Reads(t, visitor(ctx), r, func(ctx context.Context) {
				graphtest.Must[[]xid.ID](t)(reader(ctx, r).Find(ctx, listings.Parse(question)))
			})
			if read > most.rows {
				t.Errorf("%q reads %d rows, want at most %d", question, read, most.rows)
			}
		}
	})
}
