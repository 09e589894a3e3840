package demo

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/storehandle"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/db/useremail"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

func (s *seeder) open(ctx context.Context) error {
	ctx = viewer.Everywhere(ctx)
	if err := s.openUser(ctx); err != nil {
		return fmt.Errorf("make the owner: %w", err)
	}
	found, err := s.find(ctx)
	if err != nil || found {
		return err
	}
	made, err := s.StoreCreate(viewer.With(ctx, s.person()),
		model.StoreCreateInput{Name: s.Name, Handle: &s.Handle, Currency: s.Currency, Timezone: s.Timezone})
	if err != nil {
		return fmt.Errorf("make the store: %w", err)
	}
	s.store = made.Store.Store
	return nil
}

// find looks up the store by its handle. An ordinary store with that handle is left alone.
func (s *seeder) find(ctx context.Context) (bool, error) {
	client := s.Core.Store.DB(ctx)
	entry, err := client.StoreHandle.Query().Where(storehandle.ID(s.Handle)).Only(ctx)
	if db.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look the store up: %w", err)
	}
	ctx = viewer.Operator(ctx, entry.StoreID)
	found, err := client.Store.Query().Where(store.ID(entry.StoreID)).Only(ctx)
	if db.IsNotFound(err) {
		return false, nil // the name was only reserved
	}
	if err != nil {
		return false, fmt.Errorf("look the store up: %w", err)
	}
	ours, err := client.Staff.Query().Where(staff.ID(s.user), staff.RoleEQ(viewer.Owner)).Exist(ctx)
	if err != nil {
		return false, fmt.Errorf("look the owner up: %w", err)
	}
	if !ours {
		return false, fmt.Errorf("the handle %q belongs to a store outside the demo: use another database "+
			"or folder", s.Handle)
	}
	s.store = found
	return true, nil
}

func (s *seeder) openUser(ctx context.Context) error {
	for range 2 {
		id, found, err := s.findUser(ctx)
		if err != nil || found {
			s.user = id
			return err
		}
		// If another process was faster, its row is found.
		if err := s.addUser(ctx); err != nil && !ent.IsDuplicate(err) {
			return err
		}
	}
	return fmt.Errorf("%s neither exists nor is free", s.Email)
}

func (s *seeder) findUser(ctx context.Context) (xid.ID, bool, error) {
	client := s.Core.Store.DB(ctx)
	entry, err := client.UserEmail.Query().Where(useremail.ID(s.Email)).Only(ctx)
	if db.IsNotFound(err) {
		return xid.Nil, false, nil
	}
	if err != nil {
		return xid.Nil, false, err
	}
	found, err := client.User.Query().Where(user.ID(entry.UserID)).Only(ctx)
	if err != nil {
		return xid.Nil, false, err
	}
	if !found.Demo {
		return xid.Nil, false, fmt.Errorf("%s is a person who does not belong to the demo", s.Email)
	}
	return found.ID, true, nil
}

func (s *seeder) addUser(ctx context.Context) error {
	return s.Core.Store.InTx(ctx, func(ctx context.Context) error {
		client, id := s.Core.Store.DB(ctx), xid.New()
		if err := client.UserEmail.Create().SetID(s.Email).SetUserID(id).Exec(ctx); err != nil {
			return err
		}
		return client.User.Create().SetID(id).SetEmail(s.Email).SetName(s.Owner).SetDemo(true).
			SetUpdatedAt(micros.Now()).Exec(ctx)
	})
}
