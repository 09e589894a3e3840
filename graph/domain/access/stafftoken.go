package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/membership"
	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// The lifetime of a staff token (contract, section 12). Tokens of earlier releases may have no end,
// and keep none.
const (
	tokenLife        = 90 * 24 * time.Hour // the default
	longestTokenLife = 365 * 24 * time.Hour
)

// StaffTokens lists the staff tokens of the store, including revoked ones, newest first.
func (q Query) StaffTokens(ctx context.Context, first *int, after *string) (*model.StaffTokenConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*db.StaffToken]{
		Name: "staff_tokens",
		At:   func(t *db.StaffToken) page.Position { return core.ByID(t.ID) },
		Read: core.ReadNewest(ent.Primary, q.Client(ctx).StaffToken.Query, core.Self[*db.StaffToken]),
	}, first, after)
}

// StaffTokenCreate creates a token for the calling person; its secret is only in this answer. The
// token ends after 90 days, or at expiresAt, at most 365 days from now. A sensitive token passes
// [core.RequireProof].
func (m Mutation) StaffTokenCreate(ctx context.Context, name string,
	expiresAt *micros.Time, sensitive bool,
) (*model.StaffTokenPayload, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !v.IsPerson() {
		return nil, fault.New(fault.Forbidden, "Only a person can have staff tokens.")
	}
	return m.NewStaffToken(ctx, v.Actor, name, expiresAt, sensitive)
}

// NewStaffToken creates a token for a member of the viewer's store, at their own request or the
// operator's. Callers must check authorization.
func (r *Resolver) NewStaffToken(ctx context.Context, person xid.ID, name string,
	expiresAt *micros.Time, sensitive bool,
) (*model.StaffTokenPayload, error) {
	m := Mutation{r}
	c := &core.Check{}
	c.Line("name", name, limit.Line)
	end := tokenEnd(c, "expires_at", expiresAt)
	if err := c.Err(); err != nil {
		return nil, err
	}
	secret := apikey.Mint(apikey.Staff)
	var row *db.StaffToken
	err := m.commitHeld(ctx, xid.User, func(ctx context.Context) (_ *change.Record, err error) {
		// The lock makes a concurrent removal of the member wait and then revoke this token too.
		if _, err = m.membership(ctx, person); err != nil {
			return nil, err
		}
		id := xid.New()
		if err = r.register(ctx, secret, id); err != nil {
			return nil, err
		}
		row, err = r.Client(ctx).StaffToken.Create().SetID(id).SetUserID(person).SetName(name).
			SetHint(apikey.Hint(secret)).SetExpiresAt(end).SetSensitive(sensitive).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("create staff token: %w", err)
		}
		return &change.Record{Action: "staff_token.create", Kind: xid.Token, ID: id}, r.logToken(ctx, row)
	})
	if err != nil {
		return nil, err
	}
	return &model.StaffTokenPayload{StaffToken: row, Token: new(secret.Reveal())}, nil
}

func (r *Resolver) logToken(ctx context.Context, row *db.StaffToken) error {
	err := audit.AccountBehind(ctx, r.Tasks, row.UserID, state.AccountTokenMade, row.Name)
	if err != nil || !r.Notifier.Sends() {
		return err
	}
	shop, err := r.CurrentStore(ctx)
	if err != nil {
		return err
	}
	return r.warnOf(ctx, row.StoreID, row.UserID, "A staff token was created in your name",
		fmt.Sprintf("The staff token \"%s\" was created in your name. Until %s, anyone who has it can act as you in "+
			"the store %s.", row.Name, day(row.ExpiresAt.Time()), shop.Name))
}

func tokenEnd(c *core.Check, name string, asked *micros.Time) micros.Time {
	now := micros.Now()
	if asked == nil {
		return now.Add(tokenLife)
	}
	checkExpiry(c, name, asked)
	if *asked > now.Add(longestTokenLife) {
		c.Add(name, fault.OutOfRange, "A staff token is valid for at most 365 days.")
	}
	return *asked
}

// holdCredential checks, in the transaction of ctx, that the calling person's credential is still
// valid, and keeps it valid until the commit. Other processes may accept a revoked credential for
// some seconds; a token that it creates must not outlive a password change.
func (m Mutation) holdCredential(ctx context.Context) (err error) {
	v := viewer.From(ctx)
	switch {
	case v.Session != digest.Sum{}:
		_, err = core.Row(ctx, m.Client(ctx).Session.Query().Where(session.ID(v.Session)), ent.ForUpdate)
	case v.IsPerson() && !v.Credential.IsNil():
		_, err = core.Row(ctx, m.Client(ctx).StaffToken.Query().
			Where(stafftoken.ID(v.Credential), stafftoken.RevokedAtIsNil()), ent.ForUpdate)
	}
	if errors.Is(err, core.ErrNoRow) {
		return fault.New(fault.InvalidToken, "The credential is no longer valid.")
	}
	return err
}

// commitHeld commits a change of the viewer's store while the calling person's credential stays
// valid. If the session is on another shard than the store, a separate transaction holds it.
func (m Mutation) commitHeld(
	ctx context.Context, kind xid.Kind, f func(context.Context) (*change.Record, error),
) error {
	if m.Store.Sharded() && viewer.From(ctx).Session != (digest.Sum{}) {
		return m.Sessions.Hold(ctx, m.holdCredential, func() error { return m.Commit(ctx, kind, f) })
	}
	return m.Commit(ctx, kind, func(ctx context.Context) (*change.Record, error) {
		if err := m.holdCredential(ctx); err != nil {
			return nil, err
		}
		return f(ctx)
	})
}

// register adds a credential of the viewer's store to the directory, before its row is written.
func (r *Resolver) register(ctx context.Context, secret apikey.Secret, id xid.ID) error {
	_, kind, ok := apikey.Parse(secret.Reveal())
	if !ok {
		return fmt.Errorf("register credential: malformed")
	}
	return fault.Wrap("register credential",
		r.Client(ctx).Credential.Create().SetID(digest.Sum(secret.Hash())).SetStoreID(viewer.From(ctx).Store).
			SetCredentialID(id).SetKind(string(kind)).Exec(ctx))
}

func checkExpiry(c *core.Check, name string, t *micros.Time) {
	if t != nil && *t <= micros.Now() {
		c.Add(name, fault.OutOfRange, "The time is not in the future.")
	}
}

// StaffTokenRevoke revokes a token: the caller's own or, for owners and admins, anyone's.
func (m Mutation) StaffTokenRevoke(ctx context.Context, id string) (*model.StaffTokenPayload, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.Token, id)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Token, func(ctx context.Context) (
		*model.StaffTokenPayload, *change.Record, error,
	) {
		row, err := core.Only(m.Client(ctx).StaffToken.Query().Where(stafftoken.ID(uid)).Load(ctx))
		if err != nil {
			return nil, nil, err
		}
		if mine := v.IsPerson() && row.UserID == v.Actor; !mine && v.Role != viewer.Owner && v.Role != viewer.Admin {
			return nil, nil, core.ErrNoRow // another person's token is reported as missing
		}
		now := micros.Now()
		n, err := m.Client(ctx).StaffToken.Update().Where(stafftoken.ID(uid), stafftoken.RevokedAtIsNil()).
			SetRevokedAt(now).Save(ctx)
		if err := unrevoked(xid.Token, n, err); err != nil {
			return nil, nil, err
		}
		row.RevokedAt = &now
		return &model.StaffTokenPayload{StaffToken: row},
			&change.Record{Action: "staff_token.revoke", Kind: xid.Token, ID: uid},
			m.Keys.Revoke(ctx, row.StoreID, row.StoreID)
	})
}

// unrevoked checks the result of an update that excludes revoked credentials. A count of 0 means
// that the credential was already revoked.
func unrevoked(kind xid.Kind, count int, err error) error {
	if err == nil && count == 0 {
		return alreadyRevoked(kind)
	}
	return fault.Wrap("change "+change.KindName(kind), err)
}

func alreadyRevoked(kind xid.Kind) error {
	return fault.State(fault.AlreadyRevoked, "The "+change.KindName(kind)+" was revoked before.")
}

// TokensTask revokes a person's staff tokens in one store. The person is the home of the task.
const TokensTask task.Kind = "access.end_tokens"

// EndTokens runs a [TokensTask].
func (r *Resolver) EndTokens(ctx context.Context, t task.Task) error {
	if err := r.endTokens(viewer.Operator(ctx, t.Target), t.Home); err != nil {
		return err
	}
	return r.Keys.Revoke(ctx, t.Target, t.Home)
}

func (r *Resolver) inEachStore(ctx context.Context, kind task.Kind, person xid.ID) error {
	there := r.Store.Aside(ctx)
	stores, err := r.Client(there).Membership.Query().Where(membership.ID(person)).Order(membership.ByStoreID()).
		Load(there)
	if err != nil {
		return fmt.Errorf("find a person's stores: %w", err)
	}
	for _, s := range stores {
		if _, err := r.Tasks.Put(ctx, kind, person, s.StoreID, struct{}{}); err != nil {
			return err
		}
	}
	return nil
}
