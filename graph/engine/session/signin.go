package session

import (
	"cmp"
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
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/password"
)

// Bounds of what is taken.
const (
	// MaxPassword is the length of a password in code points; a longer one is wrong.
	MaxPassword = limit.Password
	// hashTimeout bounds the wait for a turn to hash: two do so at once.
	hashTimeout = 10 * time.Second
)

// ErrWrong is the cause of the one fault that a wrong password, an unknown
// address and a person without a password have in common.
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
	Device          string     // the cookie of known browsers that came along
	// Unknown runs in the transaction of a sign-in with a browser in which the person
	// never signed in before, as far as it shows; nil for nothing.
	Unknown func(ctx context.Context, person xid.ID) error
}

// Proof is a person who knew their password.
type Proof struct {
	User    xid.ID
	hash    string // that was verified
	account digest.Sum
}

// Signed is a new session, or the way to it.
type Signed struct {
	User xid.ID
	// Second is the token of the next step where the person has a second factor; then
	// there is no session yet, and nothing else is set.
	Second string
	Token  string
	Ends   time.Time
	// Device is what the cookie of known browsers is from now on.
	Device string
	// NewDevice reports whether the person never signed in with this browser, as far
	// as it shows.
	NewDevice bool
}

// SignIn returns a new token and the end of its life, and ends the session that
// the browser had before: the token of a signed-in browser is never one that
// somebody could have put there. Whoever has a second factor gets the token of the
// step to it instead, for [Keeper.Finish].
//
// A refusal is a fault: [ErrWrong] is behind the Forbidden one, whose cost and
// text are the same whatever was wrong; RateLimited says when to try again,
// whether the account exists or not; Unavailable is ours.
//
// The audit log has no row of it: each row there belongs to one store, the
// sign-in to none, and rows in all stores of a person would take part in one
// transaction. The person's own log has one.
func (k *Keeper) SignIn(ctx context.Context, a Attempt) (Signed, error) {
	proof, err := k.Prove(ctx, a.Email, a.Password, Source{Client: a.Client, Device: a.Device})
	if err != nil {
		return Signed{}, err
	}
	var s Signed
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		if err := k.hold(ctx, proof); err != nil {
			return err
		}
		has, err := k.store.DB(ctx).Factor.Query().Where(factor.UserID(proof.User)).Exist(ctx)
		if err != nil {
			return err
		}
		if has {
			s = Signed{User: proof.User}
			s.Second, err = k.pend(ctx, proof)
			return err
		}
		s, err = k.open(ctx, proof.User, proof.account, a)
		return err
	})
	if err != nil {
		return Signed{}, explain("sign in", err)
	}
	return s, nil
}

// open makes a session in the transaction of ctx, which holds the person, and behind it
// ends the one that the browser had before. Where that fails the browser has lost its
// cookie all the same, and the session ends by its time.
func (k *Keeper) open(ctx context.Context, person xid.ID, account digest.Sum, a Attempt) (Signed, error) {
	now := micros.Now()
	expires := now.Add(Life)
	s := Signed{User: person, Token: digest.NewToken(), Ends: expires.Time()}
	s.Device, s.NewDevice = k.devices.after(account, a.Device, now)
	sum, _ := digest.OfToken(s.Token)
	if former, ok := digest.OfToken(a.Former); ok {
		// It may be another person's, and on Vitess the gap that its deletion locks in the
		// directory of sessions would make the new one wait for itself.
		ent.OnCommit(ctx, func() { k.end(ent.Outside(ctx), former) })
	}
	from := viewer.Origin{Client: a.Client, Agent: a.Agent}
	row := k.store.DB(ctx).Session.Create().SetID(sum).SetUserID(person).SetAgent("")
	if name := from.Program(); name != nil {
		row.SetAgent(*name)
	}
	err := row.SetNillableAddress(from.Address()).
		SetCreatedAt(now).SetSeenAt(now).SetProvedAt(now).SetExpiresAt(expires).Exec(ctx)
	if err != nil {
		return Signed{}, err
	}
	ent.OnCommit(ctx, func() {
		k.log.InfoContext(ctx, "signed in", "user", xid.User.Format(person), "client", a.Client)
		k.counts.signedIn.Add(1)
	})
	if s.NewDevice && a.Unknown != nil {
		if err := a.Unknown(ctx, person); err != nil {
			return Signed{}, err
		}
	}
	return s, k.note(ctx, person, state.AccountSignedIn, s.note())
}

// Prove returns who knows the password of an e-mail address, within the bounds on
// guessing. Its faults are those of [Keeper.SignIn].
func (k *Keeper) Prove(ctx context.Context, email, text string, from Source) (Proof, error) {
	email = normal(email)
	account := digest.Of([]byte(email))
	charges := k.charges(account, from)
	if err := k.admit(ctx, charges); err != nil {
		return Proof{}, err
	}
	first := ctx
	if k.trusted(account, from) {
		first = password.Known(ctx)
	}
	proof, err := k.verify(first, email, text)
	switch {
	case err == nil:
		err = k.admit(ctx, charges)
	case errors.Is(err, ErrWrong):
		k.log.InfoContext(ctx, "sign-in refused", "client", from.Client)
		err = cmp.Or(k.refuse(ctx, charges, proof.User), err)
	}
	if err != nil {
		return Proof{}, err
	}
	proof.account = account
	return proof, nil
}

// verify does the same work for every address: one statement and one hash. Whose
// password was wrong is in its answer too.
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
	case person == nil:
		return Proof{}, wrong()
	case !ok || !possible(text):
		return Proof{User: person.User}, wrong()
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
		if _, err = k.EndAll(ctx, p.User, keep); err != nil {
			return err
		}
		return k.note(ctx, p.User, state.AccountPasswordChanged, "")
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
		if ended, err = k.EndAll(ctx, person, digest.Sum{}); err != nil {
			return err
		}
		return k.note(ctx, person, state.AccountPasswordReset, "")
	})
	return ended, err
}

// normal is an e-mail address as the directory has it. One that cannot be there
// becomes the empty one, which nobody has.
func normal(email string) string {
	if !utf8.ValidString(email) {
		return ""
	}
	if email = mailbox.Fold(strings.TrimSpace(email)); len(email) > limit.Email {
		return ""
	}
	return email
}

// possible reports whether a text can be a password at all.
func possible(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= MaxPassword &&
		!strings.ContainsFunc(text, unicode.IsControl)
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
