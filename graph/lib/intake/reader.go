package intake

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/csvcell"
)

const (
	// maxRecord bounds a record in bytes.
	maxRecord = limit.Body
	// maxRows bounds the rows of a record.
	maxRows = 4 * limit.Variants
	// readAhead is what a buffered reader may have read beyond a record.
	readAhead = 8 << 10
)

// Record is a record of a file: a line of JSON Lines, or the rows of a resource in a CSV file.
type Record struct {
	Line       int64 // of its beginning, from 1
	Start, End int64 // its place in the file
	Name       string
	// JSON is the record in the form of an export; nil if Problem says why it cannot be read.
	JSON    []byte
	Problem string
	Notes   []string // what is not imported
}

// Reader reads the records of a file one by one. Its memory is bounded by a record.
type Reader struct {
	form *Form
	base int64 // the offset where reading began
	line int64 // before base; then of the last row
	// of JSON Lines
	text *bufio.Reader
	at   int64
	// of CSV
	guard   *guard
	csv     *csv.Reader
	shift   int64 // from the lines of csv to those of the file
	shifted bool
	next    *row // already read
	// resume is the beginning of what is not returned yet.
	resume, resumeLine int64
}

// Open returns a reader of the records from an offset that [Reader.Position] returned, with the lines
// before it. r begins there.
func (f *Form) Open(r io.Reader, offset, lines int64) *Reader {
	d := &Reader{form: f, base: offset, at: offset, line: lines, resume: offset, resumeLine: lines}
	if f.Columns == nil {
		d.text = bufio.NewReaderSize(r, HeadBytes)
		return d
	}
	d.guard = &guard{r: r}
	d.csv = newCSV(d.guard, f.comma)
	return d
}

// Position returns the offset after the last record, and the number of lines before it.
func (d *Reader) Position() (offset, lines int64) { return d.resume, d.resumeLine }

// Next returns the next record, or [io.EOF]. A [FormatError] ends the file before its end.
func (d *Reader) Next() (*Record, error) {
	if d.text != nil {
		return d.nextLine()
	}
	return d.nextGroup()
}

// nextLine reads a line of JSON. Empty lines are skipped.
func (d *Reader) nextLine() (*Record, error) {
	for {
		var line []byte
		start, long := d.at, false
		for {
			part, err := d.text.ReadSlice('\n')
			d.at += int64(len(part))
			if long = long || len(line)+len(part) > maxRecord; !long {
				line = append(line, part...)
			}
			if errors.Is(err, io.EOF) && d.at == start {
				return nil, io.EOF
			}
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
				return nil, err
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		d.line++
		d.resume, d.resumeLine = d.at, d.line
		r := &Record{Line: d.line, Start: start, End: d.at}
		switch line = bytes.TrimSpace(line); {
		case long:
			r.Problem = "The line is longer than 1 MiB."
		case len(line) == 0:
			continue
		case !utf8.Valid(line):
			r.Problem = notUTF8
		default:
			r.JSON = line
		}
		return r, nil
	}
}

const notUTF8 = "The text is not UTF-8. Save the file in UTF-8."

// row is a row of a CSV file by members.
type row struct {
	form       *Form
	line       int64
	start, end int64
	cells      []string
	problem    string
}

// get returns the trimmed cell of a member, and whether the file has it.
func (r *row) get(member string) string { text, _ := r.given(member); return text }

func (r *row) given(member string) (text string, ok bool) {
	for i, c := range r.form.Columns {
		if c.Member == member && i < len(r.cells) {
			return r.form.unguarded(r.cells[i]), true
		}
	}
	return "", false
}

// unguarded trims a cell and removes the apostrophe with which exports mark texts that look like formulas,
// and other systems also numbers.
func (f *Form) unguarded(cell string) string {
	if f.exported() {
		return strings.TrimSpace(csvcell.Unguarded(cell))
	}
	return csvcell.UnguardedElsewhere(strings.TrimSpace(cell))
}

// nextGroup reads the rows of a record.
func (d *Reader) nextGroup() (*Record, error) {
	first, err := d.nextRow()
	if err != nil {
		return nil, err
	}
	rows := []*row{first}
	for first.problem == "" {
		more, err := d.nextRow()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if !d.form.kind.follows(first, more) {
			d.next = more
			break
		}
		if rows = append(rows, more); more.problem != "" {
			first.problem = "A later row of it cannot be read. " + more.problem
		}
		if len(rows) > maxRows || more.end-first.start > maxRecord {
			return nil, malformed("The record at line %d is longer than 1 MiB or %d rows.", first.line, maxRows)
		}
	}
	last := rows[len(rows)-1]
	d.resume, d.resumeLine = last.end, d.line
	if d.next != nil {
		d.resume, d.resumeLine = d.next.start, d.next.line-1
	}
	r := &Record{Line: first.line, Start: first.start, End: last.end, Problem: first.problem}
	if r.Problem == "" {
		d.form.kind.read(d.form, r, rows)
	}
	return r, nil
}

// sameProduct reports whether a row belongs to the product of a first row.
func sameProduct(first, more *row) bool {
	if parent := more.get("parent"); parent != "" {
		return parent == first.get("sku") || parent == "id:"+first.get("own_id")
	}
	for _, key := range []string{"handle", "external_reference"} {
		if v := first.get(key); v != "" {
			return more.get(key) == v
		}
	}
	return false
}

// nextRow returns the next row that is not blank.
func (d *Reader) nextRow() (*row, error) {
	if r := d.next; r != nil {
		d.next = nil
		return r, nil
	}
	for {
		before := d.csv.InputOffset()
		d.guard.left = maxRecord + readAhead
		cells, err := d.csv.Read()
		r := &row{form: d.form, start: d.base + before, end: d.base + d.csv.InputOffset(), cells: cells}
		broken, isBroken := errors.AsType[*csv.ParseError](err)
		switch {
		case errors.Is(err, errLong):
			return nil, malformed("The row after line %d is longer than 1 MiB. A quotation mark may be missing.",
				d.line)
		case isBroken:
			r.line, r.problem = int64(broken.StartLine), "The row cannot be read: "+broken.Err.Error()+"."
		case err != nil:
			return nil, err
		default:
			line, _ := d.csv.FieldPos(0)
			r.line = int64(line)
		}
		if !d.shifted {
			if d.shift, d.shifted = d.line, true; d.base != d.form.start { // csv skips empty lines
				d.shift += 1 - r.line
			}
		}
		r.line += d.shift
		d.line = r.line
		if !isBroken && strings.Join(cells, "") == "" {
			continue
		}
		r.check()
		return r, nil
	}
}

func (r *row) check() {
	switch {
	case r.problem != "":
	case len(r.cells) > len(r.form.Columns):
		r.problem = "The row has more cells than the first line has columns."
	case slices.ContainsFunc(r.cells, func(c string) bool { return !utf8.ValidString(c) }):
		r.problem = notUTF8
	}
}

// guard bounds what is read for a row: an open quotation mark would take the whole file.
type guard struct {
	r    io.Reader
	left int
}

func (g *guard) Read(b []byte) (int, error) {
	if g.left <= 0 {
		return 0, errLong
	}
	n, err := g.r.Read(b[:min(len(b), g.left)])
	g.left -= n
	return n, err
}

// lineEnds reads a text in which single carriage returns end lines too, as in files of old Macs.
type lineEnds struct{ *bufio.Reader }

func (l lineEnds) Read(p []byte) (int, error) {
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
