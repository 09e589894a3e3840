package factor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/notify"
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
	if err := k.count(ctx, person, a); err != nil {
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
		k.uncount(ctx, person, a)
	}
	return err
}

// use validates and consumes an answer, in the transaction of ctx.
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

// recover consumes a recovery code, in the transaction of ctx, and emails the person.
func (k *Keeper) recover(ctx context.Context, person *db.User, code string) (Used, error) {
	if err := k.useCode(ctx, person.ID, code); err != nil {
		return Used{}, err
	}
	left, err := k.CodesLeft(ctx, person.ID)
	if err != nil {
		return Used{}, err
	}
	c, text := k.store.DB(ctx), fmt.Sprintf("%d left", left)
	if err := audit.Account(ctx, c, person.ID, state.AccountCodeUsed, text); err != nil {
		return Used{}, err
	}
	err = k.notifier.Send(ctx, c, notify.Email{To: person.Email, Of: person.ID,
		Subject: "A recovery code of your account was used",
		Body: "A recovery code of your account " + person.Email + " was used; there are " + text + ".\n\n" +
			k.advice()})
	return Used{CodesLeft: left}, err
}

// ProvePasswordless is Prove for a passkey that replaces the password. It answers [Keeper.AskPasswordless]; f
// gets the person.
func (k *Keeper) ProvePasswordless(ctx context.Context, token string, response []byte,
	f func(ctx context.Context, person xid.ID, u Used) error,
) error {
	if k.store.Within(ctx) {
		return errors.New("factor: what is refused would not be noted in a transaction that is rolled back")
	}
	shown, err := parseAssertion(response)
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

// keys returns the rate-limit keys of a person's answers by one method.
func keys(person xid.ID, a Answer) (short, long digest.Sum) {
	of := a.way() + " " + xid.User.Format(person)
	return ratelimit.Key("second factor", of), ratelimit.Key("second factor, long", of)
}

// count takes a guess before its outcome is known, so that concurrent guesses are counted as well.
func (k *Keeper) count(ctx context.Context, person xid.ID, a Answer) error {
	short, long := keys(person, a)
	wait, err := ratelimit.Take(ctx, k.store, short, guesses)
	if err == nil && wait == 0 {
		if wait, err = ratelimit.Take(ctx, k.store, long, longGuesses); err == nil && wait > 0 {
			err = ratelimit.Return(ctx, k.store, short, guesses)
		}
	}
	if err == nil && wait > 0 {
		return late(wait)
	}
	return err
}

// uncount returns a guess after a right answer or an unavailable database. The result stands even
// if this fails.
func (k *Keeper) uncount(ctx context.Context, person xid.ID, a Answer) {
	short, long := keys(person, a)
	err := errors.Join(ratelimit.Return(ctx, k.store, short, guesses),
		ratelimit.Return(ctx, k.store, long, longGuesses))
	if err != nil {
		k.log.WarnContext(ctx, "a guess could not be given back", "error", err)
	}
}

// late is the fault for too many guesses.
func late(wait time.Duration) error {
	n := int(math.Ceil(wait.Seconds()))
	return &fault.Error{Kind: fault.RateLimited, RetryAfter: wait,
		Detail: fmt.Sprintf("Too many attempts. Try again in %d s.", n)}
}
