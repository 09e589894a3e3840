package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
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
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// hashTimeout bounds the wait for a free hasher: two hash at once.
const hashTimeout = 10 * time.Second

// ErrWrong is the cause of the fault that a wrong password, an unknown address and a person without
// a password share.
var ErrWrong = errors.New("wrong e-mail address or password")

func wrong() error {
	return &fault.Error{Kind: fault.Forbidden, Detail: "Wrong email address or password.", Err: ErrWrong}
}

// Attempt is one attempt to sign in.
type Attempt struct {
	Email, Password string
	Agent           string     // the browser's User-Agent
	Client          netip.Addr // the address that is throttled
	Former          string     // the browser's previous session token; that session ends
	Device          string     // the browser's cookie of known browsers
	// Unknown runs in the transaction of a sign-in from a browser that is new to the person, as far
	// as its cookie shows. It may be nil.
	Unknown func(ctx context.Context, person xid.ID) error
}

// Proof is a person whose password was verified.
type Proof struct {
	User    xid.ID
	hash    string // the hash that was verified
	account digest.Sum
}

// Signed is a new session, or the next step towards it.
type Signed struct {
	User xid.ID
	// Second is the token of the next step if the person has a second factor. Then there is no
	// session yet, and only User is set besides.
	Second string
	Token  string
	Ends   time.Time
	// Device is the new value of the browser's cookie of known browsers.
	Device string
	// NewDevice reports whether the browser is new to the person, as far as its cookie shows.
	NewDevice bool
}

// SignIn starts a session and returns its token. It ends the session that the browser had before,
// so that nobody can plant a token in a browser (session fixation). If the person has a second
// factor, it returns the token of that step instead, for [Keeper.Finish].
//
// A refusal is a fault. Forbidden wraps [ErrWrong]; its cost and text do not depend on what was
// wrong. RateLimited has the time to retry, whether the account exists or not. Unavailable is a
// failure of the service.
//
// The audit log gets no row: its rows belong to one store each, a sign-in to none, and rows in all
// stores of the person would span one transaction. The person's account log gets one.
func (k *Keeper) SignIn(ctx context.Context, a Attempt) (Signed, error) {
	proof, err := k.Prove(ctx, a.Email, a.Password, Source{Client: a.Client, Device: a.Device})
	if err != nil {
		return Signed{}, err
	}
	var s Signed
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		if err := k.lockProved(ctx, proof); err != nil {
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

// open creates a session in the transaction of ctx, which holds the person. After the commit it
// ends the browser's previous session. If that fails, the browser has lost the cookie anyway and
// the session expires by itself.
func (k *Keeper) open(ctx context.Context, person xid.ID, account digest.Sum, a Attempt) (Signed, error) {
	now := micros.Now()
	expires := now.Add(Life)
	s := Signed{User: person, Token: digest.NewToken(), Ends: expires.Time()}
	s.Device, s.NewDevice = k.devices.cookieAfter(account, a.Device, now)
	sum, _ := digest.OfToken(s.Token)
	if former, ok := digest.OfToken(a.Former); ok {
		// The previous session may be another person's. On Vitess, deleting it here would lock a
		// gap in the directory of sessions for which the new session would wait forever.
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
	detail := ""
	if s.NewDevice {
		detail = "with a new browser"
	}
	return s, k.note(ctx, person, state.AccountSignedIn, detail)
}

// Prove verifies the password of an email address, within the rates on guessing. It returns the
// same faults as [Keeper.SignIn].
func (k *Keeper) Prove(ctx context.Context, email, text string, from Source) (Proof, error) {
	email = normalize(email)
	account := digest.Of([]byte(email))
	charges := k.charges(account, from)
	if err := k.admit(ctx, ratelimit.Wait, charges); err != nil {
		return Proof{}, err
	}
	first := ctx
	if k.trusted(account, from) {
		first = password.Known(ctx)
	}
	proof, err := k.verify(first, email, text)
	switch {
	case err == nil:
		err = k.admit(ctx, ratelimit.Wait, charges)
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

// verify does the same work for every address: one statement and one hash. With [ErrWrong] the
// proof has the person of the address, if there is one.
func (k *Keeper) verify(ctx context.Context, email, text string) (Proof, error) {
	person, hash, err := k.byEmail(ctx, email)
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
	case !ok || !validPassword(text):
		return Proof{User: person.User}, wrong()
	}
	return Proof{User: person.User, hash: hash}, nil
}

// lockProved locks the person in the transaction of ctx and returns [ErrWrong] if the verified
// password is not theirs any more: a sign-in must not outlive a concurrent change of the password.
func (k *Keeper) lockProved(ctx context.Context, p Proof) error {
	query := k.store.DB(ctx).User.Query().Where(user.ID(p.User), user.PasswordHash(p.hash))
	query.Modify(ent.ForUpdate)
	rows, err := query.All(ctx)
	if err == nil && len(rows) == 0 {
		return wrong()
	}
	return err
}

// Replace sets a new password hash for the person of a proof and ends their sessions except one. It
// joins the transaction of ctx. It returns [ErrWrong] if the password was changed since the proof.
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

// Reset sets a new password hash regardless of the old one, ends all sessions of the person and
// returns how many. It joins the transaction of ctx. A person of the demo becomes an ordinary one,
// because the demo's file no longer has their password.
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

// normalize returns an email address as the directory stores it, or "" if the directory cannot have
// it.
func normalize(email string) string {
	if !utf8.ValidString(email) {
		return ""
	}
	if email = mailbox.Fold(strings.TrimSpace(email)); len(email) > limit.Email {
		return ""
	}
	return email
}

func validPassword(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= limit.Password &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

// explain turns an unavailable database and a timeout into an Unavailable fault, and wraps other
// errors.
func explain(what string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok || err == nil {
		return err
	}
	if ent.IsUnavailable(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &fault.Error{Kind: fault.Unavailable, Detail: "The service is temporarily unavailable.",
			RetryAfter: time.Second, Err: err}
	}
	return fmt.Errorf("%s: %w", what, err)
}
