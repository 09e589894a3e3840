package factor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-webauthn/webauthn/protocol"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// Rates of wrong answers of a person. A code has a million values, of which three are valid. The
// second rate leaves someone who knows the password about one chance in 3,000 a day.
var (
	guesses     = ratelimit.Rate{Burst: 5, Every: time.Minute}
	longGuesses = ratelimit.Rate{Burst: 60, Every: 15 * time.Minute}
)

// Answer is a person's answer: the code of an app, a recovery code, or a passkey.
type Answer struct {
	Code     string
	Ceremony string // the token of [Keeper.AskSecond]
	Response []byte // an AuthenticationResponseJSON (Web Authentication, section 5.1)
}

// Used is the factor that was accepted.
type Used struct {
	Kind state.FactorKind // empty for a recovery code
	Name string
	// CodesLeft is how many recovery codes are left if one was used.
	CodesLeft int
}

// way returns the method under which an answer is counted. Methods are counted apart, so that
// guesses at codes do not block the owner's other methods.
func (a Answer) way() string {
	_, recovery := parseCode(a.Code)
	switch {
	case a.Code == "":
		return "passkey"
	case recovery:
		return "recovery"
	}
	return "code"
}

// Prove validates a person's answer and, if it is right, runs f in the transaction that consumes
// it, so that all of it commits or nothing. A wrong answer is [ErrWrong]; it is counted and
// recorded in the account log. Too many wrong answers are a RateLimited fault. Prove begins its own
// transaction and fails inside another.
func (k *Keeper) Prove(ctx context.Context, person xid.ID, a Answer, f func(context.Context, Used) error) error {
	if k.store.Within(ctx) {
		return errors.New("factor: a guess would not be counted in a transaction that may be rolled back")
	}
	// The guess is counted before its outcome is known, so that concurrent guesses are counted too.
	counts := charges(person, a)
	if err := limited(ratelimit.TakeAll(ctx, k.store, counts...)); err != nil {
		return err
	}
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		used, err := k.use(ctx, person, a)
		if err != nil {
			return err
		}
		return f(ctx, used)
	})
	switch {
	case errors.Is(err, ErrWrong):
		k.failed(ctx, person, a.way(), err)
	case err == nil || ent.IsUnavailable(err):
		k.uncount(ctx, counts)
	}
	return err
}

func (k *Keeper) use(ctx context.Context, id xid.ID, a Answer) (Used, error) {
	person, err := k.hold(ctx, id)
	if err != nil {
		return Used{}, err
	}
	rows, err := k.List(ctx, id)
	if err != nil {
		return Used{}, err
	}
	if code, ok := parseCode(a.Code); ok {
		return k.recover(ctx, person, code)
	}
	var row *db.Factor
	code, typed := parseTOTP(a.Code)
	switch {
	case typed:
		row, err = k.useTOTP(ctx, rows, code)
	case a.Code != "":
		err = wrong("A code has six digits. A recovery code has twelve letters and digits.")
	case k.party == nil:
		err = notAccepted(errors.New("there is no relying party"))
	default:
		row, err = k.useSecond(ctx, person, rows, a)
	}
	if err != nil {
		return Used{}, err
	}
	return Used{Kind: row.Kind, Name: row.Name}, k.noteUse(ctx, row)
}

func (k *Keeper) noteUse(ctx context.Context, row *db.Factor) error {
	return audit.Account(ctx, k.store.DB(ctx), row.UserID, state.AccountFactorUsed, detailOf(row.Kind, row.Name))
}

func (k *Keeper) recover(ctx context.Context, person *db.User, code string) (Used, error) {
	if err := k.useCode(ctx, person.ID, code); err != nil {
		return Used{}, err
	}
	left, err := k.CodesLeft(ctx, person.ID)
	if err != nil {
		return Used{}, err
	}
	text := fmt.Sprintf("%d left", left)
	if err := audit.Account(ctx, k.store.DB(ctx), person.ID, state.AccountCodeUsed, text); err != nil {
		return Used{}, err
	}
	return Used{CodesLeft: left}, k.email(ctx, person, "A recovery code of your account was used",
		"A recovery code of your account "+person.Email+" was used; there are "+text+".")
}

// ProvePasswordless is Prove for a passkey that replaces the password. It answers [Keeper.AskPasswordless]; f
// gets the person.
func (k *Keeper) ProvePasswordless(ctx context.Context, token string, response []byte,
	f func(ctx context.Context, person xid.ID, u Used) error,
) error {
	if k.store.Within(ctx) {
		return errors.New("factor: what is refused would not be noted in a transaction that is rolled back")
	}
	shown, err := parse(response, protocol.ParseCredentialRequestResponseBytes)
	if err != nil || k.party == nil {
		return notAccepted(err)
	}
	asked, err := k.takePasswordless(ctx, token)
	if err != nil {
		return err
	}
	var person xid.ID
	err = k.store.InTx(ctx, func(ctx context.Context) (err error) {
		var row *db.Factor
		if person, row, err = k.usePasswordless(ctx, asked, shown); err != nil {
			return err
		}
		if err := k.noteUse(ctx, row); err != nil {
			return err
		}
		return f(ctx, person, Used{Kind: row.Kind, Name: row.Name})
	})
	if errors.Is(err, errCopied) { // other failures may come from strangers, who could fill the log
		k.failed(ctx, person, "passkey", err)
	}
	return err
}

// failed records a refused answer. The refusal stands even if it cannot be recorded.
func (k *Keeper) failed(ctx context.Context, person xid.ID, way string, cause error) {
	k.log.InfoContext(ctx, "second factor refused", "user", xid.User.Format(person), "way", way, "error", cause)
	detail := way
	if errors.Is(cause, errCopied) {
		detail += ": " + errCopied.Error()
	}
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		return audit.Account(ctx, k.store.DB(ctx), person, state.AccountFactorRefused, detail)
	})
	if err != nil {
		k.log.ErrorContext(ctx, "a refused second factor could not be recorded", "error", err)
	}
}

func charges(person xid.ID, a Answer) []ratelimit.Charge {
	of := a.way() + " " + xid.User.Format(person)
	return []ratelimit.Charge{{Key: ratelimit.Key("second factor", of), Rate: guesses},
		{Key: ratelimit.Key("second factor, long", of), Rate: longGuesses}}
}

// uncount returns a guess that was right or not judged. The result stands even if this fails.
func (k *Keeper) uncount(ctx context.Context, charges []ratelimit.Charge) {
	for _, c := range charges {
		if err := ratelimit.Return(ctx, k.store, c.Key, c.Rate); err != nil {
			k.log.WarnContext(ctx, "a guess could not be given back", "error", err)
		}
	}
}

func limited(wait time.Duration, err error) error {
	if err != nil || wait == 0 {
		return err
	}
	return &fault.Error{Kind: fault.RateLimited, RetryAfter: wait,
		Detail: fmt.Sprintf("Too many attempts. Try again in %d s.", int(math.Ceil(wait.Seconds())))}
}
