package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	credential "github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/password"
	"github.com/storefront-go/storefront/graph/model"
)

// label is the prefix of the names of the demo's own credentials: only these are revoked.
const label = "Demo: "

// credentials returns the store's entry: the known one while it works, or else one with new
// secrets, in which case all earlier credentials of the demo are revoked.
func (s *seeder) credentials(ctx context.Context, known *File) (*Store, error) {
	entry := known.store(xid.Store.Format(s.store.ID))
	if entry != nil {
		works, err := s.works(ctx, entry)
		if err != nil {
			return nil, err
		}
		if !works {
			entry = nil
		}
	}
	if entry == nil {
		entry = &Store{ID: xid.Store.Format(s.store.ID), Owner: Owner{Email: s.Email}}
		if err := s.rotate(ctx, entry); err != nil {
			return nil, fmt.Errorf("make credentials: %w", err)
		}
	}
	entry.Name, entry.Currency, entry.StoreHost = s.store.Name, s.store.Currency, s.Core.HostOf(s.store.Handle)
	return entry, nil
}

func (s *seeder) works(ctx context.Context, e *Store) (bool, error) {
	if e.Owner.Email != s.Email || e.Owner.Password == "" || len(e.Keys) != len(scope.All())+1 {
		return false, nil
	}
	for _, name := range append(scope.Names(), "all") {
		if live, err := s.opens(ctx, e.Keys[name], credential.Key); !live {
			return false, err
		}
	}
	return s.opens(ctx, e.StaffToken, credential.Staff)
}

func (s *seeder) opens(ctx context.Context, secret string, kind credential.Kind) (bool, error) {
	v, err := s.Core.Keys.Authenticate(ctx, secret, kind)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.InvalidToken {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("try a credential: %w", err)
	}
	return v.Store == s.store.ID, nil
}

// rotate replaces every secret of the store and revokes the former ones: first the owner's
// password, then everything else of the store in one transaction. A crash before the file is
// written is harmless: the next start finds no file and rotates again.
func (s *seeder) rotate(ctx context.Context, e *Store) error {
	e.Owner.Password = password.Generate()
	hash, err := password.Hash(ctx, e.Owner.Password)
	if err != nil {
		return err
	}
	ctx = viewer.With(ctx, s.person())
	err = s.Core.Store.InTx(ctx, func(ctx context.Context) error {
		n, err := s.Core.Store.DB(ctx).User.Update().Where(user.ID(s.user)).
			SetPasswordHash(hash).SetUpdatedAt(micros.Now()).Save(ctx)
		if err != nil {
			return fmt.Errorf("set the owner's password: %w", err)
		}
		if n != 1 {
			return fmt.Errorf("set the owner's password: %d rows changed", n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Core.Store.InTx(ctx, func(ctx context.Context) error {
		if err := s.revoke(ctx); err != nil {
			return err
		}
		made, err := s.StaffTokenCreate(ctx, label+"staff token", nil, true)
		if err != nil {
			return fmt.Errorf("staff token: %w", err)
		}
		e.StaffToken = *made.Token
		return s.keys(ctx, e)
	})
}

func (s *seeder) keys(ctx context.Context, e *Store) error {
	e.Keys = map[string]string{}
	add := func(name string, scopes ...string) error {
		made, err := s.APIKeyCreate(ctx, model.APIKeyCreateInput{Name: label + name, Scopes: scopes})
		if err != nil {
			return fmt.Errorf("key %s: %w", name, err)
		}
		e.Keys[name] = *made.Secret
		return nil
	}
	for _, name := range scope.Names() {
		if err := add(name, name); err != nil {
			return err
		}
	}
	return add("all", scope.Names()...)
}

// revoke revokes the demo's live credentials; those that people created stay.
func (s *seeder) revoke(ctx context.Context) error {
	client := s.Core.Store.DB(ctx)
	keys, err := client.APIKey.Query().Where(apikey.RevokedAtIsNil()).All(ctx)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if !strings.HasPrefix(k.Name, label) {
			continue
		}
		if _, err := s.APIKeyRevoke(ctx, xid.APIKey.Format(k.ID)); err != nil {
			return fmt.Errorf("revoke a former key: %w", err)
		}
	}
	tokens, err := client.StaffToken.Query().Where(stafftoken.UserID(s.user), stafftoken.RevokedAtIsNil()).All(ctx)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if !strings.HasPrefix(t.Name, label) {
			continue
		}
		if _, err := s.StaffTokenRevoke(ctx, xid.Token.Format(t.ID)); err != nil {
			return fmt.Errorf("revoke a former token: %w", err)
		}
	}
	return nil
}
