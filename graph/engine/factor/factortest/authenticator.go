// Package factortest is a software authenticator and an authenticator app for tests of second
// factors.
package factortest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/pquerna/otp/totp"
)

// Authenticator holds one passkey.
type Authenticator struct {
	// Origin is the origin of the page according to the browser; RPID is the name that the key is
	// bound to.
	Origin, RPID string
	// Verifies reports that it verifies its user, such as by a fingerprint.
	Verifies bool
	// Count is its signature counter; an authenticator without one stays at 0.
	Count uint32
	// Handle is the user handle that the passkey was created for.
	Handle []byte

	t   testing.TB
	id  []byte
	key *ecdsa.PrivateKey
}

// New returns an authenticator in a browser at {api_host}.
func New(t testing.TB, api string) *Authenticator {
	t.Helper()
	u, err := url.Parse(api)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &Authenticator{Origin: u.Scheme + "://" + u.Host, RPID: u.Hostname(), Verifies: true, t: t,
		id: []byte(rand.Text()), key: key}
}

// question is the part of a ceremony's options that an authenticator reads.
type question struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
		User      struct {
			ID string `json:"id"`
		} `json:"user"`
	} `json:"publicKey"`
}

func (a *Authenticator) read(options []byte) (q question) {
	a.t.Helper()
	if err := json.Unmarshal(options, &q); err != nil || q.PublicKey.Challenge == "" {
		a.t.Fatalf("%s: %v", options, err)
	}
	return q
}

// Create creates the requested passkey and returns the browser's response.
func (a *Authenticator) Create(options []byte) []byte {
	a.t.Helper()
	q := a.read(options)
	var err error
	if a.Handle, err = base64.RawURLEncoding.DecodeString(q.PublicKey.User.ID); err != nil {
		a.t.Fatal(err)
	}
	point, err := a.key.PublicKey.Bytes()
	if err != nil {
		a.t.Fatal(err)
	}
	public := a.cbor(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]}) // COSE, ES256
	made := make([]byte, 16, 200)                                                      // no AAGUID
	made = binary.BigEndian.AppendUint16(made, uint16(len(a.id)))
	made = append(append(made, a.id...), public...)
	object := a.cbor(map[string]any{"fmt": "none", "attStmt": map[string]any{},
		"authData": append(a.data(0x40), made...)})
	return a.say(map[string]any{
		"clientDataJSON": encode(a.client("webauthn.create", q)), "attestationObject": encode(object),
		"transports": []string{"internal"},
	})
}

// Get signs a challenge with the passkey and returns the browser's response.
func (a *Authenticator) Get(options []byte) []byte {
	a.t.Helper()
	q := a.read(options)
	if a.Count > 0 {
		a.Count++
	}
	data, client := a.data(0), a.client("webauthn.get", q)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(slices.Clip(data), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return a.say(map[string]any{"clientDataJSON": encode(client), "authenticatorData": encode(data),
		"signature": encode(signature), "userHandle": encode(a.Handle)})
}

// data returns the authenticator data (Web Authentication, section 6.1).
func (a *Authenticator) data(flags byte) []byte {
	flags |= 0x01 // user present
	if a.Verifies {
		flags |= 0x04
	}
	hash := sha256.Sum256([]byte(a.RPID))
	return binary.BigEndian.AppendUint32(append(hash[:], flags), a.Count)
}

func (a *Authenticator) client(kind string, q question) []byte {
	a.t.Helper()
	b, err := json.Marshal(map[string]any{"type": kind, "challenge": q.PublicKey.Challenge, "origin": a.Origin,
		"crossOrigin": false})
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

func (a *Authenticator) say(response map[string]any) []byte {
	a.t.Helper()
	b, err := json.Marshal(map[string]any{"id": encode(a.id), "rawId": encode(a.id), "type": "public-key",
		"clientExtensionResults": map[string]any{}, "response": response})
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

func (a *Authenticator) cbor(v any) []byte {
	a.t.Helper()
	b, err := webauthncbor.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Code returns the code that an authenticator app with the secret shows at a time.
func Code(t testing.TB, secret string, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, at)
	if err != nil {
		t.Fatal(err)
	}
	return code
}
