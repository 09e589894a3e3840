package importer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/listing"
	"github.com/storefront-go/storefront/ent/db/searchentry"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// TestListed: products of one chunk are in the listing index as their last row leaves them, whether
// the chunk creates them, or changes them, or fails in between.
func TestListed(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		listed := func() (titles, words string) {
			for _, l := range graphtest.Must[[]*db.Listing](t)(p.Client(p.Ctx).Listing.Query().Order(
				listing.ByTitleKey()).Load(p.Ctx)) {
				titles += l.TitleKey + ","
			}
			for _, e := range graphtest.Must[[]*db.SearchEntry](t)(p.Client(p.Ctx).SearchEntry.Query().Order(
				searchentry.ByWord()).Load(p.Ctx)) {
				words += e.Word + ","
			}
			return titles, words
		}
		for _, tc := range []struct {
			name, rows, titles, words string
			counts                    [5]int64
		}{
			{"created and changed", "a,Ant,1,EUR,,active\nb,Bee,1,EUR,,active\nc,Cat,1,EUR,,draft\na,Ape,1,EUR,,active\n" +
				"b,Bee,1,EUR,,draft\nc,Cow,1,EUR,,active\n", "ape,cow,", "ape,cow,", [5]int64{3, 3}},
			{"changed twice", "a,Auk,1,EUR,,draft\nb,Bat,1,EUR,,active\na,Asp,1,EUR,,active\nc,Cub,1,EUR,,archived\n",
				"asp,bat,", "asp,bat,", [5]int64{0, 4}},
			{"with a row that fails", "d,Doe,1,EUR,,active\ne,Eel,1,USD,,active\nb,Boa,1,EUR,,active\n",
				"asp,boa,doe,", "asp,boa,doe,", [5]int64{1, 1, 0, 1}},
		} {
			if i := run(t, p, input(head+tc.rows)); counts(i) != tc.counts {
				t.Errorf("%s: %v, %q", tc.name, counts(i), findings(t, p, i))
			}
			titles, words := listed()
			if d := cmp.Diff([]string{tc.titles, tc.words}, []string{titles, words}); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.name, d)
			}
		}
	})
}
