package factor

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/recoverycode"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
)

// Codes is how many recovery codes a person gets.
const Codes = 10

// codeLen is the length of a recovery code without hyphens: 60 random bits. That is enough for a
// fast hash, because guesses are limited.
const codeLen = 12

// codeAlphabet is Crockford's base32, in which no two characters look alike.
const codeAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// RenewCodes replaces a person's recovery codes. It returns Conflict if they have no factor.
func (k *Keeper) RenewCodes(ctx context.Context, by By) (codes []string, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		person, err := k.enter(ctx, by)
		if err != nil {
			return err
		}
		have, err := k.List(ctx, by.Person)
		if err != nil {
			return err
		}
		if len(have) == 0 {
			return fault.New(fault.Conflict, "Recovery codes replace a second factor. Set one up first.")
		}
		if codes, err = k.makeCodes(ctx, by.Person); err != nil {
			return err
		}
		return k.email(ctx, person, "New recovery codes for your account",
			"New recovery codes were created for your account "+person.Email+". The old codes no longer work.")
	})
	return codes, err
}

// makeCodes replaces the recovery codes of a person, in the transaction of ctx.
func (k *Keeper) makeCodes(ctx context.Context, person xid.ID) ([]string, error) {
	c := k.store.DB(ctx)
	if err := dropCodes(ctx, c, person); err != nil {
		return nil, err
	}
	codes, rows := make([]string, Codes), make([]*db.RecoveryCodeCreate, Codes)
	for i := range codes {
		text := newCode()
		codes[i] = text[:4] + "-" + text[4:8] + "-" + text[8:]
		rows[i] = c.RecoveryCode.Create().SetUserID(person).SetID(digest.Of([]byte(text)))
	}
	if err := c.RecoveryCode.CreateBulk(rows...).Exec(ctx); err != nil {
		return nil, fmt.Errorf("keep recovery codes: %w", err)
	}
	return codes, audit.Account(ctx, c, person, state.AccountCodesMade, "")
}

func dropCodes(ctx context.Context, c *db.Client, person xid.ID) error {
	_, err := c.RecoveryCode.Delete().Where(recoverycode.UserID(person)).Exec(ctx)
	return fault.Wrap("end recovery codes", err)
}

func newCode() string {
	b := make([]byte, codeLen)
	rand.Read(b)
	for i := range b {
		b[i] = codeAlphabet[b[i]%32] // 32 divides 256, so all are equally likely
	}
	return string(b)
}

// parseCode parses a code as people type it: any case, any hyphens, and letters like digits.
func parseCode(text string) (string, bool) {
	if len(text) > maxTyped {
		return "", false
	}
	code := strings.NewReplacer("o", "0", "i", "1", "l", "1").Replace(strings.ToLower(compact(text)))
	return code, len(code) == codeLen && strings.Trim(code, codeAlphabet) == ""
}

// useCode consumes a recovery code. An unknown or used code is [ErrWrong].
func (k *Keeper) useCode(ctx context.Context, person xid.ID, code string) error {
	n, err := k.store.DB(ctx).RecoveryCode.Delete().
		Where(recoverycode.UserID(person), recoverycode.ID(digest.Of([]byte(code)))).Exec(ctx)
	if err != nil {
		return fmt.Errorf("take a recovery code: %w", err)
	}
	if n == 0 {
		return wrong("The recovery code is wrong or was already used.")
	}
	return nil
}
