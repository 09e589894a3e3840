package page

import (
	"cmp"
	"slices"
	"strconv"
)

// Canonical encodes filters, given as name, value, name, value, …, as one text for [List]. Two sets
// have the same text if and only if they have the same pairs, in any order: every name and value is
// preceded by its length. Leave out filters that are not set; one set to "" counts as set.
func Canonical(pairs ...string) string {
	if len(pairs) == 0 {
		return ""
	}
	sorted := make([][2]string, 0, 8)
	size := 0
	for i := 0; i+1 < len(pairs); i += 2 {
		sorted = append(sorted, [2]string{pairs[i], pairs[i+1]})
	}
	for _, p := range pairs {
		size += len(p) + 4
	}
	slices.SortFunc(sorted, func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	b := make([]byte, 0, size)
	for _, p := range sorted {
		b = appendText(appendText(b, p[0]), p[1])
	}
	if len(pairs)%2 == 1 {
		// A name without a value is no pair, so no set of pairs has this text.
		b = appendText(b, pairs[len(pairs)-1])
	}
	return string(b)
}

func appendText(b []byte, s string) []byte {
	b = append(strconv.AppendInt(b, int64(len(s)), 10), ':')
	return append(b, s...)
}
