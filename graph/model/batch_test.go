package model_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/graph/model"
)

func TestBatchLoadsOnce(t *testing.T) {
	loads := 0
	b := model.NewBatch(func() []int { return []int{1, 2} },
		func(_ context.Context, keys []int) (map[int]string, error) {
			loads++
			return map[int]string{keys[0]: "one"}, nil
		})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if v, err := b.Get(t.Context(), 1); v != "one" || err != nil {
				t.Errorf("got %q, %v", v, err)
			}
			if v, err := b.Get(t.Context(), 2); v != "" || err != nil {
				t.Errorf("got %q, %v for a key without a row", v, err)
			}
		})
	}
	wg.Wait()
	if loads != 1 {
		t.Errorf("loaded %d times", loads)
	}
}

func TestBatchForgetsErrors(t *testing.T) {
	broken, fail := errors.New("broken"), true
	b := model.NewBatch(func() []int { return []int{1} }, func(context.Context, []int) (map[int]string, error) {
		if fail {
			return nil, broken
		}
		return map[int]string{1: "one"}, nil
	})
	if _, err := b.Get(t.Context(), 1); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	fail = false
	if v, err := b.Get(t.Context(), 1); v != "one" || err != nil {
		t.Errorf("got %q, %v", v, err)
	}
}
