package factor

import (
	"context"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/db/membership"
	dbsession "github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/session"
)

// Rename changes the name of a factor.
func (k *Keeper) Rename(ctx context.Context, by By, id xid.ID, name string) (row *db.Factor, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		if _, err := k.enter(ctx, by); err != nil {
			return err
		}
		if row, _, err = k.find(ctx, by.Person, id); err != nil {
			return err
		}
		if row.Name, err = checkName(row.Kind, name); err != nil {
			return err
		}
		err = k.store.DB(ctx).Factor.Update().Where(factor.UserID(by.Person), factor.ID(id)).SetName(row.Name).
			Exec(ctx)
		return fault.Wrap("rename a factor", err)
	})
	return row, err
}

func (k *Keeper) find(ctx context.Context, person, id xid.ID) (*db.Factor, []*db.Factor, error) {
	rows, err := k.List(ctx, person)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(rows, func(f *db.Factor) bool { return f.ID == id })
	if i < 0 {
		return nil, nil, fault.Missing("factor")
	}
	return rows[i], rows, nil
}

// Remove removes a factor and the person's unfinished challenges. The last factor takes the
// recovery codes with it, and cannot be removed while a store of the person requires one.
func (k *Keeper) Remove(ctx context.Context, by By, id xid.ID) error {
	return k.store.InTx(ctx, func(ctx context.Context) error {
		person, err := k.enter(ctx, by)
		if err != nil {
			return err
		}
		row, all, err := k.find(ctx, by.Person, id)
		if err != nil {
			return err
		}
		if len(all) == 1 {
			if err := k.checkRequired(ctx, by.Person); err != nil {
				return err
			}
		}
		return k.remove(ctx, person, row, len(all) == 1)
	})
}

func (k *Keeper) remove(ctx context.Context, person *db.User, row *db.Factor, last bool) error {
	c := k.store.DB(ctx)
	if _, err := c.Factor.Delete().Where(factor.UserID(person.ID), factor.ID(row.ID)).Exec(ctx); err != nil {
		return fmt.Errorf("remove a factor: %w", err)
	}
	err := session.DropChallenge(ctx, c, person.ID, state.ChallengeSecond, state.ChallengePasskey, state.ChallengeTOTP)
	if err != nil {
		return err
	}
	if last {
		if err := dropCodes(ctx, c, person.ID); err != nil {
			return err
		}
	}
	return k.note(ctx, person, state.AccountFactorRemoved, row.Kind, row.Name)
}

// checkRequired returns a fault if a store of the person requires a second factor. It reads across
// stores, which is allowed because the stores are the person's own.
func (k *Keeper) checkRequired(ctx context.Context, person xid.ID) error {
	ctx = k.store.Aside(ctx)
	names, err := k.store.DB(ctx).Store.Query().
		Where(store.SecondFactor(true), store.StatusEQ(state.StoreOpen), func(s *sql.Selector) {
			of, m := sql.Table(membership.Table), sql.Table(staff.Table)
			mine := sql.Select(of.C(membership.FieldStoreID)).From(of).Where(sql.EQ(of.C(membership.FieldID), person))
			mine.Join(m).On(m.C(staff.FieldStoreID), of.C(membership.FieldStoreID)).
				On(m.C(staff.FieldID), of.C(membership.FieldID))
			s.Where(sql.In(s.C(store.FieldID), mine))
		}).Order(store.ByName()).Limit(1).All(viewer.Everywhere(ctx))
	if err != nil {
		return fmt.Errorf("find stores that require a factor: %w", err)
	}
	if len(names) > 0 {
		return fault.State(fault.SecondFactorNeeded, "The store "+names[0].Name+
			" requires a second factor. Add another one first.")
	}
	return nil
}

// Reset removes all factors of a person, regardless of what their stores require, and ends their
// sessions. Operators use it for people who have lost their factors. It returns how many there were
// and joins the transaction of ctx.
func (k *Keeper) Reset(ctx context.Context, id xid.ID) (n int, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		person, err := k.hold(ctx, id)
		if err != nil {
			return err
		}
		all, err := k.List(ctx, id)
		if err != nil {
			return err
		}
		for i, row := range all {
			if err := k.remove(ctx, person, row, i == len(all)-1); err != nil {
				return err
			}
		}
		n = len(all)
		_, err = k.store.DB(ctx).Session.Delete().Where(dbsession.UserID(id)).Exec(ctx)
		return err
	})
	return n, fault.Wrap("reset factors", err)
}
