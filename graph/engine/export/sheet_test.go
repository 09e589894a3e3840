package export

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/lib/csvcell"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// inLanguage makes a job one for spreadsheets.
func inLanguage(l state.Language, zone string) func(*db.ExportCreate) {
	return func(row *db.ExportCreate) { row.SetLanguage(l).SetTimezone(zone) }
}

// TestSheet reads the files of every kind as a spreadsheet does. The byte order mark is there once,
// however many parts there are.
func TestSheet(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 1150)
		b.products(ctx, 20)
		b.customers(ctx, 20)
		b.start(b.Engine)
		for kind, want := range map[state.ExportKind]string{
			state.ExportOrders: "Bestellung", state.ExportProducts: "Titel", state.ExportCustomers: "Name"} {
			id := b.ask(ctx, kind, state.ExportSpreadsheet, state.ExportPlain, inLanguage(state.German, "Asia/Kolkata"))
			row := b.wait(ctx, id, state.ExportCompleted)
			file := b.file(ctx, id)
			if kind == state.ExportOrders && row.Parts < 3 || bytes.Count(file, []byte(byteOrderMark)) != 1 {
				t.Errorf("%s: %d parts, %d marks", kind, row.Parts, bytes.Count(file, []byte(byteOrderMark)))
			}
			body, marked := bytes.CutPrefix(file, []byte(byteOrderMark))
			r := csv.NewReader(bytes.NewReader(body))
			r.Comma = ';'
			rows, err := r.ReadAll()
			if err != nil || !marked || rows[0][0] != want || int64(len(rows)) != row.RowsDone+1 {
				t.Fatalf("%s: %v, %d rows, %.60q", kind, err, len(rows), file)
			}
			for _, row := range rows[1:] {
				for _, cell := range row {
					if csvcell.Formula(cell) && !strings.HasPrefix(cell, "'") {
						t.Errorf("%s: %q runs", kind, cell)
					}
				}
			}
			if kind == state.ExportOrders {
				compareSheet(t, rows)
			}
			if !strings.HasSuffix(FileName(row), ".csv") || contentType(row) != "text/csv; charset=utf-8" {
				t.Errorf("%s of %s", FileName(row), contentType(row))
			}
		}
	})
}

// compareSheet checks the amounts and the times of orders.
func compareSheet(t *testing.T, rows [][]string) {
	t.Helper()
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	last := rows[len(rows)-1]
	got := []string{last[at["Bestellung"]], last[at[phrase.In(state.German).Say(phrase.Total)]], last[at["Währung"]]}
	if diff := cmp.Diff([]string{"2150", "11,49", "EUR"}, got); diff != "" {
		t.Errorf("the last order (-want +got):\n%s", diff)
	}
	if _, ok := at["Externe Nummer"]; !ok {
		t.Errorf("the number in another system is not among %q", rows[0])
	}
	zone := time.FixedZone("IST", 5*3600+1800)
	shown, err := time.ParseInLocation(sheetTime, last[at["Bestellt am"]], zone)
	if err != nil || time.Since(shown) > time.Hour || time.Until(shown) > 0 {
		t.Errorf("placed at %s, %v", last[at["Bestellt am"]], err)
	}
}

// Amounts have the digits of their currency and the decimal point of the language.
func TestSheetMoney(t *testing.T) {
	for _, tc := range []struct {
		language state.Language
		minor    int64
		currency string
		want     string
	}{
		{state.English, 1234567, "EUR", "12345.67,"}, {state.English, 5, "EUR", "0.05,"},
		{state.English, -5, "EUR", "-0.05,"},
		{state.English, 0, "KWD", "0.000,"}, {state.Japanese, 1200, "JPY", "1200,"}, {state.German, 99, "EUR", "0,99;"},
	} {
		s, err := newRow(&db.Export{Format: state.ExportSpreadsheet, Language: &tc.language, Timezone: new("UTC")})
		if err != nil {
			t.Fatal(err)
		}
		if s.money(tc.minor, tc.currency); string(s.b) != tc.want {
			t.Errorf("%d %s: %q, want %q", tc.minor, tc.currency, s.b, tc.want)
		}
	}
}

// The taxes of an order are one text, or none.
func TestSheetTaxes(t *testing.T) {
	s, err := newRow(&db.Export{Format: state.ExportSpreadsheet, Language: new(state.German), Timezone: new("UTC")})
	if err != nil {
		t.Fatal(err)
	}
	o := &db.Order{Currency: "CAD"}
	s.taxes(o)
	o.Taxes = document.NewOrderTaxes([]document.OrderTax{{Name: "GST", Rate: "5", AmountMinor: 50},
		{Name: "QST", Rate: "9.975", AmountMinor: 100}})
	s.taxes(o)
	if want := ";\"GST 5\u00a0%: 0,50; QST 9,975\u00a0%: 1,00\";"; s.err != nil || string(s.b) != want {
		t.Errorf("%q, want %q, %v", s.b, want, s.err)
	}
}

// Times are in the time zone, before and after its clocks change.
func TestSheetMoment(t *testing.T) {
	s, err := newRow(&db.Export{Format: state.ExportSpreadsheet, Language: new(state.English),
		Timezone: new("Europe/Berlin")})
	if err != nil {
		t.Fatal(err)
	}
	for utc, want := range map[string]string{"2026-03-29T00:30:00Z": "2026-03-29 01:30:00,",
		"2026-03-29T01:30:00Z": "2026-03-29 03:30:00,"} {
		at, err := micros.Parse(utc)
		s.b = nil
		if s.moment(at); err != nil || string(s.b) != want {
			t.Errorf("%s: %q, %v", utc, s.b, err)
		}
	}
}

// Column names are distinct and not empty in every language.
func TestSheetHeaders(t *testing.T) {
	for _, l := range []state.Language{state.English, state.German, state.French, state.Spanish, state.Japanese,
		state.Arabic} {
		s, err := newRow(&db.Export{Format: state.ExportSpreadsheet, Language: &l, Timezone: new("UTC")})
		if err != nil || s.texts != phrase.In(l) {
			t.Fatal(err)
		}
		for _, kind := range []state.ExportKind{state.ExportOrders, state.ExportProducts, state.ExportCustomers} {
			seen := map[string]bool{}
			r := csv.NewReader(bytes.NewReader(s.header(kind)))
			r.Comma = rune(s.texts.Separator[0])
			names, err := r.Read()
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if name == "" || seen[name] {
					t.Errorf("%s in %s: %q is empty or twice there", kind, l, name)
				}
				seen[name] = true
			}
		}
	}
}

// Order filters exclude the other orders, with an index of their own.
func TestOrderFilters(t *testing.T) {
	storetest.Sequential(t)
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 40)
		all, err := b.store.DB(ctx).Order.Query().All(ctx)
		b.must(err)
		customer := all[0].CustomerID
		for _, o := range all {
			if customer == nil {
				customer = o.CustomerID
			}
		}
		b.start(b.Engine)
		for name, tc := range map[string]struct {
			edit func(*db.ExportCreate)
			want int64
		}{
			"pending": {func(e *db.ExportCreate) { e.SetFilterFinancialStatus(state.FinancialPending) }, 40},
			"paid":    {func(e *db.ExportCreate) { e.SetFilterFinancialStatus(state.FinancialPaid) }, 0},
			"shipped": {func(e *db.ExportCreate) { e.SetFilterFulfillmentStatus(state.FulfillmentFulfilled) }, 0},
			"unshipped and open": {func(e *db.ExportCreate) {
				e.SetFilterFulfillmentStatus(state.FulfillmentUnfulfilled).SetFilterStatus("open")
			}, 20},
			"a customer's": {func(e *db.ExportCreate) { e.SetFilterCustomerID(*customer) }, 1},
		} {
			id := b.ask(ctx, state.ExportOrders, state.ExportJSONL, state.ExportPlain, tc.edit)
			row := b.wait(ctx, id, state.ExportCompleted)
			lines := bytes.Count(b.file(ctx, id), []byte{'\n'})
			if row.ResourcesDone != tc.want || int64(lines) != tc.want {
				t.Errorf("%s: %d orders in %d lines, want %d", name, row.ResourcesDone, lines, tc.want)
			}
		}
	})
}
