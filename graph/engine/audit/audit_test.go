package audit_test

import (
	"context"
	"net/netip"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
)

// The row names the actor, the action, the resource and the request.
func TestWrite(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, store := storetest.Merchant(t, s)
		person := &viewer.Viewer{Kind: viewer.Staff, Store: store.ID, Actor: xid.New(), Name: "Olive"}
		thing := xid.New()
		from := viewer.Origin{Request: "req_1", Client: netip.MustParseAddr("192.0.2.1"), Agent: "curl/8\n"}
		for _, tc := range []struct {
			ctx    context.Context
			detail string
			check  func(*db.Audit) bool
		}{
			{ctx, "", func(a *db.Audit) bool {
				return a.ActorType == viewer.System && a.ActorID == nil && a.ActorName == "operator" &&
					a.Detail == nil && a.RequestID == nil
			}},
			{viewer.WithOrigin(viewer.With(ctx, person), from), "orders.read", func(a *db.Audit) bool {
				return a.ActorType == viewer.Staff && *a.ActorID == person.Actor && a.ActorName == "Olive" &&
					*a.Detail == "orders.read" && *a.RequestID == "req_1" && *a.Address == "192.0.2.1" &&
					*a.Agent == "curl/8"
			}},
		} {
			err := s.InTx(tc.ctx, func(ctx context.Context) error {
				return audit.Write(ctx, s.DB(ctx), "grant.revoke", xid.Grant, thing, tc.detail)
			})
			if err != nil {
				t.Fatal(err)
			}
			row := s.DB(ctx).Audit.Query().Order(db.Desc("id")).FirstX(ctx)
			if !tc.check(row) || row.StoreID != store.ID || row.Action != "grant.revoke" ||
				row.ResourceType != "grant" || row.ResourceID != thing {
				t.Errorf("wrote %v", row)
			}
		}
		undone := s.InTx(ctx, func(ctx context.Context) error {
			if err := audit.Write(ctx, s.DB(ctx), "grant.revoke", xid.Grant, thing, ""); err != nil {
				return err
			}
			return context.Canceled
		})
		if n := s.DB(ctx).Audit.Query().CountX(ctx); undone == nil || n != 2 {
			t.Errorf("%d rows after a transaction that failed with %v", n, undone)
		}
	})
}
