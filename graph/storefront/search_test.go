package storefront_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/storefront"
)

// TestCatalogue: the same question has the same answer on every engine.
func TestCatalogue(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		other, _ := storetest.Merchant(t, r.Store)
		published(t, graphtest.As(other, viewer.Owner), r, priced("Foreign jalapeño"))
		graphtest.NewProduct(t, ctx, r, priced("Draft jalapeño"))
		pepper := priced("Rote jalapeño-Soße")
		pepper.Vendor, pepper.ProductType, pepper.Tags = new("Ölmühle Çelik"), new("Saucen"), []string{"scharf", "ＦＵＬＬ"}
		pepperID := published(t, ctx, r, pepper)
		mugID := published(t, ctx, r, graphtest.Mug())
		c := graphtest.Must[*storefront.Catalogue](t)(r.Storefront().Catalogue(visitor(ctx)))
		for _, tc := range []struct {
			question string
			want     []xid.ID
		}{
			{"JALAPEÑO", []xid.ID{pepperID}},
			{"jalapen\u0303o", []xid.ID{pepperID}}, // with a combining tilde
			{"Jalapeno", []xid.ID{pepperID}},
			{"SOSSE", []xid.ID{pepperID}}, {"soße", []xid.ID{pepperID}},
			{"öLMÜHLE", []xid.ID{pepperID}}, {"çelik rote", []xid.ID{pepperID}}, {"SCHARF", []xid.ID{pepperID}},
			{"full", []xid.ID{pepperID}}, {"saucen", []xid.ID{pepperID}},
			{"mug", []xid.ID{mugID}}, {"potter blue", []xid.ID{mugID}}, {"  BLUE\tmug ", []xid.ID{mugID}},
			{"mug jalapeño", nil}, {"", nil}, {"   ", nil}, {"%", nil}, {"_", nil}, {"mu%g", nil},
			{"bluepotter", nil}, // across two texts
			{"e", []xid.ID{mugID, pepperID}},
		} {
			ids, count := c.Find(tc.question, 24)
			if d := cmp.Diff(tc.want, ids); d != "" || count != len(tc.want) {
				t.Errorf("%q finds %d:\n%s", tc.question, count, d)
			}
		}
		if ids, count := c.Find("e", 1); len(ids) != 1 || ids[0] != mugID || count != 2 {
			t.Errorf("bounded: %v, %d", ids, count)
		}
		if c.Size() < 100 {
			t.Errorf("size %d", c.Size())
		}
	})
}

// TestCatalogueBounds: long tags do not fill the memory.
func TestCatalogueBounds(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := priced("Long")
		for i := range 50 {
			in.Tags = append(in.Tags, strings.Repeat(string(rune('Ａ'+i%26)), 60)+string(rune('a'+i%26)))
		}
		in.Tags = slices.Compact(in.Tags)
		published(t, ctx, r, in)
		c := graphtest.Must[*storefront.Catalogue](t)(r.Storefront().Catalogue(visitor(ctx)))
		if c.Size() > storefront.MaxText+64 || !utf8.ValidString(c.FirstText()) {
			t.Errorf("%d bytes of texts", c.Size())
		}
	})
}

func TestParagraphs(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, " \n\n": nil, "One": {"One"}, "One\ntwo": {"One\ntwo"}, "One\n\ntwo": {"One", "two"},
		"\r\n One \r\n \t \r\n\r\nTwo\r\nthree\r\n": {"One", "Two\nthree"},
	} {
		if d := cmp.Diff(want, storefront.Paragraphs(text)); d != "" {
			t.Errorf("%q:\n%s", text, d)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Jalapeño", "SOẞE", "İstanbul", "ｱ", "ﬁ", "\xff", "é\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := storefront.Fold(s)
		if !utf8.ValidString(s) {
			return
		}
		if again := storefront.Fold(once); again != once {
			t.Errorf("%q folds to %q and then to %q", s, once, again)
		}
		if upper := storefront.Fold(strings.ToUpper(s)); storefront.ASCII(s) && upper != once {
			t.Errorf("%q folds to %q, in capitals to %q", s, once, upper)
		}
	})
}
