package export

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// byteOrderMark makes spreadsheets read a file as UTF-8.
const byteOrderMark = "\ufeff"

// sheetTime is a time format that spreadsheets in every language read.
const sheetTime = "2006-01-02 15:04:05"

// sheet writes a file for spreadsheets in the language and the time zone of its job.
type sheet struct {
	texts *phrase.Texts
	zone  *time.Location
	// err is the first error.
	err error
}

// newSheet returns the writer of a job, or nil if the job's file is not for spreadsheets.
func newSheet(job *db.Export) (*sheet, error) {
	if job.Format != state.ExportSpreadsheet {
		return nil, nil
	}
	if job.Language == nil || job.Timezone == nil {
		return nil, fmt.Errorf("export: a file for spreadsheets without a language or a time zone")
	}
	zone, err := time.LoadLocation(*job.Timezone)
	if err != nil {
		return nil, fmt.Errorf("load a time zone: %w", err)
	}
	return &sheet{texts: phrase.In(*job.Language), zone: zone}, nil
}

// header returns the byte order mark and the names of the columns.
func (s *sheet) header(kind state.ExportKind) []byte {
	b := []byte(byteOrderMark)
	switch kind {
	case state.ExportOrders:
		b = sheetHead(s, sheetHead(s, b, sheetOrders), sheetLines)
	case state.ExportProducts:
		b = sheetHead(s, b, sheetProducts)
	case state.ExportCustomers:
		b = sheetHead(s, b, sheetCustomers)
	}
	return end(b)
}

// order appends the rows of an order: one for each line, or one without a line.
func (s *sheet) order(b []byte, o *db.Order, lines []*db.OrderLine) []byte {
	from := len(b)
	b = sheetCells(s, b, sheetOrders, o)
	head := b[from:]
	if len(lines) == 0 {
		for range sheetLines {
			b = s.empty(b)
		}
		return end(b)
	}
	for i, l := range lines {
		if i > 0 {
			b = append(b, head...)
		}
		b = end(sheetCells(s, b, sheetLines, orderedLine{l, o.Currency}))
	}
	return b
}

func (s *sheet) empty(b []byte) []byte { return append(b, s.texts.Separator...) }

func (s *sheet) text(b []byte, v string) []byte { return textBefore(b, v, s.texts.Separator[0]) }

func (s *sheet) textOpt(b []byte, v *string) []byte {
	if v == nil {
		return s.empty(b)
	}
	return s.text(b, *v)
}

func (s *sheet) integer(b []byte, n int64) []byte { return s.empty(strconv.AppendInt(b, n, 10)) }

func (s *sheet) integerOpt(b []byte, n *int64) []byte {
	if n == nil {
		return s.empty(b)
	}
	return s.integer(b, *n)
}

// money appends an amount with the digits of its currency and no digit grouping.
func (s *sheet) money(b []byte, minor int64, code string) []byte {
	if minor < 0 {
		b, minor = append(b, '-'), -minor // amounts are far from the smallest integer
	}
	digits, _ := currency.Digits(currency.Code(code))
	text := strconv.FormatInt(minor, 10)
	if missing := digits + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	whole := len(text) - digits
	b = append(b, text[:whole]...)
	if digits > 0 {
		b = append(append(b, s.texts.Point...), text[whole:]...)
	}
	return s.empty(b)
}

func (s *sheet) moneyOpt(b []byte, minor *int64, code string) []byte {
	if minor == nil {
		return s.empty(b)
	}
	return s.money(b, *minor, code)
}

func (s *sheet) moment(b []byte, t micros.Time) []byte {
	return s.empty(t.Time().In(s.zone).AppendFormat(b, sheetTime))
}

func (s *sheet) momentOpt(b []byte, t *micros.Time) []byte {
	if t == nil {
		return s.empty(b)
	}
	return s.moment(b, *t)
}

// list appends the texts of a JSON array, separated by commas.
func (s *sheet) list(b []byte, doc []byte) []byte {
	var texts []string
	if len(doc) > 0 {
		s.fail(json.Unmarshal(doc, &texts))
	}
	return s.text(b, strings.Join(texts, ", "))
}

// address appends the nine cells of an address. They are empty if there is none.
func (s *sheet) address(b []byte, a document.Address) []byte {
	if len(a) == 0 {
		for range addressColumns {
			b = s.empty(b)
		}
		return b
	}
	s.fail(a.Members(func(value []byte) { b = s.text(b, string(value)) }))
	return b
}

func (s *sheet) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
