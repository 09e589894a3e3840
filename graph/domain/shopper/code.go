package shopper

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/shopperchallenge"
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
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

const (
	// CodeLife is how long a code is valid.
	CodeLife = 10 * time.Minute
	// CodeDigits is how many digits a code has.
	CodeDigits = 8
	// maxTries is how many codes one question accepts, right or wrong.
	maxTries = 5
)

// Errors of an answer.
var (
	// ErrWrong says that the code is not that of the email.
	ErrWrong = errors.New("wrong code")
	// ErrOver says that the question has expired, was answered, or was tried too often.
	ErrOver = errors.New("the code has expired")
)

// Ask emails a code to an address, and returns the token of the browser that asked: the code is
// valid with it alone. Nothing that it does or returns depends on whether the store knows the address.
// It returns [fault.RateLimited] if the address, the network or the store has had enough emails.
func (s *Shoppers) Ask(ctx context.Context, purpose state.ShopperPurpose, email string) (token string, err error) {
	check := &core.Check{}
	email = check.Email("email", core.CleanInput(email))
	if err := check.Err(); err != nil {
		return "", err
	}
	shop, err := s.openStore(ctx)
	if err != nil {
		return "", err
	}
	proven, err := notify.Proven(ctx, s.Client(ctx), shop, s.Limits)
	if err != nil {
		return "", err
	}
	if err := s.charge(ctx, shop, email, proven); err != nil {
		return "", err
	}
	number, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		return "", fmt.Errorf("draw a code: %w", err)
	}
	code := fmt.Sprintf("%0*d", CodeDigits, number)
	mail := codeMail(shop, purpose, email, code, proven)
	token = digest.NewToken()
	err = s.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		err := s.Client(ctx).ShopperChallenge.Create().SetToken(digest.Of([]byte(token))).SetBucket(bucket.Of(shop.ID)).
			SetPurpose(purpose).SetEmail(email).SetCode(sumOf(token, code)).SetExpiresAt(micros.Now().Add(CodeLife)).
			Exec(ctx)
		if err != nil {
			return nil, fmt.Errorf("keep a challenge: %w", err)
		}
		return nil, s.notifier.Send(ctx, s.Client(ctx), mail)
	})
	return token, err
}

// sumOf returns the stored form of a code, which cannot be guessed without the token.
func sumOf(token, code string) digest.Sum { return digest.Of([]byte(token + "\x00" + code)) }

// charge counts an email to an address, so that nobody is flooded and no store is a relay.
func (s *Shoppers) charge(ctx context.Context, shop *db.Store, email string, proven bool) error {
	own, err := s.LimitsOf(shop)
	if err != nil {
		return core.Explain("store", err)
	}
	ofStore := limit.OrderMailsPerDay
	if !proven {
		ofStore = limit.NewStoreMailsPerDay
	}
	const day = 24 * time.Hour
	of := func(what, of string, most int64, window time.Duration) ratelimit.Charge {
		return ratelimit.Charge{Key: ratelimit.Key("sign-in codes "+what, of), Rate: ratelimit.Per(most, window)}
	}
	store, to := shop.ID.String(), notify.Mailbox(email)
	charges := []ratelimit.Charge{of("of a store to", store+to, limit.StoreCodes, time.Hour),
		of("to", to, limit.AddressCodes, day)}
	if network, counted := ratelimit.Network(viewer.OriginOf(ctx).Client); counted {
		charges = append(charges, of("of a network", network.String(), limit.NetworkCodes, time.Hour))
	}
	wait, err := ratelimit.TakeAll(ctx, s.Store, append(charges, of("of a store", store, own.Of(ofStore), day))...)
	if err == nil && wait > 0 {
		err = &fault.Error{Kind: fault.RateLimited, RetryAfter: wait, Detail: "Too many codes were sent."}
	}
	return core.Explain("account", err)
}

// codeMail returns the email with a code.
func codeMail(shop *db.Store, purpose state.ShopperPurpose, to, code string, proven bool) notify.Email {
	about := phrase.CodeMailText
	if purpose == state.ShopperErase {
		about = phrase.DeleteMailText
	}
	texts := phrase.In(shop.Language)
	return mailTo(shop, to, proven, func(name string) (subject, body string) {
		return texts.Say(phrase.CodeMailSubject, name),
			texts.Say(about, code, name) + "\n\n" + texts.Say(phrase.CodeMailIgnore)
	})
}

// mailTo returns an email to a shopper. The name of an unproven store contains no link.
func mailTo(shop *db.Store, to string, proven bool, write func(name string) (subject, body string)) notify.Email {
	name := shop.Name
	if !proven {
		name = notify.Unlink(name)
	}
	subject, body := write(name)
	mail := notify.Email{To: to, Of: shop.ID, From: name, Subject: subject, Body: body}
	core.Opt(shop.ContactEmail, func(a string) { mail.ReplyTo = a })
	return mail
}

// Asked returns the address to which the code of a token was sent, "" if the question is over.
func (s *Shoppers) Asked(ctx context.Context, purpose state.ShopperPurpose, token string) (string, error) {
	row, err := s.challenge(ctx, purpose, token)
	if err != nil || row == nil || row.Tries >= maxTries {
		return "", core.Explain("account", err)
	}
	return row.Email, nil
}

// challenge returns the open challenge of a token, or nil.
func (s *Shoppers) challenge(ctx context.Context, purpose state.ShopperPurpose, token string,
) (*db.ShopperChallenge, error) {
	sum, ok := digest.OfToken(token)
	if !ok {
		return nil, nil
	}
	rows, err := s.Client(ctx).ShopperChallenge.Query().Where(shopperchallenge.Token(sum),
		shopperchallenge.PurposeEQ(purpose), shopperchallenge.ExpiresAtGT(micros.Now())).Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// try counts a try before the code is compared, so that concurrent tries count too, and returns the
// challenge of a right code.
func (s *Shoppers) try(ctx context.Context, purpose state.ShopperPurpose, token, code string,
) (row *db.ShopperChallenge, err error) {
	err = s.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		if row, err = s.challenge(ctx, purpose, token); err != nil {
			return nil, err
		}
		if row == nil {
			return nil, ErrOver
		}
		n, err := s.Client(ctx).ShopperChallenge.Update().Where(shopperchallenge.ID(row.ID),
			shopperchallenge.TriesLT(maxTries)).AddTries(1).Save(ctx)
		if err == nil && n == 0 {
			err = ErrOver
		}
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	given := sumOf(token, digits(code))
	if subtle.ConstantTimeCompare(row.Code[:], given[:]) != 1 {
		return nil, ErrWrong
	}
	return row, nil
}

// digits returns the digits of a code as people type it, in any script.
func digits(code string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, core.FoldDigits(code))
}

// take consumes a challenge in the transaction of its effect: of two right answers one gets
// [ErrOver].
func (s *Shoppers) take(ctx context.Context, row *db.ShopperChallenge) error {
	n, err := s.Client(ctx).ShopperChallenge.Delete().Where(shopperchallenge.ID(row.ID)).Exec(ctx)
	if err == nil && n == 0 {
		err = ErrOver
	}
	return err
}

// SignIn starts a session for the address that a code proves, and returns its token. former is the
// token of the browser's previous session, which ends. It returns [ErrWrong], [ErrOver], or
// [ErrDisabled] if the store has disabled the customer.
func (s *Shoppers) SignIn(ctx context.Context, token, code, former string) (string, error) {
	if _, err := s.openStore(ctx); err != nil {
		return "", err
	}
	row, err := s.try(ctx, state.ShopperSignIn, token, code)
	if err != nil {
		return "", err
	}
	made := digest.NewToken()
	err = again(func() error {
		return s.Commit(ctx, xid.Customer, func(ctx context.Context) (*change.Record, error) {
			if err := s.take(ctx, row); err != nil {
				return nil, err
			}
			return nil, s.open(ctx, row.Email, made, former)
		})
	})
	if errors.Is(err, ErrOver) { // the answer to a COMMIT that succeeded may have been lost
		if mine, failed := s.session(ctx, made); failed == nil && mine != nil {
			return made, nil
		}
	}
	return made, err
}
