package session

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/password"
)

// Bounds of what is taken.
const (
	// MaxPassword is the length of a password in code points; a longer one is wrong.
	MaxPassword = limit.Password
	maxAgent    = 255 // code points
	// hashTimeout bounds the wait for a turn to hash: two do so at once.
	hashTimeout = 10 * time.Second
)

// ErrWrong is the cause of the one fault that a wrong password, an unknown
// address, a person without a password and one without a store have in common.
var ErrWrong = errors.New("wrong e-mail address or password")

func wrong() error {
	return &fault.Error{Kind: fault.Forbidden, Detail: "The e-mail address or the password is wrong.", Err: ErrWrong}
}

// Attempt is one try to sign in.
type Attempt struct {
	Email, Password string
	Agent           string     // the browser's User-Agent
	Client          netip.Addr // who is throttled
	Former          string     // the token of the cookie that came along; it ends
}

// Proof is a person who knew their password.
type Proof struct {
	User xid.ID
	hash string // that was verified
}

// SignIn returns a new token and the end of its life, and ends the session that
// the browser had before: the token of a signed-in browser is never one that
// somebody could have put there.
//
// A refusal is a fault: [ErrWrong] is behind the Forbidden one, whose cost and
// text are the same whatever was wrong; RateLimited says when to try again,
// whether the account exists or not; Unavailable is ours.
//
// The audit log has no row of it: each row there belongs to one store, the
// sign-in to none, and rows in all stores of a person would take part in one
// transaction. People see their sessions, and the log of the program has a
// line.
func (k *Keeper) SignIn(ctx context.Context, a Attempt) (token string, ends time.Time, err error) {
	proof, err := k.Prove(ctx, a.Email, a.Password, a.Client)
	if err != nil {
		return "", time.Time{}, err
	}
	token = newToken()
	sum, _ := sumOf(token)
	now := micros.Now()
	expires := now.Add(Life)
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		if err := k.hold(ctx, proof); err != nil {
			return err
		}
		if former, ok := sumOf(a.Former); ok {
			if err := k.end(ctx, former); err != nil {
				return err
			}
		}
		return k.store.DB(ctx).Session.Create().SetID(sum).SetUserID(proof.User).SetAgent(agent(a.Agent)).
			SetCreatedAt(now).SetSeenAt(now).SetExpiresAt(expires).Exec(ctx)
	})
	if err != nil {
		return "", time.Time{}, explain("sign in", err)
	}
	k.log.InfoContext(ctx, "signed in", "user", xid.User.Format(proof.User), "client", a.Client)
	return token, expires.Time(), nil
}

// Prove returns who knows the password of an e-mail address, within the throttle.
// Its faults are those of [Keeper.SignIn].
func (k *Keeper) Prove(ctx context.Context, email, text string, client netip.Addr) (Proof, error) {
	email = normal(email)
	account := digest.Of([]byte(email))
	if wait := k.throttle.Take(account, client); wait > 0 {
		return Proof{}, &fault.Error{Kind: fault.RateLimited, RetryAfter: wait,
			Detail: "Too many attempts: try again in " + seconds(wait) + "."}
	}
	proof, err := k.verify(ctx, email, text)
	if !errors.Is(err, ErrWrong) { // right, or our own fault: no guess was answered
		k.throttle.Return(account, client)
	} else {
		k.log.InfoContext(ctx, "sign-in refused", "client", client)
	}
	return proof, err
}

// verify does the same work for every address: one statement and one hash.
func (k *Keeper) verify(ctx context.Context, email, text string) (Proof, error) {
	person, hash, err := k.named(ctx, email)
	if err != nil {
		return Proof{}, explain("sign in", err)
	}
	ctx, cancel := context.WithTimeout(ctx, hashTimeout)
	defer cancel()
	ok, err := password.Verify(ctx, hash, text)
	switch {
	case err != nil:
		return Proof{}, explain("sign in", err)
	case !ok || person == nil || !possible(text):
		return Proof{}, wrong()
	}
	return Proof{User: person.User, hash: hash}, nil
}

// hold makes sure, in the transaction of ctx, that the password which was proved
// is still the person's, and keeps it so until the commit: a sign-in that runs
// beside a change of the password must not outlive it.
func (k *Keeper) hold(ctx context.Context, p Proof) error {
	query := k.store.DB(ctx).User.Query().Where(user.ID(p.User), user.PasswordHash(p.hash))
	query.Modify(ent.ForUpdate)
	rows, err := query.All(ctx)
	if err == nil && len(rows) == 0 {
		return wrong()
	}
	return err
}

// Replace gives the person who proved who they are a new password, by its hash, and
// ends their sessions but one. It joins the transaction of ctx. When the password
// was changed meanwhile, the proof is [ErrWrong].
func (k *Keeper) Replace(ctx context.Context, p Proof, hash string, keep digest.Sum) error {
	return k.store.InTx(ctx, func(ctx context.Context) error {
		n, err := k.store.DB(ctx).User.Update().Where(user.ID(p.User), user.PasswordHash(p.hash)).
			SetPasswordHash(hash).SetUpdatedAt(micros.Now()).Save(ctx)
		if err != nil {
			return fmt.Errorf("change password: %w", err)
		}
		if n == 0 {
			return wrong()
		}
		_, err = k.EndAll(ctx, p.User, keep)
		return err
	})
}

// Reset gives a person a new password, by its hash, whatever they had before,
// and ends all their sessions; it returns how many. It joins the transaction of ctx. A
// person of the demo is one no more: their password stands in no file from now on.
func (k *Keeper) Reset(ctx context.Context, person xid.ID, hash string) (ended int, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		n, err := k.store.DB(ctx).User.Update().Where(user.ID(person)).
			SetPasswordHash(hash).SetDemo(false).SetUpdatedAt(micros.Now()).Save(ctx)
		if err != nil {
			return fmt.Errorf("set password: %w", err)
		}
		if n == 0 {
			return fault.Missing("person")
		}
		ended, err = k.EndAll(ctx, person, digest.Sum{})
		return err
	})
	return ended, err
}

// normal is an e-mail address as the directory has it. One that cannot be there
// becomes the empty one, which nobody has.
func normal(email string) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > limit.Email || !utf8.ValidString(email) {
		return ""
	}
	return email
}

// possible reports whether a text can be a password at all.
func possible(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= MaxPassword &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

// agent is what a browser calls itself, as far as it can be shown.
func agent(text string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(clean); len(runes) > maxAgent {
		clean = string(runes[:maxAgent])
	}
	return clean
}

// seconds writes a wait, rounded up.
func seconds(d time.Duration) string {
	n := int((d + time.Second - 1) / time.Second)
	if n == 1 {
		return "a second"
	}
	return strconv.Itoa(n) + " seconds"
}

// explain turns a database that is away, and a hash whose turn did not come,
// into the fault that says so.
func explain(what string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok || err == nil {
		return err
	}
	if ent.IsUnavailable(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &fault.Error{Kind: fault.Unavailable, Detail: "The service is not available for a moment.",
			RetryAfter: time.Second, Err: err}
	}
	return fmt.Errorf("%s: %w", what, err)
}
