package notify_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

const day = 24 * time.Hour

// tokenShop is a store with an owner and a member who holds tokens.
type tokenShop struct {
	*ent.Store
	t      *testing.T
	ctx    context.Context
	holder xid.ID
	mails  *notify.Notifier
}

func openTokens(t *testing.T, s *ent.Store) *tokenShop {
	t.Helper()
	ctx, _ := storetest.Merchant(t, s)
	mails, err := notify.New("https://shop.example")
	if err != nil {
		t.Fatal(err)
	}
	w := &tokenShop{Store: s, t: t, ctx: ctx, mails: mails}
	w.hire(viewer.Owner, "owner@example.com")
	w.holder = w.hire(viewer.Support, "sam@example.com")
	return w
}

func (w *tokenShop) write(f func(ctx context.Context, c *db.Client) error) {
	w.t.Helper()
	if err := w.InTx(w.ctx, func(ctx context.Context) error { return f(ctx, w.DB(ctx)) }); err != nil {
		w.t.Fatal(err)
	}
}

func (w *tokenShop) hire(role viewer.Role, email string) xid.ID {
	w.t.Helper()
	id, now := xid.New(), micros.Now()
	w.write(func(ctx context.Context, c *db.Client) error {
		return c.User.Create().SetID(id).SetEmail(email).SetName("Sam").SetUpdatedAt(now).Exec(ctx)
	})
	w.write(func(ctx context.Context, c *db.Client) error {
		return c.Staff.Create().SetID(id).SetRole(role).SetUpdatedAt(now).Exec(ctx)
	})
	return id
}

// token creates a token of the holder with an age and a remaining lifetime.
func (w *tokenShop) token(name string, age, left time.Duration, edit func(*db.StaffTokenCreate)) {
	w.t.Helper()
	now := micros.Now()
	w.write(func(ctx context.Context, c *db.Client) error {
		row := c.StaffToken.Create().SetID(xid.First(now.Add(-age))).SetUserID(w.holder).SetName(name).SetHint("sft_").
			SetExpiresAt(now.Add(left))
		if edit != nil {
			edit(row)
		}
		return row.Exec(ctx)
	})
}

// round runs one round and returns how many people were notified.
func (w *tokenShop) round() int {
	w.t.Helper()
	n, err := notify.RemindOfTokens(w.t.Context(), w.Store, w.mails)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// said returns the notices of the store and the addresses of its emails.
func (w *tokenShop) said() (list []string) {
	for _, n := range w.DB(w.ctx).Notification.Query().AllX(w.ctx) {
		list = append(list, n.Body)
	}
	for _, m := range w.DB(w.ctx).Mail.Query().AllX(w.ctx) {
		list = append(list, m.Recipient)
	}
	slices.Sort(list)
	return list
}

// Only the holder of a token that expires within a week is notified, once and by name.
func TestTokens(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		beside, w := openTokens(t, s), openTokens(t, s)
		now := micros.Now()
		w.token("Due", 83*day, 7*day-time.Minute, nil)
		w.token("Later", 81*day, 7*day+time.Hour, nil)
		w.token("Over", 90*day, -time.Second, nil)
		w.token("Revoked", 84*day, 6*day, func(c *db.StaffTokenCreate) { c.SetRevokedAt(now) })
		w.token("Reminded", 85*day, 5*day, func(c *db.StaffTokenCreate) { c.SetRemindedAt(now) })
		w.token("Short", day, 6*day, nil)
		w.token("Endless", 86*day, 0, func(c *db.StaffTokenCreate) { c.Mutation().ClearExpiresAt() })
		if n := w.round(); n != 1 {
			t.Errorf("%d got notice, want 1", n)
		}
		if n := w.round(); n != 0 {
			t.Errorf("%d got notice again", n)
		}
		ends := now.Add(7*day - time.Minute).Time().UTC().Format("2 January 2006")
		want := []string{"The staff token “Due” of Sam stops working on " + ends, "sam@example.com"}
		got := w.said()
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], ", ")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if got := beside.said(); got != nil {
			t.Errorf("another store got %q", got)
		}
	})
}

// Concurrent processes notify about a token once.
func TestTokensAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := openTokens(t, s)
		w.token("Due", 83*day, 6*day, nil)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := notify.RemindOfTokens(t.Context(), s, w.mails); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := w.said(); len(got) != 2 {
			t.Errorf("said %q, want one notice and one email", got)
		}
	})
}

// Tokens of a closed store cause no notice.
func TestTokensOfClosedStore(t *testing.T) {
	w := openTokens(t, storetest.Open(t))
	w.token("Due", 83*day, 6*day, nil)
	w.write(func(ctx context.Context, c *db.Client) error {
		return c.Store.Update().SetStatus(state.StoreClosed).Exec(ctx)
	})
	if n := w.round(); n != 0 || w.said() != nil {
		t.Errorf("%d got notice: %q", n, w.said())
	}
}
