// Package challenge keeps what people answer once: mailed links, and steps on the way
// into an account. Whoever holds the token of one may answer it; only its SHA-256 is
// kept, and the answer deletes it.
package challenge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/challenge"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// ErrUnknown says that a token is of no challenge: of none at all, of another purpose,
// or of one that was answered or is over.
var ErrUnknown = errors.New("no such challenge")

// Ask is a new challenge.
type Ask struct {
	Person  xid.ID // nil where it is not known yet who answers
	Purpose state.ChallengePurpose
	Email   string        // the address that the answer proves, in lower case; may be empty
	Data    []byte        // what whoever asks wants to know again
	Life    time.Duration // from now on
}

// Put keeps a challenge and returns its token, 52 letters and digits of 260 random
// bits.
func Put(ctx context.Context, c *db.Client, a Ask) (token string, err error) {
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

// Look returns the challenge of a token and leaves it open: [ErrUnknown] if there is none.
func Look(ctx context.Context, c *db.Client, token string, purpose state.ChallengePurpose) (*db.Challenge, error) {
	sum, ok := digest.OfToken(token)
	if !ok {
		return nil, ErrUnknown
	}
	row, err := c.Challenge.Query().
		Where(challenge.ID(sum), challenge.PurposeEQ(purpose), challenge.ExpiresAtGT(micros.Now())).Only(ctx)
	if db.IsNotFound(err) {
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, fmt.Errorf("read a challenge: %w", err)
	}
	return row, nil
}

// Answer deletes the challenge of a token, in the transaction of what the answer does,
// and returns it. Of two who answer at once, one gets [ErrUnknown].
func Answer(ctx context.Context, c *db.Client, token string, purpose state.ChallengePurpose) (*db.Challenge, error) {
	row, err := Look(ctx, c, token, purpose)
	if err != nil {
		return nil, err
	}
	n, err := c.Challenge.Delete().Where(challenge.UserID(row.UserID), challenge.ID(row.ID)).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("answer a challenge: %w", err)
	}
	if n == 0 {
		return nil, ErrUnknown
	}
	return row, nil
}

// Drop deletes a person's open challenges of some purposes.
func Drop(ctx context.Context, c *db.Client, person xid.ID, purposes ...state.ChallengePurpose) error {
	_, err := c.Challenge.Delete().Where(challenge.UserID(person), challenge.PurposeIn(purposes...)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("drop challenges: %w", err)
	}
	return nil
}
