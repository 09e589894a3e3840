package graphtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// AddNotices adds n notifications to the store, the oldest first.
func (p *Shop) AddNotices(t testing.TB, n int) {
	t.Helper()
	err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
		for i := range n {
			err := notify.Append(ctx, p.Client(ctx), notify.Notice{Level: state.NotificationWarning,
				Title: fmt.Sprint("Notice ", i), Body: "It is so.", Kind: xid.Store, ID: p.Model.ID})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
