package render

import (
	"errors"
	"fmt"
	"html/template"
)

// Bounds of a page's data, far above what shops need.
const (
	maxValues = 100_000
	maxDepth  = 20
)

// closed checks that data has only the known types. A value of another type could have methods,
// which templates would be able to call.
func closed(data map[string]any) error {
	left := maxValues
	return closedValue(data, maxDepth, &left)
}

func closedValue(v any, depth int, left *int) error {
	if *left--; *left < 0 || depth < 0 {
		return errors.New("the data of the page is too large or too deep")
	}
	switch v := v.(type) {
	case nil, string, bool, float64, template.HTML:
		return nil
	case map[string]any:
		for key, one := range v {
			if err := closedValue(one, depth-1, left); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	case []any:
		for _, one := range v {
			if err := closedValue(one, depth-1, left); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("the data of a page must not contain a %T", v)
}
