package document

import (
	"strconv"
	"strings"
)

// percentUnit is one percent in parts per million.
const percentUnit = 10_000

// PerBasisPoint is one basis point in parts per million.
const PerBasisPoint = 100

// Percent writes parts per million in percent, such as "8.875".
func Percent(perMillion int64) string {
	whole, part := perMillion/percentUnit, strconv.FormatInt(percentUnit+perMillion%percentUnit, 10)[1:]
	return strings.TrimSuffix(strconv.FormatInt(whole, 10)+"."+strings.TrimRight(part, "0"), ".")
}

// ParsePercent reads percent with at most four decimals as parts per million.
func ParsePercent(s string) (perMillion int64, ok bool) {
	whole, part, point := strings.Cut(s, ".")
	if len(part) > 4 || point && part == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+(part + "0000")[:4], 10, 32)
	return int64(n), err == nil && whole != "" && len(whole) <= 3
}
