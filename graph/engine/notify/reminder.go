package notify

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// TokenNotice is how long before its expiry the holder of a staff token is notified.
const TokenNotice = 7 * 24 * time.Hour

// reminderBatch bounds the tokens of one store that a round reads. The next round continues.
const reminderBatch = 100

// RemindOfTokens notifies the holders of staff tokens in open stores that expire within
// [TokenNotice], on the dashboard and by email, and returns how many it notified. Each token gets
// one notice, however many processes run at once. Tokens issued for no longer than that get none.
func RemindOfTokens(ctx context.Context, s *ent.Store, n *Notifier) (total int, err error) {
	total, err = s.SumStores(ctx, func(ctx context.Context) (int, error) { return tokensOf(ctx, s, n) })
	return total, fault.Wrap("remind of staff tokens", err)
}

func tokensOf(ctx context.Context, s *ent.Store, n *Notifier) (sent int, err error) {
	now := micros.Now()
	rows, err := s.DB(ctx).StaffToken.Query().
		Where(stafftoken.ExpiresAtGT(now), stafftoken.ExpiresAtLTE(now.Add(TokenNotice)), stafftoken.RevokedAtIsNil(),
			stafftoken.RemindedAtIsNil()).Limit(reminderBatch).Load(ctx)
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

// remind marks a token and notifies its holder, unless another process did or the token was revoked
// meanwhile.
func remind(ctx context.Context, s *ent.Store, n *Notifier, t *db.StaffToken) (sent bool, err error) {
	err = s.InTx(ctx, func(ctx context.Context) error {
		sent = false
		marked, err := s.DB(ctx).StaffToken.Update().
			Where(stafftoken.ID(t.ID), stafftoken.RevokedAtIsNil(), stafftoken.RemindedAtIsNil()).
			SetRemindedAt(micros.Now()).Save(ctx)
		if err != nil || marked == 0 || t.ExpiresAt.Time().Sub(t.ID.Time().Time()) <= TokenNotice {
			return err
		}
		people := s.Aside(ctx)
		holder, err := s.DB(people).User.Query().Where(user.ID(t.UserID)).Only(people)
		if err != nil {
			return err
		}
		sent = true
		return n.Append(ctx, s, Notice{
			Level: state.NotificationWarning, Title: "A staff token expires soon",
			Body: fmt.Sprintf("The staff token “%s” of %s stops working on %s. Create a new one in the dashboard, "+
				"under Security, and replace it before then.", t.Name, holder.Name,
				t.ExpiresAt.Time().UTC().Format("2 January 2006, 15:04 MST")),
			Kind: xid.Token, ID: t.ID, Person: t.UserID,
		})
	})
	return sent, err
}
