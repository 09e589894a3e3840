package intake_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/state"
)

// TestOrderFiles reads the exports of other systems.
func TestOrderFiles(t *testing.T) {
	for _, tc := range []struct {
		name string
		want []string // what the JSON of each record contains
		lack string
	}{
		{name: "shopify_orders.csv", want: []string{
			`"external_number":"#1001"`, `"external_number":"#1002"`, `"external_number":"#1003"`,
			`"included_tax_minor":797`, `"paid_minor":3570,`, `"cancelled_at":"2024-03-04T08:00:00Z"`,
			`"status":"completed"`, `"refunded_minor":500`, `"status":"cancelled"`,
			`{"discount_minor":400,"quantity":2,"sku":"MUG-BLUE","tax_minor":0,"title":"Mug - Blue",` +
				`"unit_price_minor":2000}`,
			`{"discount_minor":0,"fulfilled_quantity":3,"quantity":3,"sku":"TEA","tax_minor":570,` +
				`"title":"Tea, \"Assam\"","unit_price_minor":1000}`, `"title":"=HYPERLINK(1)"`,
			`"postal_code":"01234"`, `"payment_method":"PayPal Express"`, `"paid_minor":0`,
			`"tags":["retail","spring"]`, `"source":"shopify"`, `"total_minor":1200`,
		}},
		{name: "woocommerce_orders.csv", want: []string{
			`"external_number":"2077"`, `"external_number":"2078"`,
			`{"discount_minor":201,"quantity":3,"refunded_quantity":0,"sku":"POSTER","tax_minor":`, `"paid_minor":0`,
			`{"quantity":1,"requires_shipping":false,"tax_minor":0,"title":"Fees","unit_price_minor":100}`,
			`"placed_at":"2023-11-06T10:00:00Z"`,
			`"status":"completed"`, `"total_minor":1000`,
			`"country":"FR"`, `"payment_method":"bacs"`,
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file, err := os.ReadFile("testdata/" + tc.name)
			if err != nil {
				t.Fatal(err)
			}
			all, err := readKind(t, state.ImportOrders, string(file), 0)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range tc.want {
				r := all[i%len(all)]
				if got := string(r.JSON) + r.Problem; !strings.Contains(got, want) {
					t.Errorf("record %d, %v: %s\nlacks %s", i%len(all), r.Notes, got, want)
				}
			}
			again, err := readKind(t, state.ImportOrders, string(file), 1)
			if d := cmp.Diff(all, again); d != "" || err != nil {
				t.Errorf("resumed after each record: %v, %s", err, d)
			}
		})
	}
}

const orderHead = "Name,Financial Status,Fulfillment Status,Currency,Shipping,Taxes,Total,Discount Amount,Created at," +
	"Lineitem quantity,Lineitem name,Lineitem price,Refunded Amount,Outstanding Balance,Cancelled at,Subtotal\n"

// TestOrderSums: a reading of the file that adds up is taken. Of another file, the total is.
func TestOrderSums(t *testing.T) {
	for _, tc := range []struct{ name, rows, want string }{
		{"tax beside", "#1,paid,,EUR,1,1.90,12.90,0,2024-01-02,1,A,10,,,,\n", `"tax_minor":190`},
		{"tax within", "#1,paid,,EUR,1,1.90,11.00,0,2024-01-02,1,A,10,,,,\n", `"included_tax_minor":190`},
		{"tax of shipping alone", "#1,paid,,EUR,5,0.95,5.95,0,2024-01-02,1,Gift,0,,,,\n", `"tax_minor":95`},
		{"total", "#1,paid,,EUR,1,0,12.00,0,2024-01-02,1,A,10,,,,\n",
			"add up to 11.00, and the file says a total of 12.00"},
		{"charges", "#1,paid,,EUR,1,0,12.00,0,2024-01-02,1,A,10,,,,\n",
			`"tax_minor":0,"title":"Other charges","unit_price_minor":100`},
		{"reduction", "#1,paid,,EUR,1,0,9.00,0,2024-01-02,1,A,10,,,,\n", `"discount_minor":200`},
		{"less than the shipping", "#1,paid,,EUR,9,0,8,0,2024-01-02,1,A,10,,,,\n", "is below the shipping"},
		{"subtotal", "#1,paid,,EUR,1,0,11.00,0,2024-01-02,1,A,10,,,,9\n",
			"add up to 10.00, and the file says a subtotal of 9.00"},
		{"discount above", "#1,paid,,EUR,0,0,0,50,2024-01-02,1,A,10,,,,\n", "add up to -40.00"},
		{"negative quantity", "#1,paid,,EUR,0,0,10,0,2024-01-02,-1,A,10,,,,\n", "quantity from 1"},
		{"negative price", "#1,paid,,EUR,0,0,10,0,2024-01-02,1,A,-10,,,,\n", "is not an amount"},
		{"huge", "#1,paid,,EUR,0,0,10,0,2024-01-02,1000000,A,90071992547409.91,,,,\n", "too large"},
		{"removed line", "#1,,,EUR,0,0,10,0,2024-01-02,1,A,10,,,,\n#1,,,,,,,,,0,B,10,,,,\n", `"total_minor":1000`},
		{"partly paid", "#1,partially_paid,,EUR,0,0,10,0,2024-01-02,1,A,10,,4,,\n", `"paid_minor":600`},
		{"how much", "#1,partially_paid,,EUR,0,0,10,0,2024-01-02,1,A,10,,,,\n", "how much is outstanding"},
		{"status", "#1,promised,,EUR,0,0,10,0,2024-01-02,1,A,10,,,,\n", `"promised" is unknown`},
		{"shipment", "#1,paid,lost,EUR,0,0,10,0,2024-01-02,1,A,10,,,,\n", `"lost" is unknown`},
		{"time", "#1,paid,,EUR,0,0,10,0,yesterday,1,A,10,,,,\n", "is not a time"},
		{"refund", "#1,refunded,restocked,EUR,0,0,10,0,2024-01-02,1,A,10,,,,\n", `"refunded_minor":1000`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all, err := readKind(t, state.ImportOrders, orderHead+tc.rows, 0)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d records, %v", len(all), err)
			}
			got := string(all[0].JSON) + all[0].Problem + strings.Join(all[0].Notes, "")
			if !strings.Contains(got, tc.want) {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// TestOrderSpread: the parts of the lines add up to the sums of the order, whatever they are.
func TestOrderSpread(t *testing.T) {
	var o struct {
		LineItems []struct {
			Quantity, UnitPriceMinor, DiscountMinor, TaxMinor int64
		}
	}
	for _, rows := range []string{
		"#1,paid,,EUR,0,0.01,9.98,0.02,2024-01-02,1,A,3.33,,,,\n#1,,,,,,,,,2,B,3.33,,,,\n",
		"#1,paid,,EUR,4.90,1,5.90,9.99,2024-01-02,3,A,3.33,,,,\n",
	} {
		all, err := readKind(t, state.ImportOrders, orderHead+rows, 0)
		if err != nil || len(all) != 1 || all[0].JSON == nil {
			t.Fatalf("%v, %v", all, err)
		}
		text := strings.NewReplacer("_", "").Replace(string(all[0].JSON))
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		var goods, off, tax int64
		for _, l := range o.LineItems {
			goods, off, tax = goods+l.Quantity*l.UnitPriceMinor, off+l.DiscountMinor, tax+l.TaxMinor
		}
		if goods != 999 || off != 2 && off != 999 || tax != 1 && tax != 100 {
			t.Errorf("%d, %d, %d: %s", goods, off, tax, text)
		}
	}
}
