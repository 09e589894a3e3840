package session

import (
	"context"
	"errors"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// SecondLife is how long a person has to present their second factor after the password.
const SecondLife = 10 * time.Minute

// ErrOver reports that no sign-in waits for its second factor: it took too long, was finished, or
// the password was changed meanwhile.
var ErrOver = errors.New("no sign-in under way")

func over() error {
	return &fault.Error{Kind: fault.Forbidden, Detail: "This has expired. Sign in again.", Err: ErrOver}
}

// pend stores, in the transaction of ctx, that the password was right until the second factor is
// presented. It stores a digest of the hash, so that a new password invalidates it.
func (k *Keeper) pend(ctx context.Context, p Proof) (token string, err error) {
	hash := digest.Of([]byte(p.hash))
	return PutChallenge(ctx, k.store.DB(ctx), AskChallenge{Person: p.User, Purpose: state.ChallengeSecond,
		Data: hash[:], Life: SecondLife})
}

// Pending returns the person who has to present their second factor, by the token of
// [Signed.Second], or [ErrOver].
func (k *Keeper) Pending(ctx context.Context, token string) (xid.ID, error) {
	row, err := PeekChallenge(ctx, k.store.DB(ctx), token, state.ChallengeSecond)
	if errors.Is(err, ErrUnknownChallenge) {
		return xid.ID{}, over()
	}
	if err != nil {
		return xid.ID{}, explain("sign in", err)
	}
	return row.UserID, nil
}

// Finish creates the session of a person who has presented their second factor, in the transaction
// of ctx, which consumes the factor. The token is that of [Signed.Second].
func (k *Keeper) Finish(ctx context.Context, token string, a Attempt) (Signed, error) {
	row, err := AnswerChallenge(ctx, k.store.DB(ctx), token, state.ChallengeSecond)
	if errors.Is(err, ErrUnknownChallenge) {
		return Signed{}, over()
	}
	if err != nil {
		return Signed{}, err
	}
	p, err := k.person(ctx, row.UserID)
	if err != nil {
		return Signed{}, err
	}
	if p.PasswordHash == nil {
		return Signed{}, over()
	}
	if hash := digest.Of([]byte(*p.PasswordHash)); string(hash[:]) != string(row.Data) {
		return Signed{}, over()
	}
	return k.open(ctx, p.ID, digest.Of([]byte(p.Email)), a)
}

// Admit creates the session of a person whom a passkey has verified, without a password, in the
// transaction of ctx, which uses the passkey.
func (k *Keeper) Admit(ctx context.Context, person xid.ID, a Attempt) (Signed, error) {
	p, err := k.person(ctx, person)
	if err != nil {
		return Signed{}, err
	}
	return k.open(ctx, p.ID, digest.Of([]byte(p.Email)), a)
}

func (k *Keeper) person(ctx context.Context, id xid.ID) (*db.User, error) {
	query := k.store.DB(ctx).User.Query().Where(user.ID(id))
	query.Modify(ent.ForUpdate)
	p, err := query.Only(ctx)
	if db.IsNotFound(err) {
		return nil, over()
	}
	return p, err
}
