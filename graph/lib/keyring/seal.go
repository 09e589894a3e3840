package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"errors"
)

// Layout of a sealed text: version, key id, nonce, ciphertext, tag.
const (
	sealVersion = 1
	headLen     = 2
	nonceLen    = 24
	tagLen      = 16
)

// Overhead is how many bytes longer a sealed text is than the plain one.
const Overhead = headLen + nonceLen + tagLen

// ErrOpen says that a text was not sealed by this ring for this purpose and these additional data,
// or was modified.
var ErrOpen = errors.New("encrypted text cannot be decrypted")

// Sealer encrypts and authenticates data of one purpose. It is safe for concurrent use.
//
// It uses AES-256-GCM with a separate key for each message, derived from half of the random nonce
// and the purpose's key; the other half is GCM's nonce (the construction is C2SP's XAES-256-GCM).
// GCM's own 12-byte random nonces are safe for 2³² messages under one key, which the idempotency
// records of a busy store reach within weeks.
type Sealer struct {
	masked
	keys []sealKey
}

type sealKey struct {
	id    byte
	block cipher.Block
	k1    [aes.BlockSize]byte // the CMAC subkey (NIST SP 800-38B)
}

// Sealer returns the sealer of a purpose.
func (r *Ring) Sealer(purpose string) *Sealer {
	s := &Sealer{}
	for _, o := range r.roots {
		k := newSealKey(o.id, o.key("seal/"+purpose))
		k.aead(make([]byte, nonceLen)) // surface possible failures at start-up
		s.keys = append(s.keys, k)
	}
	return s
}

func newSealKey(id byte, key [KeyLen]byte) sealKey {
	k := sealKey{id: id, block: must(aes.NewCipher(key[:]))}
	// The subkey is the encrypted zero block, doubled in GF(2^128), in constant time.
	k.block.Encrypt(k.k1[:], k.k1[:])
	var carry byte
	for i := len(k.k1) - 1; i >= 0; i-- {
		b := k.k1[i]
		k.k1[i] = b<<1 | carry
		carry = b >> 7
	}
	k.k1[len(k.k1)-1] ^= byte(subtle.ConstantTimeSelect(int(carry), 0x87, 0))
	return k
}

// aead returns GCM with the key of one message: two blocks of CMAC in counter mode (NIST SP
// 800-108) over the first half of its nonce.
func (k *sealKey) aead(nonce []byte) cipher.AEAD {
	var derived [KeyLen]byte
	for i := range 2 {
		block := derived[i*aes.BlockSize:][:aes.BlockSize]
		copy(block, []byte{0, byte(i + 1), 'X', 0})
		copy(block[4:], nonce[:nonceLen/2])
		subtle.XORBytes(block, block, k.k1[:])
		k.block.Encrypt(block, block)
	}
	return must(cipher.NewGCM(must(aes.NewCipher(derived[:]))))
}

// Seal encrypts plain under the ring's first secret. The additional data are authenticated but not
// stored: [Sealer.Open] needs the same. Use what the text belongs to, such as its row's id, so that
// it does not open elsewhere.
func (s *Sealer) Seal(plain, aad []byte) []byte {
	k := &s.keys[0]
	b := make([]byte, headLen+nonceLen, len(plain)+Overhead)
	b[0], b[1] = sealVersion, k.id
	nonce := b[headLen:]
	rand.Read(nonce) // never fails since Go 1.24
	return k.aead(nonce).Seal(b, nonce[nonceLen/2:], plain, aad)
}

// Open decrypts what [Sealer.Seal] returned. It fails with [ErrOpen], whether the key is wrong, a
// byte was changed, or the additional data differ.
func (s *Sealer) Open(sealed, aad []byte) ([]byte, error) {
	if len(sealed) < Overhead || sealed[0] != sealVersion {
		return nil, ErrOpen
	}
	nonce, text := sealed[headLen:headLen+nonceLen], sealed[headLen+nonceLen:]
	for i := range s.keys {
		if s.keys[i].id != sealed[1] {
			continue
		}
		if plain, err := s.keys[i].aead(nonce).Open(nil, nonce[nonceLen/2:], text, aad); err == nil {
			return plain, nil
		}
	}
	return nil, ErrOpen
}

// Reseal seals a sealed text anew under the ring's first secret. It returns nil if that secret
// already seals it, and fails as [Sealer.Open] does.
func (s *Sealer) Reseal(sealed, aad []byte) ([]byte, error) {
	first := Sealer{keys: s.keys[:1]}
	if _, err := first.Open(sealed, aad); err == nil {
		return nil, nil
	}
	plain, err := s.Open(sealed, aad)
	if err != nil {
		return nil, err
	}
	return s.Seal(plain, aad), nil
}

// MarkAt and MarkLen are the position, counted as in SUBSTR, and length of the byte in a sealed
// text that identifies its key: see [Ring.KeyIDs].
const (
	MarkAt  = 2
	MarkLen = 1
)
