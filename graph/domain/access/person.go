package access

import (
	"context"
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/db/useremail"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/audit"
)

// Person returns the person by id, or makes one at an e-mail address that nobody has, in a
// transaction that writes nothing of a store.
func (r *Resolver) Person(ctx context.Context, p Person) (row *db.User, err error) {
	if !p.ID.IsNil() {
		row, err = core.Only(r.Client(ctx).User.Query().Where(user.ID(p.ID)).Load(ctx))
		return row, core.Explain("person", err)
	}
	err = r.personal(ctx, func(ctx context.Context) (err error) {
		row, err = r.makePerson(ctx, p)
		return err
	})
	return row, err
}

// makePerson makes a person in the transaction of ctx. The directory of addresses is
// written first: its key alone decides who of two at once makes the person. One of the demo
// is there where a start of the demo ended before it had made the store.
func (r *Resolver) makePerson(ctx context.Context, p Person) (*db.User, error) {
	id := xid.New()
	err := r.Client(ctx).UserEmail.Create().SetID(p.Email).SetUserID(id).Exec(ctx)
	if ent.IsDuplicate(err) {
		if was, found := r.personAt(ctx, p.Email); found == nil && p.Demo && was.Demo {
			return was, nil
		}
		return nil, fault.Invalid(fault.Field{Pointer: "#/owner/email", Code: fault.Taken,
			Detail: "This address has an account: a person joins a store by an invitation alone."})
	}
	if err != nil {
		return nil, fmt.Errorf("take e-mail address: %w", err)
	}
	create := r.Client(ctx).User.Create().SetID(id).SetEmail(p.Email).SetName(p.Name).SetDemo(p.Demo).
		SetUpdatedAt(micros.Now())
	if p.PasswordHash != "" {
		create.SetPasswordHash(p.PasswordHash)
	}
	row, err := create.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("make person: %w", err)
	}
	return row, nil
}

// personal commits a change of a person's own account, whose rows are the only ones that f
// writes. The log of no store has it, unless by [Resolver.auditPerson].
func (r *Resolver) personal(ctx context.Context, f func(context.Context) error) error {
	return r.Commit(ctx, xid.User, func(ctx context.Context) (*core.Record, error) { return nil, f(ctx) })
}

// auditPerson notes a change of a person's own account in the log of the viewer's store too.
func (r *Resolver) auditPerson(ctx context.Context, person xid.ID, action string) error {
	return audit.WriteBehind(ctx, r.Tasks, person, action, xid.User, person, "")
}

// personAt returns the person with the email address, in any of its [mailbox.Forms].
// The reads are locking ones, so that a transaction sees whom another one has
// made since it began.
func (r *Resolver) personAt(ctx context.Context, email string) (*db.User, error) {
	lock := ent.ForUpdate
	if !r.Store.Within(ctx) {
		lock = ent.NoLock
	}
	var name *db.UserEmail
	err := core.ErrNoRow
	for _, form := range mailbox.Forms(email) {
		names := r.Client(ctx).UserEmail.Query().Where(useremail.ID(form))
		names.Modify(lock)
		if name, err = core.Only(names.Load(ctx)); !errors.Is(err, core.ErrNoRow) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	people := r.Client(ctx).User.Query().Where(user.ID(name.UserID))
	people.Modify(lock)
	return core.Only(people.Load(ctx))
}

// Person is somebody known, by their id, or else somebody new.
type Person struct {
	ID    xid.ID
	Email string
	Name  string
	// PasswordHash is what [password.Hash] returned, empty for none.
	PasswordHash string
	// Demo marks the store and a new person as the demo's.
	Demo bool
}
