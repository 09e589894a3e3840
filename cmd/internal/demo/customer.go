package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	customerCount = 120
	customerBatch = 40
)

// What customer i becomes: some are guests, others are disabled or redacted after purchases.
func guest(i int) bool    { return i%10 == 3 }
func disabled(i int) bool { return i%20 == 7 }
func redacted(i int) bool { return i%30 == 11 }

func (s *seeder) customers(ctx context.Context) error {
	n, err := s.Core.Store.DB(ctx).Customer.Query().Count(ctx)
	if err != nil {
		return err
	}
	for ; n < customerCount; n += customerBatch {
		err := s.each(ctx, n, min(n+customerBatch, customerCount), "customer", func(ctx context.Context, i int) error {
			_, err := s.CustomerCreate(ctx, s.customer(i))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls f for the rows from one number to another, in one transaction.
func (s *seeder) each(ctx context.Context, from, to int, row string, f func(ctx context.Context, i int) error) error {
	return s.Core.Store.InTx(ctx, func(ctx context.Context) error {
		for i := from; i < to; i++ {
			if err := f(ctx, i); err != nil {
				return fmt.Errorf("%s %d: %w", row, i, err)
			}
		}
		return nil
	})
}

func (s *seeder) customer(i int) model.CustomerCreateInput {
	r := s.rand(ofCustomer, i)
	p := s.shop.People[i%len(s.shop.People)]
	f, l := r.IntN(len(p.First)), r.IntN(len(p.Last))
	in := model.CustomerCreateInput{
		Email:     new(fmt.Sprintf("%s.%s.%d@mail.example", p.LatinFirst[f], p.LatinLast[l], i+1)),
		FirstName: &p.First[f], LastName: &p.Last[l], Locale: &p.Locale, Status: state.CustomerActive,
		EmailMarketing: []state.EmailMarketing{state.EmailSubscribed, state.EmailNotSubscribed,
			state.EmailUnsubscribed}[i%3],
		DefaultAddress: p.address(r, f, l),
		CreatedAt:      new(s.base().Add(-90*day + time.Duration(i)*6*time.Hour)),
	}
	if guest(i) {
		in.Status, in.FirstName, in.DefaultAddress = state.CustomerGuest, nil, nil
	}
	if r.IntN(3) == 0 {
		in.Phone = new(fmt.Sprintf("+99 555 %07d", i+1))
	}
	if r.IntN(4) == 0 {
		in.Addresses = []*model.AddressInput{p.address(r, f, l)}
	}
	if r.IntN(5) == 0 {
		in.Tags = []string{"regular"}
	}
	if r.IntN(8) == 0 {
		in.Note = &s.Notes[r.IntN(len(s.Notes))]
	}
	return in
}

func (p people) address(r *rand.Rand, f, l int) *model.AddressInput {
	city := r.IntN(len(p.Cities))
	name := p.First[f] + " " + p.Last[l]
	if p.FamilyFirst {
		name = p.Last[l] + " " + p.First[f]
	}
	return &model.AddressInput{Name: &name,
		Line1: fmt.Sprintf("%s %d", p.Streets[r.IntN(len(p.Streets))], 1+r.IntN(120)),
		City:  p.Cities[city], PostalCode: &p.Postal[city], Country: p.Country}
}

func (s *seeder) part(ctx context.Context, rows []*db.Customer) error {
	for i, c := range rows {
		id := xid.Customer.Format(c.ID)
		var err error
		switch {
		case disabled(i):
			_, err = s.CustomerDisable(ctx, id, c.Version)
		case redacted(i):
			_, err = s.CustomerRedact(ctx, id, c.Version)
		}
		if err != nil {
			return fmt.Errorf("customer %d: %w", i, err)
		}
	}
	return nil
}

func (s *seeder) buyers(ctx context.Context) ([]*db.Customer, error) {
	return s.Core.Store.DB(ctx).Customer.Query().Order(db.Asc(customer.FieldID)).Limit(customerCount).All(ctx)
}
