package graph

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// nearLimit is [core.Config.NearLimit].
func (c *Config) nearLimit(ctx context.Context, name limit.Name, most int64) error {
	row, _ := name.Row()
	return c.Store.InTx(ctx, func(ctx context.Context) error {
		return c.Notifier.Append(ctx, c.Store, notify.Notice{Level: state.NotificationWarning,
			Title: "The store has almost reached a limit",
			Body: fmt.Sprintf("The store has used 80 %% of the limit %s: %d %s. Nothing can be added beyond it. %s",
				name, most, row.Counts, row.Advice),
			Kind: xid.Store, ID: viewer.From(ctx).Store})
	})
}
