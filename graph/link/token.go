package link

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"github.com/storefront-go/storefront/ent/xid"
)

// OrderRoot is where the host of a store shows an order to whoever has its token.
const OrderRoot = "/orders/"

// markLen is how much of a mark is kept, in bytes: with it, a token has a length at which
// base64 has one spelling.
const markLen = 20

// OrderToken returns the text by which whoever placed an order comes back to it, at the
// host of its store. It holds the order's id, nobody can make one without the root secret,
// and it stays valid as long as the secret does.
func (s *Signer) OrderToken(store, order xid.ID) string {
	return base64.RawURLEncoding.EncodeToString(append(order[:], orderMark(&s.keys[0].Key, store, order)...))
}

// Order returns the order of a token that [Signer.OrderToken] wrote for the store.
func (s *Signer) Order(store xid.ID, token string) (order xid.ID, ok bool) {
	const size = len(order) + markLen
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != size || len(token) != base64.RawURLEncoding.EncodedLen(size) {
		return xid.Nil, false // the decoder skips ends of lines
	}
	copy(order[:], raw)
	for i := range s.keys {
		ok = hmac.Equal(orderMark(&s.keys[i].Key, store, order), raw[len(order):]) || ok
	}
	if !ok {
		return xid.Nil, false
	}
	return order, true
}

// orderMark is that of an order. What is signed begins as no address that is signed does,
// which has its length there.
func orderMark(key *[32]byte, store, order xid.ID) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("an order's page\x00"))
	mac.Write(store[:])
	mac.Write(order[:])
	return mac.Sum(nil)[:markLen]
}
