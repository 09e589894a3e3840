package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
)

// verifyCommand holds the service to a ledger.
type verifyCommand struct{ apiFlags }

// Run retries every key. An acknowledged one must be replayed byte for byte, and
// every one must have exactly one product, whether its answer arrived or not.
func (c *verifyCommand) Run(ctx context.Context) error {
	entries, err := readLedger(c.Ledger)
	if err != nil {
		return err
	}
	v := verifier{api: newAPI(c.apiFlags)}
	work := make(chan entry)
	var wg sync.WaitGroup
	for range c.Conns {
		wg.Go(func() {
			for e := range work {
				v.note(e, v.verify(ctx, e))
			}
		})
	}
	for _, e := range entries {
		work <- e
	}
	close(work)
	wg.Wait()
	fmt.Printf("keys %d, acknowledged before %d, wrong %d\n", len(entries), v.acknowledged, v.wrong)
	if v.wrong > 0 {
		return fmt.Errorf("%d keys are wrong; the first: %w", v.wrong, v.first)
	}
	return nil
}

type verifier struct {
	api *api

	mu                  sync.Mutex
	acknowledged, wrong int
	first               error
}

func (v *verifier) note(e entry, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e.Status != 0 {
		v.acknowledged++
	}
	if err != nil {
		v.wrong++
		if v.first == nil {
			v.first = fmt.Errorf("key %s: %w", e.Key, err)
		}
	}
}

func (v *verifier) verify(ctx context.Context, e entry) error {
	a, err := v.api.create(ctx, e.Key)
	switch {
	case err != nil:
		return err
	case a.status != http.StatusCreated:
		return fmt.Errorf("the retry answers %d: %.300s", a.status, a.body)
	case e.Status != 0 && (!a.replayed || a.sum() != e.Sum):
		return fmt.Errorf("the acknowledged answer is not replayed: %.300s", a.body)
	}
	return v.once(ctx, e.Key)
}

// once counts the products of a key.
func (v *verifier) once(ctx context.Context, key string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.api.URL+"/products?limit=10&sku="+
		url.QueryEscape(key), nil)
	if err != nil {
		return err
	}
	a, err := v.api.do(r)
	if err != nil {
		return err
	}
	var list struct{ Data []json.RawMessage }
	if err := json.Unmarshal(a.body, &list); err != nil || a.status != http.StatusOK {
		return fmt.Errorf("list by sku answers %d: %.300s", a.status, a.body)
	}
	if len(list.Data) != 1 {
		return fmt.Errorf("the key has %d products, want one", len(list.Data))
	}
	return nil
}
