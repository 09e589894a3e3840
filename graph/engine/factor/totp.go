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

// The form of codes (RFC 6238): what every authenticator app knows.
const (
	period     = 30 // seconds
	skew       = 1  // steps that clocks may differ
	secretSize = 20 // bytes, the size of SHA-1 (RFC 4226, section 4)
	issuer     = "Storefront"
)

// SetUp is an authenticator app on its way: what the person puts into it.
type SetUp struct {
	Token  string // for the confirmation
	Secret string // in base32, to be typed
	URI    string // otpauth://
	QR     string // the URI as a picture, in a data URI
}

// BeginTOTP makes a secret for an authenticator app. It counts from the confirmation on.
func (k *Keeper) BeginTOTP(ctx context.Context, by By) (*SetUp, error) {
	secret := make([]byte, secretSize)
	rand.Read(secret) // never fails since Go 1.24
	up := &SetUp{}
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		person, err := k.enter(ctx, by)
		if err != nil {
			return err
		}
		if have, err := k.List(ctx, by.Person); err != nil || int64(len(have)) >= k.most {
			return errors.Join(err, k.full())
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
	up.QR, err = picture(up.URI)
	return up, err
}

// ConfirmTOTP keeps an authenticator app that shows the right code. A wrong one can be
// corrected: the set-up stays open.
func (k *Keeper) ConfirmTOTP(ctx context.Context, by By, token, name, text string) (done *Added, err error) {
	if name, err = named(state.FactorTOTP, name); err != nil {
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
			return over("#/token")
		}
		if err != nil {
			return err
		}
		secret, err := k.vault.Open(by.Person, xid.ID{}, row.Data)
		if err != nil {
			return err
		}
		step, ok := matching(secret, code, time.Now(), 0)
		if !ok {
			return wrongCode()
		}
		done, err = k.add(ctx, by, person, fresh{kind: state.FactorTOTP, name: name, data: secret, step: step})
		return err
	})
	return done, err
}

func wrongCode() error {
	return fault.Invalid(fault.Field{Pointer: "#/code", Code: fault.UnknownValue,
		Detail: "This is not the code that the app shows now. Is the clock of the device right?"})
}

// over is the answer to a ceremony that ended, was answered or is another person's.
func over(pointer string) error {
	return fault.Invalid(fault.Field{Pointer: pointer, Code: fault.UnknownValue,
		Detail: "This took too long, or was finished before: begin anew."})
}

// matching returns the time step whose code this is: one later than the last that was
// taken, so that each serves once.
func matching(secret []byte, code string, now time.Time, last int64) (step int64, ok bool) {
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

// useTOTP takes a code of one of a person's apps, in the transaction of ctx. Of two who
// show the same code at once, one is let in: the step is compared and set.
func (k *Keeper) useTOTP(ctx context.Context, rows []*db.Factor, code string) (*db.Factor, error) {
	for _, row := range rows {
		if row.Kind != state.FactorTOTP {
			continue
		}
		secret, err := k.vault.Open(row.UserID, row.ID, row.Data)
		if err != nil {
			return nil, err
		}
		step, ok := matching(secret, code, time.Now(), row.Step)
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
	return nil, wrong("The code is wrong, or it was used before.")
}

// squeezed drops what people and apps write between the characters of a code.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '\t', '\u00a0', '\u2009', '\u202f':
			return -1
		}
		return r
	}, text)
}

// maxTyped bounds a code as it is typed, in bytes.
const maxTyped = 64

// parseTOTP reads a code of six digits.
func parseTOTP(text string) (string, bool) {
	if len(text) > maxTyped {
		return "", false
	}
	code := squeezed(text)
	return code, len(code) == 6 && strings.Trim(code, "0123456789") == ""
}
