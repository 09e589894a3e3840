package cell

// Rows is how many rows to make room for behind n that were read. Those of one row, and of
// a page of 20 or 100 and the one behind it, leave no room over: lists of them are most of
// what is read.
func Rows(n int) int {
	switch {
	case n < 1:
		return 1
	case n < 1+4:
		return 4
	case n < 1+4+16:
		return 16
	}
	return 40
}
