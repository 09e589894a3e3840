// Package csvcell has the form of cells that the CSV files of exports and imports share: texts that a
// spreadsheet would run, and the values of custom fields.
package csvcell

import "strings"

// Formula reports whether a text gets an apostrophe in front. A spreadsheet would run a text that begins
// with = + - @, a tab or a carriage return, unless it is a number or a telephone number, which programs
// read. A text that begins with apostrophes followed by one of these gets another apostrophe, so that
// [Unguarded] restores every text.
func Formula[T ~string | ~[]byte](s T) bool {
	for i := range len(s) {
		switch s[i] {
		case '\'':
			continue
		case '+', '-':
			return i > 0 || !number(s[1:])
		case '=', '@', '\t', '\r':
			return true
		}
		return false
	}
	return false
}

// Unguarded returns the text of a cell of an export: without the apostrophe, if [Formula] requires one.
func Unguarded(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && Formula(rest) {
		return rest
	}
	return cell
}

// UnguardedElsewhere returns the text of a cell of another system, which may also put an apostrophe in
// front of a postal code or a telephone number.
func UnguardedElsewhere(cell string) string {
	rest, ok := strings.CutPrefix(cell, "'")
	if ok && strings.ContainsAny(rest, "0123456789") && number(strings.TrimLeft(rest, "+-")) {
		return rest
	}
	return Unguarded(cell)
}

// number reports whether what follows a sign is a number or a telephone number: it does no harm.
func number[T ~string | ~[]byte](s T) bool {
	for i := range len(s) {
		if strings.IndexByte("0123456789 ()./-", s[i]) < 0 {
			return false
		}
	}
	return true
}
