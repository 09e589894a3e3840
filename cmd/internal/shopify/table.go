package shopify

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/limit"
)

// maxRows bounds the rows of one record; no product or order has more.
const maxRows = 4 * limit.Variants

// notUTF8 is the reason for lines in another encoding.
const notUTF8 = "the text is not UTF-8: save the file as CSV in UTF-8"

// table reads one file, row by row.
type table struct {
	file    string // as in reports
	reader  *csv.Reader
	columns map[string]int // by lower-case name
	width   int
}

// row is one row of a table, which may span several lines.
type row struct {
	*table
	line  int
	cells []string
}

type record struct {
	key    string
	rows   []row
	line   int    // of the first row
	broken string // why it cannot be read completely, or ""
}

// newTable reads the header of a file. Column names of newer exports are mapped to the older ones.
func newTable(file string, r io.Reader, needed []string) (*table, error) {
	in := bufio.NewReader(r)
	switch mark, _ := in.Peek(3); {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		_, _ = in.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return nil, fmt.Errorf("%s is UTF-16: save it as CSV in UTF-8", file)
	}
	t := &table{file: file, reader: csv.NewReader(lines{in}), columns: map[string]int{}}
	t.reader.FieldsPerRecord, t.reader.ReuseRecord = -1, false
	head, err := t.reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is empty", file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	t.width = len(head)
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		if older, ok := renamed[name]; ok {
			name = older
		}
		if _, twice := t.columns[name]; !twice {
			t.columns[name] = i
		}
	}
	missing := slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return t.has(name) })
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s lacks the columns %s: it is not a Shopify export of this kind", file,
			strings.Join(missing, ", "))
	}
	return t, nil
}

// lines reads a text in which single carriage returns end lines too, as in files of old Macs.
type lines struct{ *bufio.Reader }

func (l lines) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i := range n {
		if p[i] != '\r' {
			continue
		}
		next, _ := l.Peek(1) // the byte after p
		if i+1 < n {
			next = p[i+1 : i+2]
		}
		if !bytes.Equal(next, []byte("\n")) {
			p[i] = '\n'
		}
	}
	return n, err
}

// renamed maps columns of newer product exports to their older names.
var renamed = map[string]string{
	"url handle": "handle", "description": "body (html)", "published on online store": "published",
	"price": "variant price", "compare-at price": "variant compare at price", "sku": "variant sku",
	"inventory tracker": "variant inventory tracker", "inventory quantity": "variant inventory qty",
	"continue selling when out of stock": "variant inventory policy", "weight value (grams)": "variant grams",
	"product image url": "image src", "barcode": "variant barcode", "requires shipping": "variant requires shipping",
	"variant image url": "variant image", "tax code": "variant tax code",
}

func (t *table) has(column string) bool {
	_, ok := t.columns[column]
	return ok
}

// get returns the trimmed cell of a column; "" if the file lacks it. It removes the apostrophe with
// which spreadsheets and exports mark numbers as text, and texts that look like formulas.
func (r row) get(column string) string {
	i, ok := r.columns[column]
	if !ok {
		return ""
	}
	text := strings.TrimSpace(r.cells[i])
	if len(text) > 1 && text[0] == '\'' && strings.IndexByte("=+-@0123456789", text[1]) >= 0 {
		return text[1:]
	}
	return text
}

func (r row) opt(column string) *string {
	text := r.get(column)
	if text == "" {
		return nil
	}
	return &text
}

// records yields the records of a table: consecutive rows with the same value in the column key, or
// each row without a key. If a row cannot be read, the record to which it may belong is broken.
func (t *table) records(key string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		var open *record
		emit := func() bool {
			done := open
			open = nil
			return done == nil || yield(*done, nil)
		}
		for {
			r, fault, err := t.next()
			switch {
			case errors.Is(err, io.EOF):
				emit()
				return
			case err != nil:
				if emit() {
					yield(record{}, err)
				}
				return
			case fault != "":
				if open != nil {
					open.broken = fmt.Sprintf("line %d, which may belong to it, cannot be read", r.line)
				}
				if !emit() || !yield(record{line: r.line, broken: fault}, nil) {
					return
				}
			case open != nil && key != "" && open.key == r.get(key):
				open.add(r)
			default:
				if !emit() {
					return
				}
				open = &record{key: r.get(key), line: r.line}
				open.add(r)
			}
		}
	}
}

func (c *record) add(r row) {
	if len(c.rows) == maxRows {
		c.broken = fmt.Sprintf("it has more than %d lines", maxRows)
		return
	}
	c.rows = append(c.rows, r)
}

// next reads the next row that is not blank; fault says why it cannot be read.
func (t *table) next() (r row, fault string, err error) {
	for {
		cells, err := t.reader.Read()
		if broken, ok := errors.AsType[*csv.ParseError](err); ok {
			return row{line: broken.StartLine}, broken.Err.Error(), nil
		}
		if err != nil {
			return row{}, "", err
		}
		if strings.Join(cells, "") == "" {
			continue
		}
		line, _ := t.reader.FieldPos(0)
		r := row{table: t, line: line, cells: cells}
		if len(cells) != t.width {
			return r, fmt.Sprintf("the line has %d cells, but the header has %d", len(cells), t.width), nil
		}
		if slices.ContainsFunc(cells, func(c string) bool { return !utf8.ValidString(c) }) {
			return r, notUTF8, nil
		}
		return r, "", nil
	}
}
