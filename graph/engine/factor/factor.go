// Package factor keeps people's second factors: passkeys (Web Authentication, level 2),
// authenticator apps (RFC 6238), and the recovery codes that stand in for a lost one.
//
// A factor is added and removed in one transaction with its row of the person's own log
// and with the letter that tells them. The first one ends the person's other sessions:
// who has a factor can only have come in by one.
package factor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Life is how long somebody has to answer: to type a code, or to touch a key.
const Life = 10 * time.Minute

// ErrWrong is the cause of the faults of an answer that is no proof: a wrong code, one
// that was used, a passkey that is not the person's, a ceremony that is over.
var ErrWrong = errors.New("the second factor was not accepted")

func wrong(detail string) error {
	return &fault.Error{Kind: fault.Forbidden, Detail: detail, Err: ErrWrong}
}

// Config is what a [Keeper] needs.
type Config struct {
	Store *ent.Store
	Ring  *keyring.Ring
	// APIHost is {api_host}: passkeys belong to its name.
	APIHost string
	// Notifier tells people of changes; nil where there is no mail server.
	Notifier *notify.Notifier
	// Limits says how many factors a person has at most.
	Limits limit.Values
	Logger *slog.Logger
}

// Keeper keeps the factors of all people. It is safe for concurrent use.
type Keeper struct {
	store    *ent.Store
	vault    Vault
	party    *webauthn.WebAuthn // nil where the host has no name
	page     string             // where people see their factors
	notifier *notify.Notifier
	most     int64 // factors of a person
	log      *slog.Logger
}

// New makes a keeper.
func New(c Config) (*Keeper, error) {
	api, err := url.Parse(c.APIHost)
	if c.Store == nil || c.Ring == nil || err != nil || api.Host == "" {
		return nil, errors.New("factor: Store, Ring and APIHost are needed")
	}
	k := &Keeper{store: c.Store, vault: NewVault(c.Ring), notifier: c.Notifier, most: c.Limits.Of(limit.Factors),
		page: strings.TrimRight(c.APIHost, "/") + "/dashboard/security",
		log:  cmp.Or(c.Logger, slog.New(slog.DiscardHandler))}
	k.party = newParty(api)
	return k, nil
}

// List returns the factors of a person, the oldest first.
func (k *Keeper) List(ctx context.Context, person xid.ID) ([]*db.Factor, error) {
	rows, err := k.store.DB(ctx).Factor.Query().Where(factor.UserID(person)).Order(factor.ByID()).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list factors: %w", err)
	}
	return rows, nil
}

// CodesLeft returns how many recovery codes of a person are not used.
func (k *Keeper) CodesLeft(ctx context.Context, person xid.ID) (int, error) {
	n, err := k.store.DB(ctx).RecoveryCode.Query().Where(recoverycode.UserID(person)).Count(ctx)
	if err != nil {
		return 0, fmt.Errorf("count recovery codes: %w", err)
	}
	return n, nil
}

// By is a person who changes their own factors in a browser session.
type By struct {
	Person  xid.ID
	Session digest.Sum
}

// hold locks a person in the transaction of ctx until the commit, so that changes of
// their factors and sign-ins come one after the other.
func (k *Keeper) hold(ctx context.Context, person xid.ID) (*db.User, error) {
	query := k.store.DB(ctx).User.Query().Where(user.ID(person))
	query.Modify(ent.ForUpdate)
	row, err := query.Only(ctx)
	if db.IsNotFound(err) {
		return nil, fault.Missing("person")
	}
	if err != nil {
		return nil, fmt.Errorf("hold a person: %w", err)
	}
	return row, nil
}

// enter is hold for somebody whose session has to be there still: a browser that was
// signed out meanwhile adds no factor.
func (k *Keeper) enter(ctx context.Context, by By) (*db.User, error) {
	person, err := k.hold(ctx, by.Person)
	if err != nil {
		return nil, err
	}
	query := k.store.DB(ctx).Session.Query().Where(session.ID(by.Session), session.UserID(by.Person))
	query.Modify(ent.ForUpdate)
	rows, err := query.All(ctx)
	if err == nil && len(rows) == 0 {
		err = fault.New(fault.InvalidToken, "The session was ended meanwhile.")
	}
	return person, err
}
