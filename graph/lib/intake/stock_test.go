package intake_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
)

func TestStock(t *testing.T) {
	const shopify = "Handle,Title,Option1 Name,Option1 Value,SKU,Location,Available (not editable)," +
		"Committed (not editable),Unavailable (not editable),On hand (current),On hand (new)\n"
	for _, tc := range []struct{ name, file, want string }{
		{"own", "sku;quantity;reason\n'01;3.0;Count\n", `{"quantity":3,"reason":"Count","sku":"01"}`},
		{"delta", "variant_id,sku,delta,reference\nvar_1,x,-2,D1\n", `{"delta":-2,"reference":"D1","variant_id":"var_1"}`},
		{"foreign", "Article number\tStock\nA\t7\n", `{"quantity":7,"sku":"A"}`},
		{"shopify", shopify + "mug,Mug,Size,S,A,Main,5,1,0,6,\n", `{"quantity":5,"sku":"A"}`},
		{"on hand", shopify + "mug,Mug,Size,S,A,Main,5,1,2,6,9\n", `{"quantity":6,"sku":"A"}`},
		{"locations", shopify + "mug,Mug,Size,S,A,Main,5,,,,\nmug,Mug,Size,S,A,Attic,2,,,,\n" +
			"mug,Mug,Size,S,A,Cellar,not stocked,,,,\n", `{"quantity":7,"sku":"A"} The stock of 2 locations is added.`},
		{"oversold", shopify + "mug,Mug,Size,S,A,Main,-5,,,,\n", `{"quantity":0,"sku":"A"} 5 units too few: its stock is 0.`},
		{"no SKU", shopify + "mug,Mug,Size,S,,Main,5,,,,\n", "The row has no SKU"},
		{"nowhere", shopify + "mug,Mug,Size,S,A,Main,not stocked,,,,\n", "The row has no quantity"},
		{"word", "sku,quantity\nA,many\n", `Line 2: the quantity "many" is not an integer.`},
		{"huge", "sku,quantity\nA,99999999999999999999\n", "is not an integer."},
		{"empty", "sku,quantity\nA,\n", "no quantity and no delta"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all, err := readKind(t, state.ImportInventory, tc.file, 0)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d records, %v", len(all), err)
			}
			got := strings.TrimSpace(string(all[0].JSON) + all[0].Problem + " " + strings.Join(all[0].Notes, " "))
			if !strings.Contains(got, tc.want) {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
