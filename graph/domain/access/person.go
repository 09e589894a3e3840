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
	"github.com/storefront-go/storefront/graph/engine/change"
)

// Person returns the person by id, or creates one with an unused email address in a transaction
// that writes no rows of a store.
func (r *Resolver) Person(ctx context.Context, p Person) (row *db.User, err error) {
	if !p.ID.IsNil() {
		row, err = r.user(ctx, p.ID)
		return row, core.Explain("person", err)
	}
	err = r.personal(ctx, func(ctx context.Context) (err error) {
		row, err = r.createPerson(ctx, p)
		return err
	})
	return row, err
}

// createPerson creates a person in the transaction of ctx. It writes the directory of addresses
// first: its key decides which of two concurrent calls creates the person. A demo person may exist
// already if an earlier start of the demo ended before it created the store.
func (r *Resolver) createPerson(ctx context.Context, p Person) (*db.User, error) {
	id := xid.New()
	err := r.Client(ctx).UserEmail.Create().SetID(p.Email).SetUserID(id).Exec(ctx)
	if ent.IsDuplicate(err) {
		if was, found := r.personAt(ctx, p.Email); found == nil && p.Demo && was.Demo {
			return was, nil
		}
		return nil, core.Invalid("owner/email", fault.Taken,
			"This address already has an account. Invite the person instead.")
	}
	if err != nil {
		return nil, fmt.Errorf("reserve email address: %w", err)
	}
	create := r.Client(ctx).User.Create().SetID(id).SetEmail(p.Email).SetName(p.Name).SetDemo(p.Demo).
		SetUpdatedAt(micros.Now())
	if p.PasswordHash != "" {
		create.SetPasswordHash(p.PasswordHash)
	}
	row, err := create.Save(ctx)
	return row, fault.Wrap("create person", err)
}

// personal commits a change of a person's own account; f may only write rows of that person. No
// store's audit log records it, except by [Resolver.auditPerson].
func (r *Resolver) personal(ctx context.Context, f func(context.Context) error) error {
	return r.Commit(ctx, xid.User, func(ctx context.Context) (*change.Record, error) { return nil, f(ctx) })
}

// auditPerson also records a change of a person's account in the audit log of the viewer's store.
func (r *Resolver) auditPerson(ctx context.Context, person xid.ID, action string) error {
	return audit.WriteBehind(ctx, r.Tasks, person, action, xid.User, person, "")
}

// personAt returns the person with the email address, in any of its [mailbox.Forms]. In a
// transaction the reads lock, so that it sees people whom other transactions created since it
// began.
func (r *Resolver) personAt(ctx context.Context, email string) (*db.User, error) {
	lock := ent.ForUpdate
	if !r.Store.Within(ctx) {
		lock = ent.NoLock
	}
	var name *db.UserEmail
	err := core.ErrNoRow
	for _, form := range mailbox.Forms(email) {
		name, err = core.Row(ctx, r.Client(ctx).UserEmail.Query().Where(useremail.ID(form)), lock)
		if !errors.Is(err, core.ErrNoRow) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return core.Row(ctx, r.Client(ctx).User.Query().Where(user.ID(name.UserID)), lock)
}

// Person is an existing person by id, or else a new one.
type Person struct {
	ID    xid.ID
	Email string
	Name  string
	// PasswordHash comes from [password.Hash]; empty for none.
	PasswordHash string
	// Demo marks the store and a new person as part of the demo.
	Demo bool
}
