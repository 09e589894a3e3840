package link

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/storefront-go/storefront/ent/digest"
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

// StopRoot is where {api_host} lets the recipient of an email stop more of them.
const StopRoot = "/emails/stop/"

// StopToken returns the text by which an address stops emails of a store to strangers.
func (s *Signer) StopToken(store xid.ID, address digest.Sum) string {
	raw := slices.Concat(store[:], address[:])
	return base64.RawURLEncoding.EncodeToString(append(raw, stopMark(&s.keys[0].Key, raw)...))
}

// Stop returns what a token of [Signer.StopToken] names.
func (s *Signer) Stop(token string) (store xid.ID, address digest.Sum, ok bool) {
	const named = len(store) + len(address)
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != named+markLen || len(token) != base64.RawURLEncoding.EncodedLen(len(raw)) {
		return xid.Nil, digest.Sum{}, false
	}
	for i := range s.keys {
		ok = hmac.Equal(stopMark(&s.keys[i].Key, raw[:named]), raw[named:]) || ok
	}
	if !ok {
		return xid.Nil, digest.Sum{}, false
	}
	copy(store[:], raw)
	copy(address[:], raw[len(store):])
	return store, address, true
}

// stopMark is that of a store and an address.
func stopMark(key *[32]byte, of []byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("an address that stops emails\x00"))
	mac.Write(of)
	return mac.Sum(nil)[:markLen]
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
