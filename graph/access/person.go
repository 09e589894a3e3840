package access

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/db/useremail"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// Person returns the person by id or e-mail address, or makes one; fresh reports
// which. The directory of addresses is written first: its key alone decides who
// of two at once makes the person.
func (r *Resolver) Person(ctx context.Context, p Person) (row *db.User, fresh bool, err error) {
	if !p.ID.IsNil() {
		row, err = core.Only(r.Client(ctx).User.Query().Where(user.ID(p.ID)).Load(ctx))
		return row, false, err
	}
	id := xid.New()
	err = r.Client(ctx).UserEmail.Create().SetID(p.Email).SetUserID(id).Exec(ctx)
	if ent.IsDuplicate(err) {
		row, err = r.personAt(ctx, p.Email)
		return row, false, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("take e-mail address: %w", err)
	}
	create := r.Client(ctx).User.Create().SetID(id).SetEmail(p.Email).SetName(p.Name).SetDemo(p.Demo).
		SetUpdatedAt(micros.Now())
	if p.PasswordHash != "" {
		create.SetPasswordHash(p.PasswordHash)
	}
	if row, err = create.Save(ctx); err != nil {
		return nil, false, fmt.Errorf("make person: %w", err)
	}
	return row, true, nil
}

// personAt returns the person with the e-mail address, which is in lower case.
// The reads are locking ones, so that a transaction sees whom another one has
// made since it began.
func (r *Resolver) personAt(ctx context.Context, email string) (*db.User, error) {
	lock := ent.ForUpdate
	if !r.Store.Within(ctx) {
		lock = ent.NoLock
	}
	names := r.Client(ctx).UserEmail.Query().Where(useremail.ID(email))
	names.Modify(lock)
	name, err := core.Only(names.Load(ctx))
	if err != nil {
		return nil, err
	}
	people := r.Client(ctx).User.Query().Where(user.ID(name.UserID))
	people.Modify(lock)
	return core.Only(people.Load(ctx))
}

// Person is who will own a new store: a known one by id or e-mail address, or
// else a new one.
type Person struct {
	ID    xid.ID
	Email string
	Name  string
	// PasswordHash is what [password.Hash] returned, empty for none; a person who
	// is known already keeps their own.
	PasswordHash string
	// Demo marks the store and a new person as the demo's.
	Demo bool
}
