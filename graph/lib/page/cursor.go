// Package page holds what all lists share: the signed cursor and the limit of a page (contract,
// sections 1 and 4).
package page

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"sync"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// Position is the last row of a page, after which the next one continues.
type Position struct {
	Time micros.Time
	ID   xid.ID
}

// List is the list that a cursor belongs to. Cursors of other lists are ignored.
type List struct {
	Name    string
	Store   xid.ID
	Filters string // from [Canonical]
}

// Layout of a cursor: version, key id, microseconds (big endian), id, MAC.
const (
	version = 1
	timeAt  = 2
	idAt    = timeAt + 8
	macAt   = idAt + 16
	macLen  = 16
	rawLen  = macAt + macLen
	textLen = rawLen / 3 * 4 // a multiple of three, so base64 has no spare bits
)

var encoding = base64.RawURLEncoding

// Codec signs and verifies cursors. It is safe for concurrent use.
type Codec struct{ keys []*key }

// key is one signing key with a pool of MAC states: keying HMAC costs more than the MAC itself.
type key struct {
	id   byte
	idle sync.Pool
}

// state is what one MAC needs, pooled so that requests allocate none of it.
type state struct {
	mac hash.Hash
	msg []byte
	sum [sha256.Size]byte
}

// New returns the codec of a ring's cursor keys.
func New(ring *keyring.Ring) *Codec {
	c := &Codec{}
	for _, k := range ring.MACs(keyring.Cursors) {
		c.keys = append(c.keys, &key{id: k.ID, idle: sync.Pool{New: func() any {
			return &state{mac: hmac.New(sha256.New, k.Key[:])}
		}}})
	}
	return c
}

// Sign returns the cursor of a position in a list, 56 characters long.
func (c *Codec) Sign(l List, p Position) string {
	k := c.keys[0]
	var raw [rawLen]byte
	raw[0], raw[1] = version, k.id
	binary.BigEndian.PutUint64(raw[timeAt:], uint64(p.Time))
	copy(raw[idAt:], p.ID[:])
	mac := k.sum(l, raw[:macAt])
	copy(raw[macAt:], mac[:])
	var text [textLen]byte
	encoding.Encode(text[:], raw[:])
	return string(text[:])
}

// Open verifies a cursor of the list. It returns false unless [Codec.Sign] wrote it for this list,
// store and filters; the caller then returns the first page (contract, section 4).
func (c *Codec) Open(l List, text string) (Position, bool) {
	raw, ok := decode(text)
	if !ok || raw[0] != version {
		return Position{}, false
	}
	for _, k := range c.keys {
		if k.id != raw[1] {
			continue
		}
		mac := k.sum(l, raw[:macAt])
		if hmac.Equal(mac[:], raw[macAt:]) {
			return Position{
				Time: micros.Time(binary.BigEndian.Uint64(raw[timeAt:])),
				ID:   xid.ID(raw[idAt:macAt]),
			}, true
		}
	}
	return Position{}, false
}

// decode decodes base64url. The spelling is unique: 56 characters encode exactly 42 bytes without
// spare bits, and the line breaks that the decoder skips leave fewer bytes.
func decode(text string) (raw [rawLen]byte, ok bool) {
	if len(text) != textLen {
		return raw, false
	}
	var in [textLen]byte
	copy(in[:], text)
	n, err := encoding.Decode(raw[:], in[:])
	return raw, err == nil && n == rawLen
}

// sum returns the MAC over the list and the first part of the cursor. Texts are preceded by their
// lengths, so different lists have different messages.
func (k *key) sum(l List, head []byte) (mac [macLen]byte) {
	s := k.idle.Get().(*state)
	b := binary.BigEndian.AppendUint64(s.msg[:0], uint64(len(l.Name)))
	b = append(b, l.Name...)
	b = append(b, l.Store[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(l.Filters)))
	b = append(b, l.Filters...)
	b = append(b, head...)
	s.msg = b
	s.mac.Reset()
	s.mac.Write(s.msg)
	copy(mac[:], s.mac.Sum(s.sum[:0]))
	k.idle.Put(s)
	return mac
}
