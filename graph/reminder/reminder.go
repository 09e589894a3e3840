// Package reminder gives people notice of what is about to end.
package reminder

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/notify"
)

// Ahead is how long before its end a staff token's holder gets notice.
const Ahead = 7 * 24 * time.Hour

// batch bounds what is read of one store at once; the next round goes on.
const batch = 100

// Tokens writes a notice of each staff token, in every open store, that ends within
// [Ahead], with a mail to its holder alone, and returns how many. A token gets one
// notice, however many processes look at once, and none when all its life is no
// longer than that.
func Tokens(ctx context.Context, s *ent.Store, n *notify.Notifier) (total int, err error) {
	total, err = s.SumStores(ctx, func(ctx context.Context) (int, error) { return tokensOf(ctx, s, n) })
	if err != nil {
		err = fmt.Errorf("remind of staff tokens: %w", err)
	}
	return total, err
}

// tokensOf reminds the people of one store.
func tokensOf(ctx context.Context, s *ent.Store, n *notify.Notifier) (sent int, err error) {
	now := micros.Now()
	rows, err := s.DB(ctx).StaffToken.Query().
		Where(stafftoken.ExpiresAtGT(now), stafftoken.ExpiresAtLTE(now.Add(Ahead)), stafftoken.RevokedAtIsNil(),
			stafftoken.RemindedAtIsNil()).Limit(batch).Load(ctx)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	open, err := s.DB(ctx).Store.Query().Where(store.StatusEQ(state.StoreOpen)).Exist(ctx)
	if err != nil || !open {
		return 0, err
	}
	for _, row := range rows {
		ok, err := remind(ctx, s, n, row)
		if err != nil {
			return sent, err
		}
		if ok {
			sent++
		}
	}
	return sent, nil
}

// remind marks a token and gives its holder notice, unless another process did or it was
// revoked meanwhile.
func remind(ctx context.Context, s *ent.Store, n *notify.Notifier, t *db.StaffToken) (sent bool, err error) {
	err = s.InTx(ctx, func(ctx context.Context) error {
		sent = false
		marked, err := s.DB(ctx).StaffToken.Update().
			Where(stafftoken.ID(t.ID), stafftoken.RevokedAtIsNil(), stafftoken.RemindedAtIsNil()).
			SetRemindedAt(micros.Now()).Save(ctx)
		if err != nil || marked == 0 || t.ExpiresAt.Time().Sub(t.ID.Time().Time()) <= Ahead {
			return err
		}
		people := s.Aside(ctx)
		holder, err := s.DB(people).User.Query().Where(user.ID(t.UserID)).Only(people)
		if err != nil {
			return err
		}
		sent = true
		return n.Append(ctx, s, notify.Notice{
			Level: state.NotificationWarning, Title: "A staff token ends soon",
			Body: fmt.Sprintf("The staff token “%s” of %s stops working on %s. Whatever uses it needs another one by "+
				"then: make it on the dashboard, under Security.", t.Name, holder.Name,
				t.ExpiresAt.Time().UTC().Format("2 January 2006, 15:04 MST")),
			Kind: xid.Token, ID: t.ID, Person: t.UserID,
		})
	})
	return sent, err
}
