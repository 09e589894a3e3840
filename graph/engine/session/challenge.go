package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/challenge"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// ErrUnknownChallenge reports that no open challenge has the token: it never existed, has another
// purpose, was answered, or has expired.
var ErrUnknownChallenge = errors.New("no such challenge")

// AskChallenge describes a new challenge: a question that one person answers once, by a link in an
// email or as a step of signing in.
type AskChallenge struct {
	Person  xid.ID // nil if the person is not known yet
	Purpose state.ChallengePurpose
	Email   string        // the address that the answer verifies, in lower case; may be empty
	Data    []byte        // returned with the answer; may be nil
	Life    time.Duration // how long the challenge stays open
}

// PutChallenge stores a challenge and returns its token: 52 letters and digits of 260 random bits.
// Only its SHA-256 is stored.
func PutChallenge(ctx context.Context, c *db.Client, a AskChallenge) (token string, err error) {
	token = digest.NewToken()
	row := c.Challenge.Create().SetID(digest.Of([]byte(token))).SetUserID(a.Person).SetPurpose(a.Purpose).
		SetExpiresAt(micros.Now().Add(a.Life))
	if a.Email != "" {
		row.SetEmail(a.Email)
	}
	if a.Data != nil {
		row.SetData(a.Data)
	}
	if err := row.Exec(ctx); err != nil {
		return "", fmt.Errorf("keep a challenge: %w", err)
	}
	return token, nil
}

// PeekChallenge returns the challenge of a token and leaves it open. It returns
// [ErrUnknownChallenge] if there is none.
func PeekChallenge(
	ctx context.Context, c *db.Client, token string, purpose state.ChallengePurpose,
) (*db.Challenge, error) {
	sum, ok := digest.OfToken(token)
	if !ok {
		return nil, ErrUnknownChallenge
	}
	row, err := c.Challenge.Query().
		Where(challenge.ID(sum), challenge.PurposeEQ(purpose), challenge.ExpiresAtGT(micros.Now())).Only(ctx)
	if db.IsNotFound(err) {
		return nil, ErrUnknownChallenge
	}
	return row, fault.Wrap("read a challenge", err)
}

// AnswerChallenge deletes the challenge of a token, in the transaction of the answer's effect, and
// returns it. Of two concurrent answers one gets [ErrUnknownChallenge].
func AnswerChallenge(
	ctx context.Context, c *db.Client, token string, purpose state.ChallengePurpose,
) (*db.Challenge, error) {
	row, err := PeekChallenge(ctx, c, token, purpose)
	if err != nil {
		return nil, err
	}
	n, err := c.Challenge.Delete().Where(challenge.UserID(row.UserID), challenge.ID(row.ID)).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("answer a challenge: %w", err)
	}
	if n == 0 {
		return nil, ErrUnknownChallenge
	}
	return row, nil
}

// DropChallenge deletes a person's open challenges of the given purposes.
func DropChallenge(ctx context.Context, c *db.Client, person xid.ID, purposes ...state.ChallengePurpose) error {
	_, err := c.Challenge.Delete().Where(challenge.UserID(person), challenge.PurposeIn(purposes...)).Exec(ctx)
	return fault.Wrap("drop challenges", err)
}
