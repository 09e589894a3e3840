package graph

import (
	"context"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/trail"
)

// maxStoreHandle is the longest handle of a store: a label of a host name (RFC
// 1035, section 2.3.4).
const maxStoreHandle = 63

// StoreCreate makes another store, whose owner is the calling person.
func (m Mutation) StoreCreate(ctx context.Context, in model.StoreCreateInput) (*model.StorePayload, error) {
	v, err := asker(ctx)
	if err != nil {
		return nil, err
	}
	if !v.IsPerson() || v.Role != viewer.Owner {
		return nil, fault.New(fault.Forbidden, "Only a person who owns a store may make another one.")
	}
	s, _, err := m.NewStore(ctx, in, Person{ID: v.Actor})
	if err != nil {
		return nil, err
	}
	return &model.StorePayload{Store: s}, nil
}

// Person is who will own a new store: a known one by id or e-mail address, or
// else a new one.
type Person struct {
	ID    xid.ID
	Email string
	Name  string
	// PasswordHash is what [password.Hash] returned, empty for none; a person who
	// is known already keeps his own.
	PasswordHash string
	// Demo marks the store and a new person as the demo's.
	Demo bool
}

// NewStore makes a store with its owner, in one transaction. It is what the
// mutation, the command line and the demo share; who may call it is theirs to
// decide. Its rows name the viewer of ctx as their actor, or else the operator.
func (r *Resolver) NewStore(ctx context.Context, in model.StoreCreateInput, owner Person) (*model.Store, *db.User, error) {
	if err := checkStore(ctx, &in, &owner); err != nil {
		return nil, nil, err
	}
	id := xid.New()
	ctx = inStore(ctx, id)
	var s *db.Store
	var person *db.User
	err := r.Store.InTx(ctx, func(ctx context.Context) (err error) {
		handle, err := r.takeHandle(ctx, id, in)
		if err != nil {
			return err
		}
		s, err = r.client(ctx).Store.Create().SetID(id).SetHandle(handle).SetName(in.Name).SetCurrency(in.Currency).
			SetTimezone(in.Timezone).SetDemo(owner.Demo).SetUpdatedAt(id.Time()).Save(ctx)
		if err != nil {
			return fmt.Errorf("make store: %w", err)
		}
		if person, _, err = r.person(ctx, owner); err != nil {
			return err
		}
		if _, err := r.enrol(ctx, person.ID, viewer.Owner); err != nil {
			return fmt.Errorf("make the owner's membership: %w", err)
		}
		if err := r.dress(ctx, s); err != nil {
			return err
		}
		return trail.Write(ctx, r.client(ctx), "store.create", xid.Store, id, "")
	})
	if err != nil {
		return nil, nil, explain("person", err)
	}
	return r.shown(s), person, nil
}

// dress gives a new store the theme that it begins with.
func (r *Resolver) dress(ctx context.Context, s *db.Store) error {
	t, err := r.Themes.First(ctx)
	if err != nil {
		return fmt.Errorf("give the store a theme: %w", err)
	}
	if t != nil {
		s.ActiveThemeID = &t.ID
	}
	return nil
}

// inStore returns a context in which the same viewer, or else the operator,
// works in another store.
func inStore(ctx context.Context, id xid.ID) context.Context {
	v := viewer.From(ctx)
	if v == nil || v.Everywhere {
		return viewer.Operator(ctx, id)
	}
	there := *v
	there.Store = id
	return viewer.With(ctx, &there)
}

// takeHandle enters the store into the directory of handles, which alone says
// whether one is free.
func (r *Resolver) takeHandle(ctx context.Context, id xid.ID, in model.StoreCreateInput) (string, error) {
	handle := storeSlug(in.Name)
	if in.Handle != nil {
		handle = *in.Handle
	}
	err := r.handleRow(ctx, id, handle)
	if !ent.IsDuplicate(err) {
		return handle, err
	}
	if in.Handle != nil {
		return "", fault.Invalid(fault.Field{Pointer: "#/handle", Code: fault.Taken, Detail: "Another store has this handle."})
	}
	// suffixed keeps to the longer handles of products.
	const room = maxStoreHandle - len("-") - 6
	handle = suffixed(handle[:min(len(handle), room)], xid.Store.Format(id))
	return handle, r.handleRow(ctx, id, handle)
}

func (r *Resolver) handleRow(ctx context.Context, id xid.ID, handle string) error {
	if err := r.client(ctx).StoreHandle.Create().SetID(handle).SetStoreID(id).Exec(ctx); err != nil {
		return fmt.Errorf("take handle: %w", err)
	}
	return nil
}

// storeSlug makes a handle from a store's name.
func storeSlug(name string) string {
	s := slug(name, "store")
	return strings.TrimRight(s[:min(len(s), maxStoreHandle)], "-")
}

// checkStore judges a new store and its owner, and brings the currency to upper
// and the e-mail address to lower case.
func checkStore(ctx context.Context, in *model.StoreCreateInput, owner *Person) error {
	c := newCheck(ctx)
	c.line("name", in.Name, 255)
	opt(in.Handle, func(s string) { c.storeHandle("handle", s) })
	in.Currency = c.currency("currency", in.Currency)
	c.timezone("timezone", in.Timezone)
	if owner.ID.IsNil() {
		owner.Email = c.email("owner/email", owner.Email)
		c.line("owner/name", owner.Name, 255)
	}
	return c.err()
}

// storeHandle checks the handle of a store, which is part of host names.
func (c *check) storeHandle(name, handle string) {
	c.handle(name, handle, maxStoreHandle)
	if strings.HasPrefix(handle, "-") || strings.HasSuffix(handle, "-") {
		c.add(name, fault.InvalidFormat, "A store's handle neither begins nor ends with a hyphen.")
	}
}
