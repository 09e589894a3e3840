// Package factor manages people's second factors: passkeys (Web Authentication, level 2),
// authenticator apps (RFC 6238), and the recovery codes that replace a lost one.
//
// A factor is added or removed in one transaction with its row of the person's account log and with
// an email to them. The first factor ends the person's other sessions, so every session of a person
// with factors was opened with one.
package factor

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/db/recoverycode"
	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// Life is how long a person has to answer: to type a code or to touch a key.
const Life = 10 * time.Minute

// ErrWrong is the cause of the faults for an answer that proves nothing: a wrong or used code, a
// passkey of someone else, or a ceremony that is over.
var ErrWrong = errors.New("the second factor was not accepted")

func wrong(detail string) error {
	return &fault.Error{Kind: fault.Forbidden, Detail: detail, Err: ErrWrong}
}

// Config holds the dependencies of a [Keeper].
type Config struct {
	Store *ent.Store
	Ring  *keyring.Ring
	// APIHost is {api_host}. Passkeys are bound to its name.
	APIHost string
	// Notifier emails people about changes; nil without a mail server.
	Notifier *notify.Notifier
	// Limits holds how many factors a person may have.
	Limits limit.Values
	Logger *slog.Logger
}

// Keeper manages the factors of all people. It is safe for concurrent use.
type Keeper struct {
	store    *ent.Store
	vault    Vault
	party    *webauthn.WebAuthn // nil if the host has no name
	page     string             // the page of a person's factors
	notifier *notify.Notifier
	most     int64 // factors per person
	log      *slog.Logger
}

// New returns a keeper, or an error if a dependency is missing.
func New(c Config) (*Keeper, error) {
	api, err := url.Parse(c.APIHost)
	if c.Store == nil || c.Ring == nil || err != nil || api.Host == "" {
		return nil, errors.New("factor: Store, Ring and APIHost are needed")
	}
	return &Keeper{store: c.Store, vault: NewVault(c.Ring), notifier: c.Notifier, most: c.Limits.Of(limit.Factors),
		page:  strings.TrimRight(c.APIHost, "/") + "/dashboard/security",
		party: newParty(api), log: cmp.Or(c.Logger, slog.New(slog.DiscardHandler))}, nil
}

// List returns the factors of a person, oldest first.
func (k *Keeper) List(ctx context.Context, person xid.ID) ([]*db.Factor, error) {
	rows, err := k.store.DB(ctx).Factor.Query().Where(factor.UserID(person)).Order(factor.ByID()).All(ctx)
	return rows, fault.Wrap("list factors", err)
}

// CodesLeft returns how many unused recovery codes a person has.
func (k *Keeper) CodesLeft(ctx context.Context, person xid.ID) (int, error) {
	n, err := k.store.DB(ctx).RecoveryCode.Query().Where(recoverycode.UserID(person)).Count(ctx)
	return n, fault.Wrap("count recovery codes", err)
}

// By is a person who changes their own factors in a browser session.
type By struct {
	Person  xid.ID
	Session digest.Sum
}

// hold locks a person, so that changes of their factors and sign-ins are serialized.
func (k *Keeper) hold(ctx context.Context, person xid.ID) (*db.User, error) {
	query := k.store.DB(ctx).User.Query().Where(user.ID(person))
	query.Modify(ent.ForUpdate)
	row, err := query.Only(ctx)
	if db.IsNotFound(err) {
		return nil, fault.Missing("person")
	}
	return row, fault.Wrap("hold a person", err)
}

// enter is hold for a person whose session must still exist: a browser that was signed out
// meanwhile adds no factor. It returns InvalidToken otherwise.
func (k *Keeper) enter(ctx context.Context, by By) (*db.User, error) {
	person, err := k.hold(ctx, by.Person)
	if err != nil {
		return nil, err
	}
	query := k.store.DB(ctx).Session.Query().Where(session.ID(by.Session), session.UserID(by.Person))
	query.Modify(ent.ForUpdate)
	rows, err := query.All(ctx)
	if err == nil && len(rows) == 0 {
		err = fault.New(fault.InvalidToken, "The session has ended.")
	}
	return person, err
}

// enterRoom is enter for a person who is about to add a factor. It also returns the factors that they
// have, and a fault if there is no room for another.
func (k *Keeper) enterRoom(ctx context.Context, by By) (person *db.User, have []*db.Factor, err error) {
	if person, err = k.enter(ctx, by); err != nil {
		return nil, nil, err
	}
	if have, err = k.List(ctx, by.Person); err == nil && int64(len(have)) >= k.most {
		err = k.full()
	}
	return person, have, err
}
