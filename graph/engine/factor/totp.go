package factor

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/session"
)

// Parameters of codes (RFC 6238) that every authenticator app supports.
const (
	period     = 30 // seconds
	skew       = 1  // steps that clocks may differ
	secretSize = 20 // bytes, the size of SHA-1 (RFC 4226, section 4)
	issuer     = "Storefront"
)

// SetUp is an authenticator app that is not confirmed yet.
type SetUp struct {
	Token  string // the token of the confirmation
	Secret string // in base32, to type
	URI    string // otpauth://
	QR     string // the URI as a QR code, in a data URI
}

// BeginTOTP creates a secret for an authenticator app. It becomes a factor when it is confirmed.
func (k *Keeper) BeginTOTP(ctx context.Context, by By) (*SetUp, error) {
	secret := make([]byte, secretSize)
	rand.Read(secret) // never fails since Go 1.24
	up := &SetUp{}
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		person, _, err := k.enterRoom(ctx, by)
		if err != nil {
			return err
		}
		key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: person.Email, Secret: secret})
		if err != nil {
			return fmt.Errorf("make a key: %w", err)
		}
		c := k.store.DB(ctx)
		if err := session.DropChallenge(ctx, c, by.Person, state.ChallengeTOTP); err != nil {
			return err
		}
		up.Secret, up.URI = key.Secret(), key.URL()
		up.Token, err = session.PutChallenge(ctx, c, session.AskChallenge{
			Person: by.Person, Purpose: state.ChallengeTOTP,
			Data: k.vault.Seal(by.Person, xid.ID{}, secret), Life: Life})
		return err
	})
	if err != nil {
		return nil, err
	}
	up.QR, err = qrCode(up.URI)
	return up, err
}

// ConfirmTOTP stores an authenticator app that shows the right code. After a wrong code the person
// can try again.
func (k *Keeper) ConfirmTOTP(ctx context.Context, by By, token, name, text string) (done *Added, err error) {
	if name, err = checkName(state.FactorTOTP, name); err != nil {
		return nil, err
	}
	code, ok := parseTOTP(text)
	if !ok {
		return nil, wrongCode()
	}
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		person, err := k.enter(ctx, by)
		if err != nil {
			return err
		}
		row, err := session.AnswerChallenge(ctx, k.store.DB(ctx), token, state.ChallengeTOTP)
		if errors.Is(err, session.ErrUnknownChallenge) || err == nil && row.UserID != by.Person {
			return over()
		}
		if err != nil {
			return err
		}
		secret, err := k.vault.Open(by.Person, xid.ID{}, row.Data)
		if err != nil {
			return err
		}
		step, ok := matchStep(secret, code, time.Now(), 0)
		if !ok {
			return wrongCode()
		}
		done, err = k.add(ctx, by, person, newFactor{kind: state.FactorTOTP, name: name, data: secret, step: step})
		return err
	})
	return done, err
}

func wrongCode() error {
	return fault.Invalid(fault.Field{Pointer: "#/code", Code: fault.UnknownValue,
		Detail: "This is not the current code of the app. Check the clock of your device."})
}

// over is the fault for a ceremony that expired, was answered or is another person's.
func over() error {
	return fault.Invalid(fault.Field{Pointer: "#/token", Code: fault.UnknownValue,
		Detail: "This has expired or was already completed. Start again."})
}

// matchStep returns the time step of a code. The step must be later than the last one used, so that
// each code works once.
func matchStep(secret []byte, code string, now time.Time, last int64) (step int64, ok bool) {
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
	present := now.Unix() / period
	for s := max(present-skew, last+1); s <= present+skew; s++ {
		want, err := hotp.GenerateCodeCustom(text, uint64(s),
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return s, true
		}
	}
	return 0, false
}

// useTOTP consumes a code of one of a person's apps, in the transaction of ctx. The step is
// compared and set, so of two concurrent uses of a code one succeeds.
func (k *Keeper) useTOTP(ctx context.Context, rows []*db.Factor, code string) (*db.Factor, error) {
	for _, row := range rows {
		if row.Kind != state.FactorTOTP {
			continue
		}
		secret, err := k.vault.Open(row.UserID, row.ID, row.Data)
		if err != nil {
			return nil, err
		}
		step, ok := matchStep(secret, code, time.Now(), row.Step)
		if !ok {
			continue
		}
		n, err := k.store.DB(ctx).Factor.Update().
			Where(factor.UserID(row.UserID), factor.ID(row.ID), factor.StepLT(step)).
			SetStep(step).SetLastUsedAt(micros.Now()).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("take a code: %w", err)
		}
		if n == 1 {
			return row, nil
		}
	}
	return nil, wrong("The code is wrong or was already used.")
}

func compact(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '\t', '\u00a0', '\u2009', '\u202f':
			return -1
		}
		return r
	}, text)
}

// maxTyped bounds a typed code, in bytes.
const maxTyped = 64

func parseTOTP(text string) (string, bool) {
	if len(text) > maxTyped {
		return "", false
	}
	code := compact(text)
	return code, len(code) == 6 && strings.Trim(code, "0123456789") == ""
}
