package shopper

import (
	"context"
	"encoding/hex"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// Address is an address of an account.
type Address struct {
	document.AddressFields
	// Key names the address as it is now: it changes with the address.
	Key string
	// Default says that the checkout proposes the address.
	Default bool
}

// Addresses returns the addresses of an account, the default one first.
func (a *Account) Addresses() ([]Address, error) {
	list, first, err := addressesOf(a.Customer)
	if err != nil {
		return nil, err
	}
	shown := make([]Address, len(list))
	for i, fields := range list {
		shown[i] = Address{fields, keyOf(fields), i == first}
	}
	slices.SortStableFunc(shown, func(x, y Address) int {
		switch {
		case x.Default == y.Default:
			return 0
		case x.Default:
			return -1
		}
		return 1
	})
	return shown, nil
}

// Default returns the address that the checkout proposes, nil for none.
func (a *Account) Default() (*document.AddressFields, error) {
	return a.Customer.DefaultAddress.Fields()
}

// addressesOf returns the addresses of a customer with the default one, which the list of the staff
// may lack, and its index, -1 for none.
func addressesOf(c *db.Customer) (list []document.AddressFields, first int, err error) {
	if list, err = c.Addresses.List(); err != nil {
		return nil, -1, err
	}
	chosen, err := c.DefaultAddress.Fields()
	if err != nil || chosen == nil {
		return list, -1, err
	}
	first = slices.IndexFunc(list, func(x document.AddressFields) bool { return keyOf(x) == keyOf(*chosen) })
	if first < 0 {
		first, list = len(list), append(list, *chosen)
	}
	return list, first, nil
}

// keyBytes is how many bytes of its digest name an address.
const keyBytes = 8

func keyOf(a document.AddressFields) string {
	sum := digest.Of(document.NewAddress(&a))
	return hex.EncodeToString(sum[:keyBytes])
}

// SaveAddress adds a checked address unless the account has it, or replaces the one of a key. It
// becomes the default if the shopper chooses that, or if there is none. It returns a fault if the
// account is full.
func (s *Shoppers) SaveAddress(ctx context.Context, a *Account, key string, to document.AddressFields, first bool,
) error {
	return s.editAddresses(ctx, a, func(list []document.AddressFields, at int) ([]document.AddressFields, int, error) {
		i, twin, chosen := find(list, key), find(list, keyOf(to)), first
		switch {
		case i < 0:
			i = twin
		case twin >= 0 && twin != i:
			chosen = chosen || i == at
			list, at = without(list, i, at)
			i = find(list, keyOf(to))
		}
		if i < 0 {
			if len(list) >= limit.Addresses {
				return nil, 0, fault.State(fault.LimitReached, "The account has the maximum number of addresses.")
			}
			i, list = len(list), append(list, to)
		}
		list[i] = to
		if chosen || at < 0 {
			at = i
		}
		return list, at, nil
	})
}

// RemoveAddress removes the address of a key.
func (s *Shoppers) RemoveAddress(ctx context.Context, a *Account, key string) error {
	return s.editAddresses(ctx, a, func(list []document.AddressFields, at int) ([]document.AddressFields, int, error) {
		if i := find(list, key); i >= 0 {
			list, at = without(list, i, at)
		}
		return list, at, nil
	})
}

// without removes an address and returns the list and the index of the default one.
func without(list []document.AddressFields, i, at int) ([]document.AddressFields, int) {
	switch {
	case i == at:
		at = -1
	case i < at:
		at--
	}
	return slices.Delete(list, i, i+1), at
}

// SetDefault makes the address of a key the default.
func (s *Shoppers) SetDefault(ctx context.Context, a *Account, key string) error {
	return s.editAddresses(ctx, a, func(list []document.AddressFields, at int) ([]document.AddressFields, int, error) {
		if i := find(list, key); i >= 0 {
			at = i
		}
		return list, at, nil
	})
}

func find(list []document.AddressFields, key string) int {
	return slices.IndexFunc(list, func(x document.AddressFields) bool { return keyOf(x) == key })
}

// editAddresses changes the addresses and the index of the default one, -1 for none.
func (s *Shoppers) editAddresses(ctx context.Context, a *Account,
	edit func(list []document.AddressFields, at int) ([]document.AddressFields, int, error),
) error {
	return s.change(ctx, a, func(c *db.Customer) (in model.CustomerUpdateInput, err error) {
		list, at, err := addressesOf(c)
		if err != nil {
			return in, err
		}
		if list, at, err = edit(list, at); err != nil {
			return in, err
		}
		inputs := make([]*model.AddressInput, len(list))
		for i, fields := range list {
			inputs[i] = new(model.AddressInput(fields))
		}
		in.Addresses = model.Given(inputs)
		in.DefaultAddress = model.Given[*model.AddressInput](nil)
		if at >= 0 {
			in.DefaultAddress = model.Given(inputs[at])
		}
		return in, nil
	})
}

// SetLanguage chooses the language of an account's pages and emails.
func (s *Shoppers) SetLanguage(ctx context.Context, a *Account, l state.Language) error {
	if !l.Known() {
		return core.Invalid("language", fault.UnknownValue, "Unknown language.")
	}
	return s.change(ctx, a, func(*db.Customer) (model.CustomerUpdateInput, error) {
		return model.CustomerUpdateInput{Locale: model.Some(string(l))}, nil
	})
}

// SetMarketing gives or withdraws the consent to marketing emails. The shopper has proved the
// address, so no further email asks for a confirmation (double opt-in).
func (s *Shoppers) SetMarketing(ctx context.Context, a *Account, wanted bool) error {
	return s.change(ctx, a, func(c *db.Customer) (in model.CustomerUpdateInput, _ error) {
		switch {
		case wanted:
			in.EmailMarketing = model.Some(state.EmailSubscribed)
		case c.EmailMarketing == state.EmailSubscribed:
			in.EmailMarketing = model.Some(state.EmailUnsubscribed)
		}
		return in, nil
	})
}

// change changes the customer of an account. It returns a fault if the account has ended meanwhile.
func (s *Shoppers) change(ctx context.Context, a *Account,
	edit func(*db.Customer) (model.CustomerUpdateInput, error),
) error {
	return again(func() error {
		c, err := s.holder(ctx, a.Customer.ID, a.Email)
		if err != nil {
			return core.Explain("account", err)
		}
		if c == nil {
			return fault.Missing("account")
		}
		in, err := edit(c)
		if err != nil {
			return err
		}
		_, err = s.sales.Mutation().CustomerUpdate(ctx, c.PublicID(), c.Version, in)
		return err
	})
}
