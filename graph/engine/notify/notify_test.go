package notify_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// A notice is written with its subject, unread, or not at all.
func TestAppend(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, store := storetest.Merchant(t, s)
		n := notify.Notice{Level: state.NotificationCritical, Title: "A title", Body: "Line one.\nLine two.",
			Kind: xid.Grant, ID: xid.New()}
		write := func(undo error) error {
			return s.InTx(ctx, func(ctx context.Context) error {
				if err := notify.Append(ctx, s.DB(ctx), n); err != nil {
					return err
				}
				return undo
			})
		}
		if err := write(context.Canceled); err == nil {
			t.Fatal("the transaction committed")
		}
		if err := write(nil); err != nil {
			t.Fatal(err)
		}
		row := s.DB(ctx).Notification.Query().OnlyX(ctx)
		if row.StoreID != store.ID || row.Level != n.Level || row.Title != n.Title || row.Body != n.Body ||
			*row.ResourceType != "grant" || *row.ResourceID != n.ID || row.ReadAt != nil {
			t.Errorf("wrote %v", row)
		}
		other, _ := storetest.Merchant(t, s)
		if got := s.DB(ctx).Notification.Query().CountX(other); got != 0 {
			t.Errorf("another store sees %d", got)
		}
		n.Title = string(make([]byte, 256))
		if err := write(nil); err == nil {
			t.Error("a title that is too long was written")
		}
	})
}
