package graphtest

import (
	"context"
	"testing"
)

// Plant writes n rows behind the back of the operations, in one transaction.
func (p *Shop) Plant(t testing.TB, n int, row func(ctx context.Context, i int) error) {
	t.Helper()
	err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
		for i := range n {
			if err := row(ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
