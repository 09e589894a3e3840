package client

import (
	"errors"
	"iter"
)

// errNoPage means that a success held no page, which the service never sends.
var errNoPage = errors.New("the answer holds no page")

// walk yields the items of page after page until next is nil, the only end of a list (spec, section
// 4).
func walk[T any](cursor *string, fetch func(cursor *string) (items []T, next *string, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for at := cursor; ; {
			items, next, err := fetch(at)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			at = next
		}
	}
}

func copied[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
