package webhook

import "sync"

// bell wakes every loop that listens to it, of which there is one for each shard. One
// that is awake already goes round once more.
type bell struct {
	mu   sync.Mutex
	ears map[chan struct{}]struct{}
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ear := range b.ears {
		wake(ear)
	}
}

// listen returns a channel that gets a value when the bell rings, until deaf is called.
func (b *bell) listen() (ear <-chan struct{}, deaf func()) {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ears == nil {
		b.ears = map[chan struct{}]struct{}{}
	}
	b.ears[c] = struct{}{}
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.ears, c)
	}
}
