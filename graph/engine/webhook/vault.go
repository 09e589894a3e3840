package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// secretPrefix marks a signing secret (Standard Webhooks).
const secretPrefix = "whsec_"

// NewSecret returns a new signing secret: whsec_ and 32 random bytes in base64.
func NewSecret() string {
	var b [32]byte
	rand.Read(b[:])
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// Hint returns the part of a secret that may be shown: its last four characters.
func Hint(secret string) string { return secret[len(secret)-4:] }

// Vault encrypts signing secrets for the database. A secret can be opened for its own endpoint
// only.
type Vault struct{ sealer *keyring.Sealer }

// NewVault returns the vault of a key ring.
func NewVault(ring *keyring.Ring) Vault { return Vault{ring.Sealer("webhook secrets")} }

// Seal encrypts the secret of an endpoint.
func (v Vault) Seal(endpoint xid.ID, secret string) []byte {
	return v.sealer.Seal([]byte(secret), endpoint[:])
}

// Open decrypts the result of [Vault.Seal], also if sealed under an older root secret.
func (v Vault) Open(endpoint xid.ID, sealed []byte) (string, error) {
	plain, err := v.sealer.Open(sealed, endpoint[:])
	if err != nil {
		return "", fmt.Errorf("open the secret of %s: %w", xid.WebhookEndpoint.Format(endpoint), err)
	}
	return string(plain), nil
}

// Header is a custom header of an endpoint.
type Header = attempt.Field

// SealHeaders encrypts the custom headers of an endpoint. Without headers it returns nil.
func (v Vault) SealHeaders(endpoint xid.ID, headers []Header) []byte {
	if len(headers) == 0 {
		return nil
	}
	text, _ := json.Marshal(headers) //nolint:errchkjson // strings always encode
	return v.Seal(endpoint, string(text))
}

// OpenHeaders decrypts the result of [Vault.SealHeaders].
func (v Vault) OpenHeaders(endpoint xid.ID, sealed []byte) (headers []Header, err error) {
	if len(sealed) == 0 {
		return nil, nil
	}
	text, err := v.Open(endpoint, sealed)
	if err != nil {
		return nil, fmt.Errorf("open headers: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &headers); err != nil {
		return nil, fmt.Errorf("read the headers of %s: %w", xid.WebhookEndpoint.Format(endpoint), err)
	}
	return headers, nil
}
