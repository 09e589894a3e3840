// Package intake reads the files of imports: JSON Lines and CSV, in the form of this service's
// exports or of another system's. Every record becomes JSON in the form of an export.
package intake

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/state"
)

const (
	// HeadBytes is how much of a file [Sniff] needs: its first line with the names of the columns.
	HeadBytes  = 64 << 10
	maxColumns = 500
	maxSamples = 3
	sampleLen  = 80
)

// Sources of files.
const (
	JSONLines   = "jsonl"
	Storefront  = "storefront"
	Shopify     = "shopify"
	WooCommerce = "woocommerce"
	Medusa      = "medusa"
	Unknown     = "unknown"
)

// FormatError says why a file is not one that can be imported.
type FormatError struct{ Text string }

// Error implements error.
func (e *FormatError) Error() string { return e.Text }

func malformed(format string, args ...any) error { return &FormatError{fmt.Sprintf(format, args...)} }

// Column is a column of a CSV file.
type Column struct {
	Name string
	// Member is what the column becomes; "" is ignored.
	Member  string
	Samples []string
}

// Form is the form of a file, which its beginning shows.
type Form struct {
	Source   string
	Columns  []Column // nil for JSON Lines
	kind     *kind
	fields   map[string]Field // by member
	currency string
	comma    rune
	start    int64 // of the first record
	lines    int64 // before it
}

// Sniff finds the form of a file of a known kind by its first [HeadBytes]. Amounts are in the currency,
// unless the file has another. Columns can become the custom fields of the store. It fails with a
// [FormatError].
func Sniff(head []byte, of state.ImportKind, currency string, fields ...Field) (*Form, error) {
	f := &Form{Source: JSONLines, kind: kinds[of], currency: currency, fields: map[string]Field{}}
	for _, d := range Fields(of, fields) {
		f.fields[d.Member()] = d
	}
	text := head
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		f.start, text = 3, head[3:]
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, malformed("The file is UTF-16. Save it in UTF-8.")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("\x1f\x8b")),
		bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")), bytes.HasPrefix(head, []byte("BZh")):
		return nil, malformed("The file is compressed or a workbook. Send CSV or JSON Lines.")
	case bytes.IndexByte(head, 0) >= 0:
		return nil, malformed("The file is not a text. Send CSV or JSON Lines in UTF-8.")
	}
	first := bytes.TrimLeft(text, " \t\r\n")
	if len(first) == 0 {
		return nil, malformed("The file is empty.")
	}
	if first[0] == '{' {
		return f, nil
	}
	return f, f.header(text)
}

// header reads the names of the columns.
func (f *Form) header(text []byte) error {
	line := bytes.TrimLeft(text, "\r\n")
	line = line[:max(0, bytes.IndexAny(line, "\r\n"))]
	f.comma = ','
	for _, other := range []rune{';', '\t'} {
		if strings.Count(string(line), string(other)) > strings.Count(string(line), string(f.comma)) {
			f.comma = other
		}
	}
	r := newCSV(bytes.NewReader(text), f.comma)
	names, err := r.Read()
	switch {
	case err != nil && len(text) >= HeadBytes-3, len(names) > maxColumns:
		return malformed("The first line has more than %d columns or 64 KiB.", maxColumns)
	case err != nil:
		return malformed("The first line must hold the names of the columns.")
	}
	f.start += r.InputOffset()
	head := text[:r.InputOffset()]
	f.lines = int64(max(bytes.Count(head, []byte("\n")), bytes.Count(head, []byte("\r"))))
	for _, name := range names {
		if !utf8.ValidString(name) {
			return malformed("The file is not UTF-8. Save it as CSV in UTF-8.")
		}
		f.Columns = append(f.Columns, Column{Name: strings.TrimSpace(name)})
	}
	f.name()
	f.sample(r)
	return nil
}

// sample adds the first values of the columns.
func (f *Form) sample(r *csv.Reader) {
	for {
		cells, err := r.Read()
		if err != nil {
			return
		}
		for i := range min(len(cells), len(f.Columns)) {
			c, text := &f.Columns[i], f.unguarded(cells[i])
			if text = Clip(text, sampleLen); text == "" || len(c.Samples) == maxSamples ||
				slices.Contains(c.Samples, text) {
				continue
			}
			c.Samples = append(c.Samples, text)
		}
	}
}

// Use replaces what columns become. It fails if the file lacks a column, or a member is unknown.
func (f *Form) Use(mapping []Column) error {
	for _, m := range mapping {
		i := slices.IndexFunc(f.Columns, func(c Column) bool { return c.Name == m.Name })
		switch {
		case i < 0:
			return malformed("The file has no column %q.", Clip(m.Name, sampleLen))
		case m.Member != "" && !f.can(m.Member):
			return malformed("No column can become %q.", Clip(m.Member, sampleLen))
		}
		f.Columns[i].Member = m.Member
	}
	seen := map[string]string{}
	for _, c := range f.Columns {
		if before, ok := seen[c.Member]; ok && c.Member != "" {
			return malformed("The columns %q and %q both become %s.", Clip(before, sampleLen),
				Clip(c.Name, sampleLen), c.Member)
		}
		seen[c.Member] = c.Name
	}
	return nil
}

// Ignored returns the names of the columns that are not imported.
func (f *Form) Ignored() (names []string) {
	for _, c := range f.Columns {
		if c.Member == "" && c.Name != "" && !slices.Contains(f.kind.derived, strings.ToLower(c.Name)) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Start returns the offset of the first record, and the number of lines before it.
func (f *Form) Start() (offset, lines int64) { return f.start, f.lines }

func newCSV(r io.Reader, comma rune) *csv.Reader {
	c := csv.NewReader(lineEnds{bufio.NewReaderSize(r, readAhead/2)})
	c.Comma, c.FieldsPerRecord = comma, -1
	return c
}

// errLong says that a record is too long to be one.
var errLong = errors.New("intake: a record is too long")
