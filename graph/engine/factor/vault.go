package factor

import (
	"fmt"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// Vault encrypts what factors are made of: secrets of authenticator apps and the records
// of passkeys. What it seals opens for the same factor of the same person only.
type Vault struct{ sealer *keyring.Sealer }

// NewVault makes the vault of a ring.
func NewVault(ring *keyring.Ring) Vault { return Vault{ring.Sealer("factors")} }

// Seal encrypts the data of a factor. One that is being set up has no id yet: nil.
func (v Vault) Seal(person, id xid.ID, data []byte) []byte {
	return v.sealer.Seal(data, of(person, id))
}

// Open decrypts what [Vault.Seal] made, also under an older root secret.
func (v Vault) Open(person, id xid.ID, sealed []byte) ([]byte, error) {
	data, err := v.sealer.Open(sealed, of(person, id))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", xid.Factor.Format(id), err)
	}
	return data, nil
}

func of(person, id xid.ID) []byte { return append(person[:], id[:]...) }
