package factor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

var askRate = ratelimit.Rate{Burst: 30, Every: 10 * time.Second}

// errCopied is the cause if the signature counter of a passkey went back: the passkey may have been
// cloned (Web Authentication, section 6.1.1).
var errCopied = errors.New("the signature counter went backwards")

// AskSecond asks the browser of a person who knew their password for one of their passkeys.
func (k *Keeper) AskSecond(ctx context.Context, person xid.ID) (q *Ceremony, err error) {
	if err := k.chargeQuestion(ctx, "person", xid.User.Format(person)); err != nil {
		return nil, err
	}
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		h, err := k.holdPasskeys(ctx, person)
		if err != nil {
			return err
		}
		if k.party == nil || len(h.keys) == 0 {
			return fault.New(fault.Conflict, "There is no passkey for this account.")
		}
		options, s, err := k.party.BeginLogin(h)
		if err != nil {
			return fmt.Errorf("begin a ceremony: %w", err)
		}
		q, err = k.putCeremony(ctx, person, second, options, s)
		return err
	})
	return q, err
}

// AskPasswordless asks a browser for a passkey of its user. The authenticator must verify the user,
// because this passkey replaces the password as well.
func (k *Keeper) AskPasswordless(ctx context.Context) (q *Ceremony, err error) {
	if !k.Passkeys() {
		return nil, nameless()
	}
	if network, counted := ratelimit.Network(viewer.OriginOf(ctx).Client); counted {
		if err := k.chargeQuestion(ctx, "network", network.String()); err != nil {
			return nil, err
		}
	}
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		options, s, err := k.party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
		if err != nil {
			return fmt.Errorf("begin a ceremony: %w", err)
		}
		q, err = k.putCeremony(ctx, xid.ID{}, passwordless, options, s)
		return err
	})
	return q, err
}

func (k *Keeper) chargeQuestion(ctx context.Context, what, of string) error {
	return limited(ratelimit.Take(ctx, k.store, ratelimit.Key("passkey asked by "+what, of), askRate))
}

func (k *Keeper) holdPasskeys(ctx context.Context, id xid.ID) (*holder, error) {
	person, err := k.hold(ctx, id)
	if err != nil {
		return nil, err
	}
	have, err := k.List(ctx, id)
	if err != nil {
		return nil, err
	}
	return k.holderOf(person, have)
}

// useSecond validates the answer to [Keeper.AskSecond], in a transaction that holds the person.
func (k *Keeper) useSecond(ctx context.Context, person *db.User, rows []*db.Factor, a Answer) (*db.Factor, error) {
	shown, err := parse(a.Response, protocol.ParseCredentialRequestResponseBytes)
	if err != nil {
		return nil, notAccepted(err)
	}
	s, err := k.takeCeremony(ctx, a.Ceremony, person.ID, second)
	if errors.Is(err, session.ErrUnknownChallenge) {
		return nil, notAccepted(err)
	}
	if err != nil {
		return nil, err
	}
	h, err := k.holderOf(person, rows)
	if err != nil {
		return nil, err
	}
	key, err := k.party.ValidateLogin(h, *s, shown)
	if err != nil {
		return nil, notAccepted(err)
	}
	return k.signed(ctx, h, key)
}

// takePasswordless consumes a question that belongs to no person, in its own transaction.
func (k *Keeper) takePasswordless(ctx context.Context, token string) (s *webauthn.SessionData, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) (err error) {
		s, err = k.takeCeremony(ctx, token, xid.ID{}, passwordless)
		return err
	})
	if errors.Is(err, session.ErrUnknownChallenge) {
		err = notAccepted(err)
	}
	return s, err
}

// usePasswordless validates the answer, and returns the person and the factor.
func (k *Keeper) usePasswordless(
	ctx context.Context, s *webauthn.SessionData, shown *protocol.ParsedCredentialAssertionData,
) (person xid.ID, row *db.Factor, err error) {
	handle := shown.Response.UserHandle
	if len(handle) != len(person) {
		return person, nil, notAccepted(errors.New("no person"))
	}
	copy(person[:], handle)
	h, err := k.holdPasskeys(ctx, person)
	if _, missing := errors.AsType[*fault.Error](err); missing {
		return person, nil, notAccepted(err)
	}
	if err != nil {
		return person, nil, err
	}
	key, err := k.party.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) { return h, nil }, *s, shown)
	if err != nil {
		return person, nil, notAccepted(err)
	}
	row, err = k.signed(ctx, h, key)
	return person, row, err
}

// signed stores the signature counter. Of two answers with the same counter one is accepted.
func (k *Keeper) signed(ctx context.Context, h *holder, key *webauthn.Credential) (*db.Factor, error) {
	for i := range h.keys {
		if !bytes.Equal(h.keys[i].ID, key.ID) {
			continue
		}
		row := h.rows[i]
		if key.Authenticator.CloneWarning {
			return row, notAccepted(errCopied)
		}
		n, err := k.store.DB(ctx).Factor.Update().
			Where(factor.UserID(row.UserID), factor.ID(row.ID), factor.Step(row.Step)).
			SetStep(int64(key.Authenticator.SignCount)).SetLastUsedAt(micros.Now()).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("count a signature: %w", err)
		}
		if n == 1 {
			return row, nil
		}
	}
	return nil, notAccepted(errors.New("it is no longer there"))
}

func notAccepted(cause error) error {
	return &fault.Error{Kind: fault.Forbidden, Detail: "The passkey was not accepted. Try again, or use another way.",
		Err: errors.Join(ErrWrong, cause)}
}
