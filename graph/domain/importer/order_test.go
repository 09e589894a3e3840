package importer_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// orderInput returns an input for an import of orders.
func orderInput(file string) model.ImportStartInput {
	in := input(file)
	in.Kind = state.ImportOrders
	return in
}

// orderBy returns an order by its external number, as an export has it.
func orderBy(t testing.TB, p *graphtest.Shop, number string) (*db.Order, string) {
	t.Helper()
	query := p.Client(p.Ctx).Order.Query().Where(order.ExternalNumber(number))
	row := graphtest.Must[*db.Order](t)(core.Only(query.Load(p.Ctx)))
	return row, encoded(t, p, row)
}

func encoded(t testing.TB, p *graphtest.Shop, row *db.Order) string {
	t.Helper()
	o := graphtest.Must[*model.Order](t)(p.Query().Order(p.Ctx, row.PublicID()))
	line := func(i int) *db.OrderLine { return o.Lines[i].OrderLine }
	return string(wire.AppendOrder(nil, o.Order, len(o.Lines), line))
}

// foreign matches the members of an order that belong to one store.
var foreign = regexp.MustCompile(`"(id|customer_id|product_id|variant_id|line_item_id|number|external_number|version|` +
	`notes_count|updated_at)":("[^"]*"|\d+|null),?`)

func testdata(t testing.TB, name string) string {
	t.Helper()
	return string(graphtest.Must[[]byte](t)(os.ReadFile("../../lib/intake/testdata/" + name)))
}

// TestOrders: an imported order keeps its history, and nothing else happens.
func TestOrders(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		mug := graphtest.Mug()
		mug.Sku, mug.InventoryQuantity = new("MUG-BLUE"), new(int64(7))
		sold := graphtest.NewProduct(t, p.Ctx, p.Resolver, mug)
		ada := graphtest.Ada()
		ada.Email = new("Ada@example.com")
		customer := graphtest.NewCustomer(t, p.Ctx, p.Resolver, ada)
		file := testdata(t, "shopify_orders.csv")
		i := run(t, p, orderInput(file))
		if counts(i) != [5]int64{3, 0, 0, 0, 1} { // some columns are not imported
			t.Fatalf("%v, %q", counts(i), findings(t, p, i))
		}
		row, text := orderBy(t, p, "#1001")
		for _, want := range []string{`"status":"completed","financial_status":"paid","fulfillment_status":"fulfilled"`,
			`"total_minor":4990,"paid_minor":4990,"refunded_minor":0`, `"customer_id":"` + customer.PublicID(),
			`"placed_at":"2024-03-01T08:14:58`, `"paid_at":"2024-03-01T08:15:10`, `"fulfilled_at":"2024-03-02T10:00:00`,
			`"product_id":"` + sold.PublicID(), `"included_tax_minor":797`, `"source":"shopify"`, `"notes_count":1`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s\nlacks %s", text, want)
			}
		}
		types := graphtest.EventTypes(t, p.Ctx, p.Resolver, row.ID, 1)
		if d := cmp.Diff([]string{"order.created"}, types); d != "" {
			t.Error(d)
		}
		ledger := graphtest.Must[[]*db.Payment](t)(p.Client(p.Ctx).Payment.Query().Load(p.Ctx))
		var sums []string
		for _, l := range ledger {
			sums = append(sums, fmt.Sprintf("%s %d %s on %d", l.Kind, l.AmountMinor, core.Deref(l.Method),
				l.ID.Time().Time().Day()))
		}
		want := "[payment 4990 Shopify Payments on 1 payment 3570 PayPal Express on 3 refund 500  on 3]"
		if fmt.Sprint(sums) != want {
			t.Errorf("got %v, want %s", sums, want)
		}
		kept := graphtest.Must[*db.Product](t)(p.ProductRow(p.Ctx, sold.ID))
		c := graphtest.ReadCustomer(t, p.Ctx, p.Resolver, customer.ID)
		if *kept.InventoryQuantity != 7 || c.OrdersCount != 1 || c.TotalSpentMinor != 4990 {
			t.Errorf("stock %d, %d orders, spent %d", *kept.InventoryQuantity, c.OrdersCount, c.TotalSpentMinor)
		}
		emails := graphtest.Must[int](t)(p.Client(p.Ctx).Mail.Query().Count(p.Ctx))
		holds := graphtest.Must[int](t)(p.Client(p.Ctx).PaymentHold.Query().Count(p.Ctx))
		papers := graphtest.Must[int](t)(p.Client(p.Ctx).Invoice.Query().Count(p.Ctx))
		if emails+holds+papers != 0 {
			t.Errorf("%d emails, %d holds, %d invoices", emails, holds, papers)
		}
		woo := run(t, p, orderInput(testdata(t, "woocommerce_orders.csv")))
		if _, text := orderBy(t, p, "2077"); counts(woo) != [5]int64{2, 0, 0, 0, 1} || // a rounded price
			!strings.Contains(text, `"tax_minor":665,"total_minor":4265,"paid_minor":4265`) {
			t.Errorf("%v, %q: %s", counts(woo), findings(t, p, woo), text)
		}
		if again := run(t, p, orderInput(file)); counts(again) != [5]int64{0, 0, 3, 0, 1} {
			t.Errorf("again: %v, %q", counts(again), findings(t, p, again))
		}
		changed := run(t, p, orderInput(strings.ReplaceAll(file, "12.00", "13.00")))
		if got := findings(t, p, changed); counts(changed) != [5]int64{0, 0, 2, 1, 1} ||
			!strings.Contains(got[1], "The store has this order, and the row differs in line_items.") {
			t.Errorf("changed: %v, %q", counts(changed), got)
		}
	})
}

// TestOrdersRoundTrip: an export that is imported into an empty store is exported with the same orders.
func TestOrdersRoundTrip(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		run(t, p, orderInput(testdata(t, "shopify_orders.csv")))
		if i := run(t, p, orderInput(full)); counts(i) != [5]int64{1} {
			t.Fatalf("%v, %q", counts(i), findings(t, p, i))
		}
		open := graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("Repair", 2, 500))
		file, want := exportedOrders(t, p)
		other := p.Other(t)
		i := run(t, other, orderInput(file))
		if counts(i) != [5]int64{5} {
			t.Fatalf("%v, %q", counts(i), findings(t, other, i))
		}
		if _, got := exportedOrders(t, other); got != want {
			t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
		}
		if again := run(t, other, orderInput(file)); counts(again) != [5]int64{0, 0, 5} {
			t.Errorf("again: %v, %q", counts(again), findings(t, other, again))
		}
		if self := run(t, p, orderInput(file)); counts(self) != [5]int64{0, 0, 5} {
			t.Errorf("into its own store: %v, %q", counts(self), findings(t, p, self))
		}
		_ = graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderMarkPaid(p.Ctx, open.PublicID(), 1, nil, nil))
		if later := run(t, p, orderInput(file)); counts(later) != [5]int64{0, 0, 5} {
			t.Errorf("a file that is older than the order: %v, %q", counts(later), findings(t, p, later))
		}
		newer, _ := exportedOrders(t, p)
		if later := run(t, other, orderInput(newer)); counts(later) != [5]int64{0, 0, 4, 1} ||
			!strings.Contains(findings(t, other, later)[0], "differs in paid_minor.") {
			t.Errorf("a file that is newer than the order: %v, %q", counts(later), findings(t, other, later))
		}
	})
}

// full is an order with all that an export has of one, as one line.
var full = strings.ReplaceAll(`{"id":"ord_01jgn7hq3zd5va9k4m8p2r6t0w","number":7,"status":"open",
"financial_status":"partially_refunded","fulfillment_status":"partially_fulfilled","currency":"EUR",
"subtotal_minor":3000,"discount_minor":300,"shipping_minor":490,"tax_minor":600,"total_minor":3790,"paid_minor":3790,
"refunded_minor":1100,"customer_id":null,"email":"eve@example.com","billing_address":{"name":"Eve","company":null,
"line1":"1 \"Quay\"","line2":null,"city":"Cork","region":"C","postal_code":"T12","country":"IE","phone":"+353 1"},
"shipping_address":null,"line_items":[{"id":"oli_01jgn7m0r5g7vc9r3y6a8b0def","product_id":null,"title":"=Shirt",
"sku":"'S-1","quantity":2,"fulfilled_quantity":1,"refunded_quantity":0,"unit_price_minor":1000,"discount_minor":200,
"tax_minor":400,"total_minor":2200,"variant_id":null,"options":["White","M"],"requires_shipping":true},
{"id":"oli_01jgn7m0r5g7vc9r3y6a8b0deg","product_id":null,"title":"E-book","sku":null,"quantity":1,
"fulfilled_quantity":0,"refunded_quantity":1,"unit_price_minor":1000,"discount_minor":100,"tax_minor":200,
"total_minor":1100,"variant_id":null,"options":[],"requires_shipping":false}],"notes_count":3,"tags":["a, b","'c"],
"source":"storefront","placed_at":"2024-05-06T07:08:09.123456Z","paid_at":"2024-05-06T07:09:00.000000Z",
"fulfilled_at":null,"cancelled_at":null,"completed_at":null,"version":9,"created_at":"2024-05-06T07:08:09.123456Z",
"updated_at":"2024-06-06T07:08:09.000000Z","included_tax_minor":null,"discount_code":"TEN","shipping_method":"Post",
"payment_method":"bank_transfer","external_number":null,"taxes":[{"name":"VAT","rate":"20","included":false,
"base_minor":3000,"amount_minor":600,"lines":[
{"line_item_id":"oli_01jgn7m0r5g7vc9r3y6a8b0def","base_minor":1800,"amount_minor":400},
{"line_item_id":null,"base_minor":1200,"amount_minor":200}]}],"vat_id":"IE6388047V","tax_relief":null,
"custom_fields":{}}`, "\n", "") + "\n"

// TestOrdersTable: the same is true of the CSV file that the export of orders writes.
func TestOrdersTable(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		run(t, p, orderInput(testdata(t, "shopify_orders.csv")))
		run(t, p, orderInput(full))
		graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("Repair", 2, 500))
		file, other := table(t, p), p.Other(t)
		i := run(t, other, orderInput(file))
		if counts(i) != [5]int64{5} {
			t.Fatalf("%v, %q\n%s", counts(i), findings(t, other, i), file)
		}
		if d := cmp.Diff(kept(t, file), kept(t, table(t, other))); d != "" {
			t.Error(d)
		}
		if self := run(t, p, orderInput(file)); counts(self) != [5]int64{0, 0, 5} {
			t.Errorf("into its own store: %v, %q", counts(self), findings(t, p, self))
		}
	})
}

// table returns the CSV file of an export of the orders of a store.
func table(t testing.TB, p *graphtest.Shop) string {
	t.Helper()
	return tableOf(t, p, state.ExportOrders)
}

// tableOf returns the CSV file of an export of a store.
func tableOf(t testing.TB, p *graphtest.Shop, kind state.ExportKind) string {
	t.Helper()
	blobs := graphtest.Must[*blob.Store](t)(blob.Open(t.Context(), "", t.TempDir()))
	e := graphtest.Must[*export.Engine](t)(export.New(export.Config{Store: p.Resolver.Store, Blobs: blobs,
		StoreOrigin: func(string) string { return "https://shop.example" }}))
	in := graphtest.ExportOf(kind)
	in.Format = state.ExportCSV
	job := graphtest.Must[*model.ExportPayload](t)(p.Mutation().ExportStart(p.Ctx, in)).Export
	committed, stop := p.Resolver.Store.Listen()
	defer stop()
	e.Start(t.Context())
	defer e.Stop(t.Context())
	for job.Status != state.ExportCompleted {
		<-committed
		job = graphtest.Must[*model.Export](t)(p.Query().Export(p.Ctx, job.PublicID()))
	}
	f := graphtest.Must[*export.File](t)(e.Open(t.Context(), job.StoreID, job.ID))
	defer f.Close()
	return string(graphtest.Must[[]byte](t)(io.ReadAll(f)))
}

// kept returns the rows of a table without what belongs to one store.
func kept(t testing.TB, file string) [][]string {
	t.Helper()
	rows := graphtest.Must[[][]string](t)(csv.NewReader(strings.NewReader(file)).ReadAll())
	for i, name := range rows[0] {
		for _, row := range rows[1:] {
			if name == "taxes" {
				row[i] = foreign.ReplaceAllString(row[i], "")
			}
			if foreign.MatchString(`"`+strings.TrimPrefix(name, "order_")+`":1`) ||
				strings.HasPrefix(name, "line_item_") && strings.HasSuffix(name, "id") {
				row[i] = ""
			}
		}
	}
	return rows
}

// exportedOrders returns the orders of a store, oldest first, and without what belongs to the store.
func exportedOrders(t testing.TB, p *graphtest.Shop) (file, kept string) {
	t.Helper()
	for _, row := range graphtest.Must[[]*db.Order](t)(p.Client(p.Ctx).Order.Query().Order(order.ByID()).Load(p.Ctx)) {
		file += encoded(t, p, row) + "\n"
	}
	return file, foreign.ReplaceAllString(file, "")
}

// TestOrdersRefused: hostile rows fail with their reason, and take no other row with them.
func TestOrdersRefused(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		row := func(members string) string {
			return `{"external_number":"X","placed_at":"2024-01-02T03:04:05Z","line_items":[{"title":"A","quantity":2,` +
				`"unit_price_minor":500}],` + members + "}\n"
		}
		unknown := `"id":"ord_01jgn7hq3zd5va9k4m8p2r6t0w"`
		var many bytes.Buffer
		for range 10_000 {
			many.WriteString(`{"title":"A","quantity":1,"unit_price_minor":1},`)
		}
		for _, tc := range []struct{ row, want string }{
			{row(`"placed_at2":1`), "placed_at2"},
			{strings.Replace(row(unknown), "2024", "9999", 1), "placed_at: The time is in the future."},
			{strings.Replace(row(unknown), "2024", "1969", 1), "placed_at: Must be a time of the years 1970 to 9999."},
			{strings.Replace(row(unknown), `"quantity":2`, `"quantity":-2`, 1), "line_items/0/quantity: "},
			{strings.Replace(row(unknown), `[{`, "["+many.String()+"{", 1),
				"line_items: An order can have at most 100 lines."},
			{strings.Replace(row(unknown), `"external_number":"X",`, "", 1), "external_number: "},
			{row(`"paid_at":"2023-01-02T03:04:05Z"`), "paid_at: The time is before placed_at."},
			{row(`"currency":"USD"`), "The store sells in EUR, but the order is in USD."},
			{row(`"total_minor":900`),
				"total_minor: The parts of the order add up to €10.00, and the file says €9.00."},
			{row(`"paid_minor":2000`), "paid_minor: The payment exceeds the total."},
			{row(`"paid_minor":500,"refunded_minor":501`), "refunded_minor: The refund exceeds the payment."},
			{row(`"paid_minor":500,"financial_status":"paid"`), "financial_status: The order is partially paid"},
			{row(`"status":"lost"`), "status: The order is open"},
			{row(`"status":"cancelled","fulfillment_status":"fulfilled"`), "cannot be cancelled"},
			{row(`"email":"nobody"`), "email: "},
			{row(`"source":"The Shop"`), "source: "},
			{row(`"tax_relief":"none"`), "tax_relief: "},
			{row(`"taxes":[{"name":"VAT","rate":"19","included":false,"base_minor":1,"amount_minor":1,"lines":[]}]`),
				"taxes: The parts of the order add up to €0.00, and the file says €0.01."},
			{strings.Replace(row(unknown), `"unit_price_minor":500`, `"unit_price_minor":500,"discount_minor":1001`, 1),
				"line_items/0/discount_minor: "},
			{strings.Replace(row(unknown), `"unit_price_minor":500`, `"unit_price_minor":500,"fulfilled_quantity":3`, 1),
				"line_items/0/fulfilled_quantity: "},
		} {
			i := run(t, p, orderInput(tc.row+row(`"note":"kept"`)))
			got := findings(t, p, i)
			if i.FailedCount != 1 || i.CreatedCount+i.UnchangedCount != 1 || len(got) == 0 ||
				!strings.Contains(got[0], tc.want) {
				t.Errorf("%v, %q, want %q", counts(i), got, tc.want)
			}
		}
		o, _ := orderBy(t, p, "X")
		key := graphtest.AsKey(p.Ctx, scope.ImportsWrite, scope.OrdersWrite, scope.CustomersWrite)
		_, err := p.Mutation().ImportStart(key, orderInput(row(unknown)))
		if graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("without sales.write: %v", err)
		}
		twice := graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderCreate(p.Ctx, model.OrderCreateInput{
			Source: "api", ExternalNumber: o.ExternalNumber, Lines: []*model.OrderLineInput{
				graphtest.CustomLine("A", 1, 1)}}))
		i := run(t, p, orderInput(row(`"shipping_minor":0`)))
		if got := findings(t, p, i); twice == nil || len(got) != 1 || !strings.Contains(got[0], "Several orders") {
			t.Errorf("two orders of one number: %v, %q", counts(i), got)
		}
		other := p.Other(t)
		foreign := run(t, other, orderInput(strings.Replace(row(`"id":"`+o.PublicID()+`"`), `"X"`, `"Y"`, 1)))
		if counts(foreign) != [5]int64{1} {
			t.Errorf("the id of another store: %v, %q", counts(foreign), findings(t, other, foreign))
		}
	})
}

// TestOrdersKilled: an import that is killed at each chunk creates every order once.
func TestOrdersKilled(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const rows = 230
		var file strings.Builder
		file.WriteString("external_number,placed_at,line_item_title,line_item_quantity,line_item_unit_price,total\n")
		for n := range rows {
			fmt.Fprintf(&file, "N%d,2024-01-02 03:04:05,A,1,2.00,2.00\nN%d,,B,2,1.00,\n", n, n)
		}
		bad := strings.ReplaceAll(file.String(), ",2.00,2.00\n", ",2.00,4.00\n")
		i := killed(t, p, orderInput(bad))
		n := graphtest.Must[int](t)(p.Client(p.Ctx).Order.Query().Count(p.Ctx))
		if counts(i) != [5]int64{rows} || n != rows {
			t.Errorf("%v, %d orders, %q", counts(i), n, findings(t, p, i))
		}
	})
}
