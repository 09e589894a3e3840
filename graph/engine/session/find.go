package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/db/membership"
	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/db/useremail"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const maxStores = 1000

const touchTimeout = 500 * time.Millisecond

// row is a person with one of their stores, or with none, as the statements below read them.
type row struct {
	User       xid.ID             `sql:"user_id"`
	Name       string             `sql:"user_name"`
	Email      string             `sql:"email"`
	VerifiedAt *micros.Time       `sql:"verified_at"`
	Hash       *string            `sql:"password_hash"`
	SeenAt     micros.Time        `sql:"seen_at"`
	ProvedAt   *micros.Time       `sql:"proved_at"`
	Store      *xid.ID            `sql:"store_id"`
	Handle     *string            `sql:"handle"`
	Shop       *string            `sql:"store_name"`
	Currency   *string            `sql:"currency"`
	Legacy     *bool              `sql:"legacy"`
	Role       *viewer.Role       `sql:"role"`
	Required   *bool              `sql:"second_factor"`
	Status     *state.StoreStatus `sql:"status"`
	Factor     bool               `sql:"has_factor"`
}

// Find returns the person of a session token, or nil if the session is unknown, ended or expired.
// It runs one statement by key, and once a minute a second one that records the use. An unavailable
// database is an Unavailable fault.
func (k *Keeper) Find(ctx context.Context, token string) (*Person, error) {
	sum, ok := digest.OfToken(token)
	if !ok {
		return nil, nil
	}
	now := micros.Now()
	var rows []row
	err := k.store.DB(ctx).Session.Query().
		Where(session.ID(sum), session.ExpiresAtGT(now), session.SeenAtGT(now.Add(-Idle))).
		Modify(func(s *sql.Selector) {
			people := s.C(session.FieldUserID)
			s.Select(append(k.memberships(s, people), s.C(session.FieldSeenAt), s.C(session.FieldProvedAt))...)
		}).Scan(ctx, &rows)
	if err != nil {
		return nil, explain("find session", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	k.touch(ctx, sum, rows[0].SeenAt, now)
	p, err := k.withFactor(ctx, rows)
	if err != nil {
		return nil, explain("find session", err)
	}
	p.Session = sum
	if at := rows[0].ProvedAt; at != nil {
		p.ProvedAt = *at
	}
	return p, nil
}

// memberships joins a statement about people with their open stores and the closed ones that they
// own, if any, and returns the columns of [row]. person is the column of the person's id. It reads
// across stores, which is allowed because the stores are the person's own.
func (k *Keeper) memberships(s *sql.Selector, person string) []string {
	u, of, m, shop := sql.Table(user.Table), sql.Table(membership.Table), sql.Table(staff.Table), sql.Table(store.Table)
	s.Join(u).On(u.C(user.FieldID), person)
	s.LeftJoin(of).On(of.C(membership.FieldID), u.C(user.FieldID))
	s.LeftJoin(m).On(m.C(staff.FieldStoreID), of.C(membership.FieldStoreID)).
		On(m.C(staff.FieldID), of.C(membership.FieldID))
	s.LeftJoin(shop).OnP(sql.And(sql.ColumnsEQ(m.C(staff.FieldStoreID), shop.C(store.FieldID)),
		sql.Or(sql.EQ(shop.C(store.FieldStatus), state.StoreOpen),
			sql.EQ(m.C(staff.FieldRole), viewer.Owner))))
	s.OrderBy(m.C(staff.FieldStoreID)).Limit(maxStores)
	columns := []string{
		sql.As(u.C(user.FieldID), "user_id"), sql.As(u.C(user.FieldName), "user_name"),
		sql.As(u.C(user.FieldEmail), "email"), sql.As(u.C(user.FieldVerifiedAt), "verified_at"),
		sql.As(u.C(user.FieldPasswordHash), "password_hash"),
		sql.As(shop.C(store.FieldID), "store_id"), sql.As(shop.C(store.FieldHandle), "handle"),
		sql.As(shop.C(store.FieldName), "store_name"), sql.As(shop.C(store.FieldCurrency), "currency"),
		sql.As(shop.C(store.FieldLegacy), "legacy"), sql.As(m.C(staff.FieldRole), "role"),
		sql.As(shop.C(store.FieldSecondFactor), "second_factor"), sql.As(shop.C(store.FieldStatus), "status"),
	}
	if k.store.Sharded() {
		return columns // see withFactor
	}
	return append(columns, sql.As("EXISTS (SELECT 1 FROM `"+factor.Table+"` AS `f` WHERE `f`.`"+factor.FieldUserID+
		"` = "+u.C(user.FieldID)+")", "has_factor"))
}

// withFactor builds a person from their rows. On several shards it reads their second factor
// separately, because their stores may lie on other shards than they do.
func (k *Keeper) withFactor(ctx context.Context, rows []row) (*Person, error) {
	p := personOf(rows)
	if !k.store.Sharded() {
		return p, nil
	}
	has, err := k.store.DB(ctx).Factor.Query().Where(factor.UserID(p.User)).Exist(ctx)
	p.HasFactor = has
	return p, err
}

// byEmail returns the person with a folded email address and their password hash, or nil if there
// is none. It runs one statement for each of the address's [mailbox.Forms].
func (k *Keeper) byEmail(ctx context.Context, email string) (*Person, string, error) {
	var rows []row
	for _, form := range mailbox.Forms(email) {
		err := k.store.DB(ctx).UserEmail.Query().Where(useremail.ID(form)).
			Modify(func(s *sql.Selector) { s.Select(k.memberships(s, s.C(useremail.FieldUserID))...) }).Scan(ctx, &rows)
		if err != nil {
			return nil, "", fmt.Errorf("find person: %w", err)
		}
		if len(rows) > 0 {
			break
		}
	}
	if len(rows) == 0 {
		return nil, "", nil
	}
	p, err := k.withFactor(ctx, rows)
	if err != nil {
		return nil, "", fmt.Errorf("find person: %w", err)
	}
	if rows[0].Hash == nil {
		return p, "", nil
	}
	return p, *rows[0].Hash, nil
}

// Of returns a person by their id, without a session, or nil if there is none.
func (k *Keeper) Of(ctx context.Context, id xid.ID) (*Person, error) {
	var rows []row
	err := k.store.DB(ctx).User.Query().Where(user.ID(id)).
		Modify(func(s *sql.Selector) { s.Select(k.memberships(s, s.C(user.FieldID))...) }).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("find person: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	p, err := k.withFactor(ctx, rows)
	return p, fault.Wrap("find person", err)
}

func personOf(rows []row) *Person {
	p := &Person{User: rows[0].User, Name: rows[0].Name, Email: rows[0].Email, Verified: rows[0].VerifiedAt != nil,
		HasFactor: rows[0].Factor}
	for _, r := range rows {
		if r.Store == nil || r.Role == nil {
			continue // no store, a closed one of another owner, or a directory entry without a membership
		}
		p.Memberships = append(p.Memberships, Membership{Store: *r.Store, Handle: *r.Handle, Name: *r.Shop,
			Currency: *r.Currency, Legacy: *r.Legacy, Role: *r.Role, SecondFactor: *r.Required,
			Closed: *r.Status != state.StoreOpen})
	}
	slices.SortStableFunc(p.Memberships, func(a, b Membership) int {
		if a.Closed != b.Closed {
			return map[bool]int{true: 1, false: -1}[a.Closed]
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return p
}

// touch records that a session is used, at most once a minute. Of concurrent requests the first one
// writes. If the write fails, the request continues and the next one tries again.
func (k *Keeper) touch(ctx context.Context, sum digest.Sum, seen, now micros.Time) {
	if now < seen.Add(seenEvery) || k.store.Within(ctx) {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, touchTimeout)
	defer cancel()
	err := k.store.InTx(bounded, func(ctx context.Context) error {
		return k.store.DB(ctx).Session.Update().Where(session.ID(sum), session.SeenAt(seen)).SetSeenAt(now).
			SetNillableAddress(viewer.OriginOf(ctx).Address()).Exec(ctx)
	})
	if err != nil {
		k.log.WarnContext(ctx, "the use of a session could not be recorded", "error", err)
	}
}

// List returns a person's live sessions, newest first, at most 100.
func (k *Keeper) List(ctx context.Context, person xid.ID) ([]*db.Session, error) {
	now := micros.Now()
	rows, err := k.store.DB(ctx).Session.Query().
		Where(session.UserID(person), session.ExpiresAtGT(now), session.SeenAtGT(now.Add(-Idle))).
		Order(session.ByCreatedAt(sql.OrderDesc()), session.ByID()).Limit(100).All(ctx)
	return rows, fault.Wrap("list sessions", err)
}
