package model

import "sync"

// Family holds the batches of a relation whose field takes an argument: one batch per value of the
// argument.
type Family[A comparable, K comparable, V any] struct {
	of func(A) *Batch[K, V]

	mu      sync.Mutex
	batches map[A]*Batch[K, V]
}

// NewFamily returns a family. of is called once per value.
func NewFamily[A comparable, K comparable, V any](of func(A) *Batch[K, V]) *Family[A, K, V] {
	return &Family[A, K, V]{of: of, batches: map[A]*Batch[K, V]{}}
}

// Of returns the batch for the value.
func (f *Family[A, K, V]) Of(a A) *Batch[K, V] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.batches[a] == nil {
		f.batches[a] = f.of(a)
	}
	return f.batches[a]
}
