package graph

import (
	"context"

	"github.com/storefront-go/storefront/graph/model"
)

// helper "account" writes these

type accountFields struct{ *Resolver }

func (a accountFields) Memberships(ctx context.Context, obj *model.Account) ([]*model.Membership, error) {
	return nil, errUnwritten
}
func (a accountFields) Sessions(ctx context.Context, obj *model.Account) ([]*model.Session, error) {
	return nil, errUnwritten
}

func (q Query) Account(ctx context.Context) (*model.Account, error) { return nil, errUnwritten }
func (m Mutation) PasswordChange(ctx context.Context, current string, next string) (*model.PasswordChangePayload, error) {
	return nil, errUnwritten
}
func (m Mutation) SignOutEverywhere(ctx context.Context) (*model.SignOutPayload, error) {
	return nil, errUnwritten
}
