// Package passkey asks browsers for passkeys that are bound to a host, and verifies their answers
// (Web Authentication, level 2). It stores nothing: the caller makes challenges and ends them.
package passkey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/storefront-go/storefront/ent/limit"
)

// ErrRefused is the cause of the errors for an answer that proves nothing.
var ErrRefused = errors.New("the passkey was not accepted")

// Party is a relying party: the pages of an origin.
type Party struct{ party *webauthn.WebAuthn }

// At returns the relying party of an origin, such as "https://shop.example". It returns nil for a
// host without a name: browsers bind passkeys to names (section 5.1.2).
func At(origin string) *Party {
	at, err := url.Parse(origin)
	if err != nil {
		return nil
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: at.Hostname(), RPDisplayName: at.Hostname(), RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil
	}
	return &Party{party}
}

// Host returns the name that browsers bind passkeys to.
func (p *Party) Host() string { return p.party.Config.RPID }

// Key is a passkey as it is stored.
type Key struct {
	ID    []byte // the credential id
	Data  []byte // the credential record, as JSON (section 4)
	Count int64  // the signature counter
}

// owner implements [webauthn.User].
type owner struct {
	id   []byte
	name string
	keys []webauthn.Credential
}

func (o *owner) WebAuthnID() []byte                         { return o.id }
func (o *owner) WebAuthnName() string                       { return o.name }
func (o *owner) WebAuthnDisplayName() string                { return o.name }
func (o *owner) WebAuthnCredentials() []webauthn.Credential { return o.keys }

func ownerOf(id []byte, name string, keys []Key) (*owner, error) {
	o := &owner{id: id, name: name}
	for _, k := range keys {
		var key webauthn.Credential
		if err := json.Unmarshal(k.Data, &key); err != nil {
			return nil, fmt.Errorf("read a passkey: %w", err)
		}
		key.Authenticator.SignCount = uint32(k.Count)
		o.keys = append(o.keys, key)
	}
	return o, nil
}

// Ask returns the argument of navigator.credentials.get for any passkey of the host.
func (p *Party) Ask(challenge []byte) (json.RawMessage, error) {
	options, _, err := p.party.BeginDiscoverableLogin(webauthn.WithChallenge(challenge))
	if err != nil {
		return nil, fmt.Errorf("ask for a passkey: %w", err)
	}
	return json.Marshal(options)
}

// AskNew returns the argument of navigator.credentials.create for another passkey of an owner, who
// has some already.
func (p *Party) AskNew(id []byte, name string, have []Key, challenge []byte) (json.RawMessage, error) {
	o, err := ownerOf(id, name, have)
	if err != nil {
		return nil, err
	}
	known := webauthn.Credentials(o.keys).CredentialDescriptors()
	options, _, err := p.party.BeginRegistration(o, webauthn.WithExclusions(known))
	if err != nil {
		return nil, fmt.Errorf("ask for a new passkey: %w", err)
	}
	options.Response.Challenge = challenge
	return json.Marshal(options)
}

// Create returns the new passkey of an owner from the browser's RegistrationResponseJSON (section
// 5.1), and the challenge that it answers, which the caller judges.
func (p *Party) Create(id, response []byte) (key Key, challenge string, err error) {
	made, err := parse(response, protocol.ParseCredentialCreationResponseBytes)
	if err != nil {
		return key, "", err
	}
	challenge = made.Response.CollectedClientData.Challenge
	c, err := p.party.CreateCredential(&owner{id: id}, webauthn.SessionData{Challenge: challenge, UserID: id,
		UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersDefault()}, made)
	if err != nil {
		return key, "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	c.Attestation = webauthn.CredentialAttestation{} // it was not asked for
	data, err := json.Marshal(c)
	if err != nil {
		return key, "", fmt.Errorf("write a passkey: %w", err)
	}
	return Key{ID: c.ID, Data: data, Count: int64(c.Authenticator.SignCount)}, challenge, nil
}

// Answer is a browser's answer to [Party.Ask]. Nothing in it is proved before [Party.Verify].
type Answer struct {
	shown *protocol.ParsedCredentialAssertionData
}

// Parse reads an AuthenticationResponseJSON (section 5.1).
func Parse(response []byte) (Answer, error) {
	shown, err := parse(response, protocol.ParseCredentialRequestResponseBytes)
	return Answer{shown}, err
}

func parse[T any](response []byte, as func([]byte) (*T, error)) (*T, error) {
	if len(response) > limit.Passkey {
		return nil, ErrRefused
	}
	v, err := as(response)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return v, err
}

// ID returns the credential id of the passkey.
func (a Answer) ID() []byte { return a.shown.RawID }

// Challenge returns the challenge, in base64url.
func (a Answer) Challenge() string { return a.shown.Response.CollectedClientData.Challenge }

// Verify returns the next signature counter of an owner's passkey if it made the answer. The caller
// judges the challenge.
func (p *Party) Verify(a Answer, id []byte, key Key) (count int64, err error) {
	o, err := ownerOf(id, "", []Key{key})
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(a.shown.Response.UserHandle, id) {
		return 0, ErrRefused
	}
	c, err := p.party.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) { return o, nil },
		webauthn.SessionData{Challenge: a.Challenge(), UserVerification: protocol.VerificationRequired}, a.shown)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if c.Authenticator.CloneWarning {
		return 0, fmt.Errorf("%w: the signature counter went backwards", ErrRefused) // section 6.1.1
	}
	return int64(c.Authenticator.SignCount), nil
}
