package shopper

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/shopperpasskey"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/passkey"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// passkeyLife is how long a page with a challenge may be open. It is longer than the life of a code,
// because the challenge is in the page before the shopper decides.
const passkeyLife = time.Hour

// signInUse is the use of a challenge for signing in.
const signInUse = "sign in"

// ErrPasskey says that a passkey was not accepted: it is unknown, of another host or account, or its
// challenge has expired or was used.
var ErrPasskey = errors.New("the passkey was not accepted")

// AskPasskey returns the argument with which a page at an origin asks the browser for a passkey, nil
// if the origin has no name. Nothing is stored until the browser answers.
func (s *Shoppers) AskPasskey(ctx context.Context, origin string) (json.RawMessage, error) {
	party := passkey.At(origin)
	if party == nil {
		return nil, nil
	}
	return party.Ask(s.challengeFor(ctx, signInUse))
}

func (s *Shoppers) challengeFor(ctx context.Context, use string) []byte {
	return s.sales.Links.Challenge(viewer.From(ctx).Store, use, micros.Now().Add(passkeyLife))
}

// spend makes the challenge of an answer invalid, in the transaction of its effect.
func (s *Shoppers) spend(ctx context.Context, use, challenge string) error {
	store := viewer.From(ctx).Store
	until, ok := s.sales.Links.Challenged(store, use, challenge)
	if !ok || until < micros.Now() {
		return ErrPasskey
	}
	sum := digest.Of([]byte(challenge))
	err := s.Client(ctx).ShopperChallenge.Create().SetToken(sum).SetCode(sum).SetBucket(bucket.Of(store)).
		SetPurpose(state.ShopperPasskey).SetEmail("").SetExpiresAt(until).Exec(ctx)
	if ent.IsDuplicate(err) {
		return ErrPasskey
	}
	return fault.Wrap("keep a challenge", err)
}

// UsePasskey starts a session for the account of a passkey, and returns its token. response is the
// browser's AuthenticationResponseJSON (Web Authentication, section 5.1), former as in
// [Shoppers.SignIn]. It returns [ErrPasskey] or [ErrDisabled].
func (s *Shoppers) UsePasskey(ctx context.Context, origin string, response []byte, former string) (string, error) {
	if _, err := s.openStore(ctx); err != nil {
		return "", err
	}
	party := passkey.At(origin)
	answer, err := passkey.Parse(response)
	if err != nil || party == nil {
		return "", ErrPasskey
	}
	made := digest.NewToken()
	err = again(func() error {
		return s.Commit(ctx, xid.Customer, func(ctx context.Context) (*change.Record, error) {
			row, err := s.prove(ctx, party, answer)
			if err != nil {
				return nil, err
			}
			c, err := s.holder(ctx, row.CustomerID, row.Email)
			if err == nil && c == nil {
				err = ErrPasskey
			}
			if err != nil {
				return nil, err
			}
			return nil, s.open(ctx, row.Email, made, former)
		})
	})
	return made, core.Explain("account", err)
}

// prove verifies the answer to [Shoppers.AskPasskey] and returns the passkey.
func (s *Shoppers) prove(ctx context.Context, party *passkey.Party, a passkey.Answer) (*db.ShopperPasskey, error) {
	rows, err := s.Client(ctx).ShopperPasskey.Query().Where(shopperpasskey.Credential(digest.Of(a.ID()))).Load(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, ErrPasskey
	}
	row := rows[0]
	count, err := party.Verify(a, row.CustomerID[:], storedKey(row))
	if errors.Is(err, passkey.ErrRefused) {
		return nil, ErrPasskey
	}
	if err == nil {
		err = s.spend(ctx, signInUse, a.Challenge())
	}
	if err != nil {
		return nil, err
	}
	n, err := s.Client(ctx).ShopperPasskey.Update().Where(shopperpasskey.ID(row.ID), shopperpasskey.Step(row.Step)).
		SetStep(count).SetUsedAt(micros.Now()).Save(ctx)
	if err == nil && n == 0 {
		err = ErrPasskey
	}
	return row, err
}

func storedKey(row *db.ShopperPasskey) passkey.Key {
	return passkey.Key{Data: row.Data, Count: row.Step}
}

// Passkeys returns the passkeys of an account, oldest first.
func (s *Shoppers) Passkeys(ctx context.Context, a *Account) ([]*db.ShopperPasskey, error) {
	rows, err := s.Client(ctx).ShopperPasskey.Query().Where(shopperpasskey.CustomerID(a.Customer.ID),
		shopperpasskey.Email(a.Email)).Order(shopperpasskey.ByID()).Load(ctx)
	return rows, core.Explain("account", err)
}

// NewPasskey is [Shoppers.AskPasskey] for a new passkey of an account.
func (s *Shoppers) NewPasskey(ctx context.Context, origin string, a *Account) (json.RawMessage, error) {
	party := passkey.At(origin)
	if party == nil {
		return nil, nil
	}
	rows, err := s.Passkeys(ctx, a)
	if err != nil {
		return nil, err
	}
	have := make([]passkey.Key, len(rows))
	for i, row := range rows {
		have[i] = storedKey(row)
	}
	return party.AskNew(a.Customer.ID[:], a.Email, have, s.challengeFor(ctx, a.Customer.ID.String()))
}

// AddPasskey keeps a new passkey of an account, and notifies its owner by email. response is the
// browser's RegistrationResponseJSON (Web Authentication, section 5.1). It returns [ErrPasskey], a
// LimitReached fault if the account is full, or one of [Shoppers.Ask] for the email.
func (s *Shoppers) AddPasskey(ctx context.Context, origin string, a *Account, response []byte) error {
	shop, err := s.openStore(ctx)
	if err != nil {
		return err
	}
	party := passkey.At(origin)
	if party == nil {
		return ErrPasskey
	}
	key, challenge, err := party.Create(a.Customer.ID[:], response)
	if errors.Is(err, passkey.ErrRefused) {
		return ErrPasskey
	}
	if err != nil {
		return core.Explain("account", err)
	}
	mail, err := s.passkeyMail(ctx, shop, a.Email)
	if err != nil {
		return err
	}
	err = s.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		if err := s.spend(ctx, a.Customer.ID.String(), challenge); err != nil {
			return nil, err
		}
		if err := s.keep(ctx, a, party.Host(), key); err != nil {
			return nil, err
		}
		return nil, s.notifier.Send(ctx, s.Client(ctx), mail)
	})
	return core.Explain("account", err)
}

// passkeyMail returns the email about a new passkey, which counts like one with a code.
func (s *Shoppers) passkeyMail(ctx context.Context, shop *db.Store, to string) (mail notify.Email, err error) {
	proven, err := notify.Proven(ctx, s.Client(ctx), shop, s.Limits)
	if err == nil {
		err = s.charge(ctx, shop, to, proven)
	}
	texts := phrase.In(shop.Language)
	return mailTo(shop, to, proven, func(name string) (subject, body string) {
		return texts.Say(phrase.PasskeyMailSubject, name), texts.Say(phrase.PasskeyMailText, name)
	}), err
}

// keep stores a passkey while the account exists and has room.
func (s *Shoppers) keep(ctx context.Context, a *Account, host string, key passkey.Key) error {
	held := s.Client(ctx).Customer.Query().Where(customer.ID(a.Customer.ID))
	held.Modify(ent.ForUpdate)
	if _, err := held.Load(ctx); err != nil {
		return err
	}
	if c, err := s.holder(ctx, a.Customer.ID, a.Email); err != nil || c == nil {
		return errors.Join(err, fault.Missing("account"))
	}
	rows, err := s.Passkeys(ctx, a)
	if err == nil && len(rows) >= limit.ShopperPasskeys {
		err = fault.State(fault.LimitReached, "The account has the maximum number of passkeys.")
	}
	if err != nil {
		return err
	}
	row := s.Client(ctx).ShopperPasskey.Create().SetCredential(digest.Of(key.ID)).SetCustomerID(a.Customer.ID).
		SetEmail(a.Email).SetHost(host).SetData(key.Data).SetStep(key.Count).SetAgent("")
	core.Opt(viewer.OriginOf(ctx).Program(), func(name string) { row.SetAgent(name) })
	if err = row.Exec(ctx); ent.IsDuplicate(err) {
		return ErrPasskey
	}
	return fault.Wrap("keep a passkey", err)
}

// RemovePasskey removes the passkey of an account with an id, as text.
func (s *Shoppers) RemovePasskey(ctx context.Context, a *Account, id string) error {
	rows, err := s.Passkeys(ctx, a)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.ID.String() == id {
			return s.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
				_, err := s.Client(ctx).ShopperPasskey.Delete().Where(shopperpasskey.ID(row.ID)).Exec(ctx)
				return nil, err
			})
		}
	}
	return nil
}
