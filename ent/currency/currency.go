// Package currency defines the currencies in circulation, their minor digits and the arithmetic of
// amounts (contract, section 1).
//
// An amount is a whole number of minor units in an int64, from 0 to [MaxMinor]. The table is
// generated from a maintained source; at run time the package needs only the standard library.
package currency

import "slices"

//go:generate go run ./internal/gen -out table.go

// Code is an ISO 4217 currency code: three capital letters.
type Code string

// codeLen is the length of an ISO 4217 code.
const codeLen = 3

// entry is one row of the generated table, which is sorted by code.
type entry struct {
	code   Code
	digits uint8
}

// Parse parses a code in upper or lower case. It reports false for a currency that is not in
// circulation, which includes funds, metals and test codes.
func Parse(s string) (Code, bool) {
	if len(s) != codeLen {
		return "", false
	}
	var upper [codeLen]byte
	for i := range upper {
		upper[i] = s[i]
		if 'a' <= s[i] && s[i] <= 'z' {
			upper[i] -= 'a' - 'A'
		}
	}
	i, ok := slices.BinarySearchFunc(table, upper, compare)
	if !ok {
		return "", false
	}
	// The code in the table, not a copy of the input: this allocates nothing, and does not keep the
	// caller's buffer alive.
	return table[i].code, true
}

// Digits returns the number of decimal digits of the minor unit of code: 2 for EUR, 0 for JPY, 3
// for KWD. It reports false for an unknown code; code is as [Parse] returns it.
func Digits(code Code) (int, bool) {
	if len(code) != codeLen {
		return 0, false
	}
	i, ok := slices.BinarySearchFunc(table, [codeLen]byte([]byte(code)), compare)
	if !ok {
		return 0, false
	}
	return int(table[i].digits), true
}

// All returns every code, sorted.
func All() []Code {
	codes := make([]Code, len(table))
	for i, e := range table {
		codes[i] = e.code
	}
	return codes
}

// compare compares a row of the table with three letters.
func compare(e entry, letters [codeLen]byte) int {
	for i := range letters {
		if e.code[i] != letters[i] {
			return int(e.code[i]) - int(letters[i])
		}
	}
	return 0
}
