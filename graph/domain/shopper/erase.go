package shopper

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
)

// ErrUnfinished says that an order of the account is not paid or not shipped yet, so that the store
// still needs the address.
var ErrUnfinished = errors.New("an order is unfinished")

// CanErase returns [ErrUnfinished] if one of the newest orders of an account is unfinished.
func (s *Shoppers) CanErase(ctx context.Context, a *Account) error {
	list, _, err := s.orders(ctx, a, "", dataPage)
	if err != nil {
		return err
	}
	for _, o := range list {
		if o.Status == state.OrderOpen && (o.FulfillmentStatus != state.FulfillmentFulfilled ||
			o.FinancialStatus == state.FinancialPending || o.FinancialStatus == state.FinancialPartiallyPaid) {
			return ErrUnfinished
		}
	}
	return nil
}

// Erase redacts the customer of an account for good, as the staff can, if the code is the one that
// [Shoppers.Ask] sent for it. It returns [ErrWrong], [ErrOver] or [ErrUnfinished].
func (s *Shoppers) Erase(ctx context.Context, a *Account, token, code string) error {
	row, err := s.try(ctx, state.ShopperErase, token, code)
	if err == nil && row.Email != a.Email {
		err = ErrOver
	}
	if err != nil {
		return err
	}
	err = again(func() error { return s.erase(ctx, a, row) })
	if errors.Is(err, ErrOver) { // the answer to a COMMIT that succeeded may have been lost
		if c, failed := s.holder(ctx, a.Customer.ID, a.Email); failed == nil && c == nil {
			return nil
		}
	}
	return err
}

func (s *Shoppers) erase(ctx context.Context, a *Account, row *db.ShopperChallenge) error {
	if err := s.CanErase(ctx, a); err != nil {
		return err
	}
	c, err := s.holder(ctx, a.Customer.ID, a.Email)
	if err != nil {
		return core.Explain("account", err)
	}
	if c == nil {
		return fault.Missing("account")
	}
	return s.Commit(ctx, xid.Customer, func(ctx context.Context) (*change.Record, error) {
		if err := s.take(ctx, row); err != nil {
			return nil, err
		}
		_, err := s.sales.Mutation().CustomerRedact(ctx, c.PublicID(), c.Version)
		return nil, err
	})
}
