package factor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/session"
)

// Purposes of a ceremony. The answer to one purpose is not valid for another.
const (
	registration = "make"   // a passkey is set up
	second       = "second" // a passkey follows a password
	passwordless = "alone"  // a passkey replaces the password
)

type ceremony struct {
	For     string               `json:"for"`
	Session webauthn.SessionData `json:"session"`
}

// Ceremony is a question for a browser.
type Ceremony struct {
	Token   string          // the token of the answer
	Options json.RawMessage // the argument of the browser's navigator.credentials
}

// newParty returns the relying party. It returns nil for a host without a name, such as an IP
// address: browsers bind passkeys to names (Web Authentication, section 5.1.2).
func newParty(api *url.URL) *webauthn.WebAuthn {
	party, err := webauthn.New(&webauthn.Config{
		RPID: api.Hostname(), RPDisplayName: issuer, RPOrigins: []string{api.Scheme + "://" + api.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationPreferred,
		},
		Timeouts: webauthn.TimeoutsConfig{
			Login:        webauthn.TimeoutConfig{Enforce: true, Timeout: Life, TimeoutUVD: Life},
			Registration: webauthn.TimeoutConfig{Enforce: true, Timeout: Life, TimeoutUVD: Life},
		},
	})
	if err != nil {
		return nil
	}
	return party
}

// Passkeys reports whether passkeys are available, which needs a name in {api_host}.
func (k *Keeper) Passkeys() bool { return k.party != nil }

func nameless() error {
	return fault.New(fault.Conflict,
		"Passkeys need a domain name, such as localhost or shop.example, not an IP address.")
}

type holder struct {
	person *db.User
	rows   []*db.Factor
	keys   []webauthn.Credential
}

func (h *holder) WebAuthnID() []byte                         { return h.person.ID[:] }
func (h *holder) WebAuthnName() string                       { return h.person.Email }
func (h *holder) WebAuthnDisplayName() string                { return h.person.Name }
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// holderOf decrypts the passkeys of a person. The signature counter has its own column.
func (k *Keeper) holderOf(person *db.User, rows []*db.Factor) (*holder, error) {
	h := &holder{person: person}
	for _, row := range rows {
		if row.Kind != state.FactorPasskey {
			continue
		}
		data, err := k.vault.Open(row.UserID, row.ID, row.Data)
		if err != nil {
			return nil, err
		}
		var key webauthn.Credential
		if err := json.Unmarshal(data, &key); err != nil {
			return nil, fmt.Errorf("read passkey %s: %w", xid.Factor.Format(row.ID), err)
		}
		key.Authenticator.SignCount = uint32(row.Step)
		h.rows, h.keys = append(h.rows, row), append(h.keys, key)
	}
	return h, nil
}

// BeginPasskey asks a person's browser for a new passkey.
func (k *Keeper) BeginPasskey(ctx context.Context, by By) (q *Ceremony, err error) {
	if !k.Passkeys() {
		return nil, nameless()
	}
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		person, have, err := k.enterRoom(ctx, by)
		if err != nil {
			return err
		}
		h, err := k.holderOf(person, have)
		if err != nil {
			return err
		}
		known := webauthn.Credentials(h.keys).CredentialDescriptors()
		options, s, err := k.party.BeginRegistration(h, webauthn.WithExclusions(known))
		if err != nil {
			return fmt.Errorf("begin a registration: %w", err)
		}
		q, err = k.putCeremony(ctx, by.Person, registration, options, s)
		return err
	})
	return q, err
}

func (k *Keeper) putCeremony(ctx context.Context, person xid.ID, what string, options any, s *webauthn.SessionData,
) (*Ceremony, error) {
	shown, err := json.Marshal(options)
	if err != nil {
		return nil, fmt.Errorf("write the options of a ceremony: %w", err)
	}
	kept, err := json.Marshal(ceremony{For: what, Session: *s})
	if err != nil {
		return nil, fmt.Errorf("write a ceremony: %w", err)
	}
	token, err := session.PutChallenge(ctx, k.store.DB(ctx), session.AskChallenge{Person: person,
		Purpose: state.ChallengePasskey, Data: kept, Life: Life})
	return &Ceremony{Token: token, Options: shown}, err
}

// takeCeremony consumes the question of an answer, in the transaction of ctx. It returns
// [session.ErrUnknownChallenge] if the question is for another person or purpose.
func (k *Keeper) takeCeremony(ctx context.Context, token string, person xid.ID, what string,
) (*webauthn.SessionData, error) {
	row, err := session.AnswerChallenge(ctx, k.store.DB(ctx), token, state.ChallengePasskey)
	if err != nil {
		return nil, err
	}
	var c ceremony
	if err := json.Unmarshal(row.Data, &c); err != nil {
		return nil, fmt.Errorf("read a ceremony: %w", err)
	}
	if row.UserID != person || c.For != what {
		return nil, session.ErrUnknownChallenge
	}
	return &c.Session, nil
}

// FinishPasskey stores a new passkey from a RegistrationResponseJSON (Web Authentication, 5.1).
func (k *Keeper) FinishPasskey(ctx context.Context, by By, token, name string, response []byte,
) (done *Added, err error) {
	if !k.Passkeys() {
		return nil, nameless()
	}
	if name, err = checkName(state.FactorPasskey, name); err != nil {
		return nil, err
	}
	made, err := parse(response, protocol.ParseCredentialCreationResponseBytes)
	if err != nil {
		return nil, refused("The browser did not send a valid passkey.", err)
	}
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		person, err := k.enter(ctx, by)
		if err != nil {
			return err
		}
		s, err := k.takeCeremony(ctx, token, by.Person, registration)
		if errors.Is(err, session.ErrUnknownChallenge) {
			return over()
		}
		if err != nil {
			return err
		}
		key, err := k.party.CreateCredential(&holder{person: person}, *s, made)
		if err != nil {
			return refused("The passkey does not match the request.", err)
		}
		data, err := json.Marshal(key)
		if err != nil {
			return fmt.Errorf("write a passkey: %w", err)
		}
		done, err = k.add(ctx, by, person, newFactor{kind: state.FactorPasskey, name: name, data: data,
			step: int64(key.Authenticator.SignCount)})
		return err
	})
	return done, err
}

// refused is the fault for an invalid response of a browser. The cause is only logged.
func refused(detail string, cause error) error {
	f := fault.Invalid(fault.Field{Pointer: "#/response", Code: fault.UnknownValue, Detail: detail})
	f.Err = cause
	return f
}

func parse[T any](response []byte, as func([]byte) (*T, error)) (*T, error) {
	if len(response) > limit.Passkey {
		return nil, errors.New("too long")
	}
	return as(response)
}
