package factor

import (
	"fmt"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// Vault encrypts the data of factors: secrets of authenticator apps and passkey records. Sealed
// data opens only for the same factor of the same person.
type Vault struct{ sealer *keyring.Sealer }

// NewVault returns the vault of a key ring.
func NewVault(ring *keyring.Ring) Vault { return Vault{ring.Sealer("factors")} }

// Seal encrypts the data of a factor. The id is nil while the factor is being set up.
func (v Vault) Seal(person, id xid.ID, data []byte) []byte {
	return v.sealer.Seal(data, of(person, id))
}

// Open decrypts data of [Vault.Seal], also if it was sealed under an older root secret.
func (v Vault) Open(person, id xid.ID, sealed []byte) ([]byte, error) {
	data, err := v.sealer.Open(sealed, of(person, id))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", xid.Factor.Format(id), err)
	}
	return data, nil
}

func of(person, id xid.ID) []byte { return append(person[:], id[:]...) }
