package shopify_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The columns of the exports, in their order.
var (
	productHead = strings.Split("Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,"+
		"Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,"+
		"Variant Price,Variant Compare At Price,Image Src,Image Position,Gift Card,Status", ",")
	customerHead = strings.Split("Customer ID,First Name,Last Name,Email,Accepts Email Marketing,"+
		"Default Address Company,Default Address Address1,Default Address City,Default Address Country Code,"+
		"Default Address Zip,Phone,Note,Tags", ",")
	orderHead = strings.Split("Name,Email,Financial Status,Fulfillment Status,Currency,Subtotal,Shipping,Taxes,Total,"+
		"Discount Amount,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,"+
		"Lineitem fulfillment status,Shipping Name,Shipping Street,Shipping Address1,Shipping City,Shipping Zip,"+
		"Shipping Country,Notes,Cancelled at,Payment Method,Refunded Amount,Id,Outstanding Balance", ",")
)

// cells are the values of a row by column.
type cells map[string]string

// with returns a row with other values.
func (c cells) with(pairs ...string) cells {
	next := cells{}
	maps.Copy(next, c)
	for i := 0; i < len(pairs); i += 2 {
		next[pairs[i]] = pairs[i+1]
	}
	return next
}

// write writes an export as Shopify and spreadsheets do: with a BOM, CRLF, blank lines, and raw
// lines if given.
func write(t testing.TB, path string, head []string, rows []cells, raw ...string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("\ufeff")
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	line := func(list []string) {
		if err := w.Write(list); err != nil {
			t.Fatal(err)
		}
	}
	line(head)
	for i, row := range rows {
		list := make([]string, len(head))
		for n, column := range head {
			list[n] = row[column]
		}
		if line(list); i%50 == 49 {
			w.Flush()
			b.WriteString("\r\n" + strings.Repeat(",", len(head)-1) + "\r\n")
		}
	}
	w.Flush()
	for _, r := range raw {
		b.WriteString(r + "\r\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// exports writes the exports of a shop with n products, n customers and 2n valid orders, and one of
// each fault that such files have.
func exports(t testing.TB, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "products_export_1.csv"), productHead, products(n),
		"short,row", `latin,Caf`+"\xe9"+strings.Repeat(",", len(productHead)-2), `bad,"quote" here,x`)
	write(t, filepath.Join(dir, "customers_export.csv"), customerHead, customers(n))
	write(t, filepath.Join(dir, "orders_export_1.csv"), orderHead, orders(n))
	write(t, filepath.Join(dir, "orders_export_2.csv"), orderHead, faultyOrders())
	return dir
}

func products(n int) (list []cells) {
	plain := cells{"Vendor": "Kestrel", "Type": "Mugs", "Tags": "new, sale, new", "Published": "true",
		"Option1 Name": "Title", "Option1 Value": "Default Title", "Variant Price": "12.50", "Status": "active",
		"Variant Grams": "250.0", "Body (HTML)": "<p>First,\nthen</p><ul><li>one</li><li>two</li></ul>"}
	for i := range n {
		p := plain.with("Handle", fmt.Sprintf("mug-%d", i), "Title", fmt.Sprintf("Mug \"%d\"", i), "Image Src",
			fmt.Sprintf("https://cdn.example/%d.jpg?v=1", i), "Image Position", "1",
			"Variant SKU", fmt.Sprintf("MUG-%d", i))
		switch i % 4 {
		case 1: // options, a row for each, and only an image
			p = p.with("Option1 Name", "Size", "Option1 Value", "S", "Variant Inventory Tracker", "shopify",
				"Variant Inventory Qty", "7", "Variant Inventory Policy", "deny", "Variant Compare At Price", "15.00")
			list = append(list, p, cells{"Handle": p["Handle"], "Option1 Value": "M", "Variant Price": "13.00",
				"Variant Inventory Tracker": "shopify", "Variant Inventory Qty": "-2",
				"Variant Inventory Policy": "deny"},
				cells{"Handle": p["Handle"], "Image Src": "https://cdn.example/other.jpg", "Image Position": "2"})
			continue
		case 2:
			p = p.with("Status", "draft")
		case 3:
			p = p.with("Status", "archived")
		}
		list = append(list, p)
	}
	named := func(handle string, pairs ...string) cells {
		return plain.with("Handle", handle, "Title", "Faulty").with(pairs...)
	}
	return append(list,
		named("comma", "Variant Price", "12,50"), named("thousand", "Variant Price", "1,250.00"),
		named("fraction", "Variant Price", "1.255"), named("no-title", "Title", " "),
		named("long", "Title", strings.Repeat("x", 300)), named("gift", "Gift Card", "true"),
		named("hidden", "Status", "hidden"), named("mug-0"), named("free", "Variant Price", ""),
		named("twins"), named("twins", "Title", ""), named("many-tags", "Tags", tags(60)),
		named("Größe"),                                // imported with a generated handle
		named("", "Title", "Nameless"), named("last"), // a row after it cannot be read
	)
}

func tags(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("tag%d", i)
	}
	return strings.Join(list, ",")
}

func customers(n int) (list []cells) {
	for i := range n {
		list = append(list, cells{"Customer ID": fmt.Sprintf("'%d", 7000+i), "First Name": "Ana", "Last Name": "Pérez",
			"Email": fmt.Sprintf("Ana.%d@mail.example", i), "Accepts Email Marketing": []string{"yes", "no"}[i%2],
			"Default Address Address1": "Calle 1", "Default Address City": "Sevilla",
			"Default Address Country Code": "ES",
			"Default Address Zip":          "'01234",
			"Phone":                        "'+34 600 000 000", "Note": "likes\nmugs", "Tags": "vip"})
	}
	return append(list,
		cells{"Customer ID": "1", "Email": "ana.0@mail.example"}, cells{"First Name": "Nobody"},
		cells{"Customer ID": "2", "Email": "not an address"}, cells{"Customer ID": "'7000", "First Name": "Again"},
		cells{"Customer ID": "3", "Note": strings.Repeat("n", 5001)},
		cells{"Customer ID": "4", "First Name": "Half", "Default Address Address1": "Calle 2"}, // without an address
	)
}

// whole is an order of 2 mugs and a spoon: 25.00 + 3.00 - 2.80 + 4.90 + 4.79.
func whole(name string, pairs ...string) []cells {
	first := cells{"Name": name, "Email": "ana.0@mail.example", "Financial Status": "paid",
		"Fulfillment Status": "fulfilled", "Currency": "EUR", "Subtotal": "25.20", "Shipping": "4.90", "Taxes": "4.79",
		"Total": "34.89", "Discount Amount": "2.80", "Created at": "2024-01-31 17:05:09 +0100",
		"Lineitem quantity": "2", "Lineitem name": "Mug", "Lineitem price": "12.50", "Lineitem sku": "MUG-1",
		"Lineitem fulfillment status": "fulfilled",
		"Shipping Name":               "Ana", "Shipping Address1": "Calle 1", "Shipping City": "Sevilla",
		"Shipping Zip":     "'01234",
		"Shipping Country": "ES", "Payment Method": "card", "Id": "id-" + name}
	return []cells{first.with(pairs...), {"Name": name, "Lineitem quantity": "1", "Lineitem name": "Spoon",
		"Lineitem price": "3.00", "Lineitem fulfillment status": "pending"}}
}

func orders(n int) (list []cells) {
	ways := [][]string{
		nil,
		{"Financial Status", "pending", "Fulfillment Status", ""},
		{"Financial Status", "partially_refunded", "Refunded Amount", "5.00"},
		{"Financial Status", "refunded", "Fulfillment Status", "restocked",
			"Cancelled at", "2024-02-01 09:00:00 +0100"},
		{"Financial Status", "voided", "Fulfillment Status", ""},
		{"Fulfillment Status", "partial", "Notes", "call first\nthen send"},
		{"Financial Status", "partially_paid", "Outstanding Balance", "4.89", "Fulfillment Status", ""},
		{"Taxes", "4.02", "Total", "30.10"}, // in the prices
	}
	for i := range 2 * n {
		list = append(list, whole(fmt.Sprintf("#%d", 1001+i), ways[i%len(ways)]...)...)
	}
	return list
}

func faultyOrders() (list []cells) {
	for i, pairs := range [][]string{
		{"Currency", "USD"}, {"Total", "99.00"}, {"Financial Status", "promised"}, {"Fulfillment Status", "lost"},
		{"Created at", ""}, {"Created at", "yesterday"}, {"Lineitem quantity", "0"}, {"Lineitem name", ""},
		{"Total", "a lot"}, {"Id", "id-#1001"}, {"Financial Status", "partially_paid"},
		{"Notes", strings.Repeat("n", 5001)},
		{"Created at", "2999-01-01 00:00:00 +0000"}, {"Email", "nobody at all"},
	} {
		list = append(list, whole(fmt.Sprintf("#F%d", i), pairs...)...)
	}
	return list
}
