package render

import (
	"cmp"
	"errors"
)

// equal reports whether the first value equals one of the others. Values of different kinds are not
// equal; lists and groups cannot be compared.
func equal(a any, others ...any) (bool, error) {
	if err := compares(a); err != nil {
		return false, err
	}
	for _, b := range others {
		if err := compares(b); err != nil {
			return false, err
		}
		if x, ok := number(a); ok {
			if y, ok := number(b); ok && x == y {
				return true, nil
			}
		} else if a == b {
			return true, nil
		}
	}
	return false, nil
}

func compares(v any) error {
	switch v.(type) {
	case []any, map[string]any:
		return errors.New(kind(v) + " cannot be compared; compare one of its values, or its len")
	}
	return nil
}

// comparison returns lt, le, gt or ge, for two numbers or two texts. Nothing is neither less nor
// greater than anything.
func comparison(name string, holds func(int) bool) func(a, b any) (bool, error) {
	return func(a, b any) (bool, error) {
		if a == nil || b == nil {
			return false, nil
		}
		if x, ok := number(a); ok {
			if y, ok := number(b); ok {
				return holds(cmp.Compare(x, y)), nil
			}
		}
		if x, ok := a.(string); ok {
			if y, ok := b.(string); ok {
				return holds(cmp.Compare(x, y)), nil
			}
		}
		return false, errors.New(name + " compares two numbers or two texts, not " + kind(a) + " and " +
			kind(b))
	}
}
