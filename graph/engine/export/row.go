package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/csvcell"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

const (
	// byteOrderMark makes spreadsheets read a file as UTF-8.
	byteOrderMark = "\ufeff"
	// sheetTime is a time format that spreadsheets in every language read.
	sheetTime = "2006-01-02 15:04:05"
)

// row appends the rows of a CSV file cell by cell, each followed by the separator; end replaces the
// last one by the end of the line (RFC 4180, section 2).
type row struct {
	b         []byte
	separator byte
	// texts and zone are those of a file for spreadsheets; nil for a file of the API, for programs.
	texts *phrase.Texts
	zone  *time.Location
	// custom are the columns of custom fields.
	custom []customColumn
	// err is the first error.
	err error
}

// newRow returns the writer of a job, or nil if the job's file is not CSV.
func newRow(job *db.Export) (*row, error) {
	custom, err := readColumns(job)
	switch {
	case err != nil:
		return nil, err
	case job.Format == state.ExportCSV:
		return &row{separator: ',', custom: custom}, nil
	case job.Format != state.ExportSpreadsheet:
		return nil, nil
	case job.Language == nil || job.Timezone == nil:
		return nil, fmt.Errorf("export: a file for spreadsheets without a language or a time zone")
	}
	zone, err := time.LoadLocation(*job.Timezone)
	if err != nil {
		return nil, fmt.Errorf("load a time zone: %w", err)
	}
	texts := phrase.In(*job.Language)
	return &row{separator: texts.Separator[0], texts: texts, zone: zone, custom: custom}, nil
}

// column is a column of the rows of T, or all columns of an address.
type column[T any] struct {
	name  string     // in files of the API; a name that ends in _ is the prefix of an address
	label phrase.Key // in files for spreadsheets, if the column is there
	cell  func(*row, T)
}

// addressColumns are the members of an address, in the order of its cells.
var addressColumns = [...]struct {
	name  string
	label phrase.Key
}{
	{"name", phrase.Name}, {"company", phrase.Company}, {"line1", phrase.Line1}, {"line2", phrase.Line2},
	{"city", phrase.City}, {"region", phrase.Region}, {"postal_code", phrase.PostalCode},
	{"country", phrase.Country}, {"phone", phrase.Phone},
}

// Columns returns the columns of a kind's CSV file. Those of custom fields follow. Orders have one row for
// each line item, which repeats the columns of the order; tags and addresses are JSON.
func Columns(kind state.ExportKind) []string {
	switch kind {
	case state.ExportOrders:
		return slices.Concat(names(orderColumns), names(lineColumns), names(laterOrderColumns),
			names(laterLineColumns), names(newestOrderColumns))
	case state.ExportProducts:
		return names(productColumns)
	case state.ExportCustomers:
		return names(customerColumns)
	case state.ExportWebhookAttempts:
		return names(attemptColumns)
	}
	return nil
}

func names[T any](columns []column[T]) (list []string) {
	for _, c := range columns {
		if !strings.HasSuffix(c.name, "_") {
			list = append(list, c.name)
			continue
		}
		for _, part := range addressColumns {
			list = append(list, c.name+part.name)
		}
	}
	return list
}

// header returns the first row. In a file for spreadsheets it begins with the byte order mark.
func (r *row) header(kind state.ExportKind) []byte {
	r.b = nil
	if r.texts == nil {
		for _, name := range Columns(kind) {
			r.plain(name)
		}
		r.customHeader()
		return end(r.b)
	}
	r.b = []byte(byteOrderMark)
	switch kind {
	case state.ExportOrders:
		labels(r, sheetOrders)
		labels(r, sheetLines)
	case state.ExportProducts:
		labels(r, sheetProducts)
	case state.ExportCustomers:
		labels(r, sheetCustomers)
	}
	r.customHeader()
	return end(r.b)
}

func labels[T any](r *row, columns []column[T]) {
	for _, c := range columns {
		label := r.texts.Say(c.label)
		if !strings.HasSuffix(c.name, "_") {
			r.text(label)
			continue
		}
		for _, part := range addressColumns {
			r.text(label + ": " + r.texts.Say(part.label))
		}
	}
}

func columnsOf[T any](r *row, api, sheet []column[T]) []column[T] {
	if r.texts != nil {
		return sheet
	}
	return api
}

// cells appends a row without its end.
func cells[T any](r *row, b []byte, columns []column[T], v T) []byte {
	r.b = b
	for i := range columns {
		columns[i].cell(r, v)
	}
	return r.b
}

func end(b []byte) []byte { return append(b[:len(b)-1], '\r', '\n') }

func (r *row) empty() { r.b = append(r.b, r.separator) }

// plain appends a cell that needs no quoting, such as letters, digits and underscores.
func (r *row) plain(s string) { r.b = append(append(r.b, s...), r.separator) }

func (r *row) integer(n int64) { r.b = append(strconv.AppendInt(r.b, n, 10), r.separator) }

func (r *row) boolean(v bool) { r.b = append(strconv.AppendBool(r.b, v), r.separator) }

func (r *row) id(k xid.Kind, u xid.ID) { r.b = append(k.Append(r.b, u), r.separator) }

func (r *row) moment(t micros.Time) {
	if r.texts == nil {
		r.b = append(t.Append(r.b), r.separator)
		return
	}
	r.b = append(t.Time().In(r.zone).AppendFormat(r.b, sheetTime), r.separator)
}

// money appends an amount: in minor units, or for spreadsheets with the digits of its currency.
func (r *row) money(minor int64, code string) {
	if r.texts == nil {
		r.integer(minor)
		return
	}
	r.amount(minor, code)
	r.empty()
}

// amount appends an amount with the digits of its currency to the current cell.
func (r *row) amount(minor int64, code string) {
	if minor < 0 {
		r.b, minor = append(r.b, '-'), -minor // amounts are far from the smallest integer
	}
	digits, _ := currency.Digits(currency.Code(code))
	text := strconv.FormatInt(minor, 10)
	if missing := digits + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	whole := len(text) - digits
	r.b = append(r.b, text[:whole]...)
	if digits > 0 {
		r.b = append(append(r.b, r.texts.Point...), text[whole:]...)
	}
}

func (r *row) text(s string) { r.b = appendText(r.b, s, r.separator) }

func (r *row) textOpt(s *string) { optional(r, s, (*row).text) }

func (r *row) integerOpt(n *int64) { optional(r, n, (*row).integer) }

func (r *row) momentOpt(t *micros.Time) { optional(r, t, (*row).moment) }

func optional[T any](r *row, v *T, cell func(*row, T)) {
	if v == nil {
		r.empty()
		return
	}
	cell(r, *v)
}

func (r *row) idOpt(k xid.Kind, u *xid.ID) {
	if u == nil {
		r.empty()
		return
	}
	r.id(k, *u)
}

func (r *row) moneyOpt(minor *int64, code string) {
	if minor == nil {
		r.empty()
		return
	}
	r.money(*minor, code)
}

func (r *row) json(doc []byte) { r.b = appendText(r.b, doc, r.separator) }

// list appends an array of texts, which may be stored as nothing, for spreadsheets as one text.
func (r *row) list(doc []byte) {
	if len(doc) == 0 {
		doc = []byte("[]")
	}
	if r.texts == nil {
		r.json(doc)
		return
	}
	var texts []string
	r.fail(json.Unmarshal(doc, &texts))
	r.text(strings.Join(texts, ", "))
}

// address appends the nine cells of an address. They are empty if there is none.
func (r *row) address(a document.Address) {
	if len(a) == 0 {
		for range addressColumns {
			r.empty()
		}
		return
	}
	r.fail(a.Members(func(value []byte) { r.b = appendText(r.b, value, r.separator) }))
}

// taxes appends the taxes of an order, for spreadsheets as one text: GST 5%: 0.50; QST 9.975%: 1.00.
func (r *row) taxes(o *db.Order) {
	if r.texts == nil {
		r.list(o.Taxes)
		return
	}
	taxes, err := o.Taxes.List()
	r.fail(err)
	var texts []string
	for _, t := range taxes {
		from := len(r.b)
		r.amount(t.AmountMinor, o.Currency)
		amount := string(r.b[from:])
		r.b = r.b[:from]
		texts = append(texts, t.Name+" "+r.texts.Percent(t.Rate)+": "+amount)
	}
	r.text(strings.Join(texts, "; "))
}

func (r *row) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// appendText appends a text that people wrote. One that a spreadsheet would run as a formula gets an
// apostrophe in front, see [csvcell.Formula].
func appendText[T ~string | ~[]byte](b []byte, s T, separator byte) []byte {
	quoted := false
	for i := range len(s) {
		if c := s[i]; c == '"' || c == separator || c == '\n' || c == '\r' {
			quoted = true
			break
		}
	}
	if quoted {
		b = append(b, '"')
	}
	if csvcell.Formula(s) {
		b = append(b, '\'')
	}
	if !quoted {
		return append(append(b, s...), separator)
	}
	from := 0
	for i := range len(s) {
		if s[i] == '"' {
			b = append(append(b, s[from:i+1]...), '"')
			from = i + 1
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"', separator)
}
