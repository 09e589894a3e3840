package link

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/xid"
)

// OrderRoot is where the host of a store shows an order to the holder of its token.
const OrderRoot = "/orders/"

// markLen is how many bytes of a MAC a token has. It gives tokens a length for which base64 has one
// spelling.
const markLen = 20

// OrderToken returns the token that leads a shopper back to their order, at the host of its store.
// It contains the order's id, requires the root secret to create, and is valid as long as that
// secret.
func (s *Signer) OrderToken(store, order xid.ID) string {
	return base64.RawURLEncoding.EncodeToString(append(order[:], orderMark(&s.keys[0].Key, store, order)...))
}

// Order returns the order of a token that [Signer.OrderToken] returned for the store.
func (s *Signer) Order(store xid.ID, token string) (order xid.ID, ok bool) {
	const size = len(order) + markLen
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != size || len(token) != base64.RawURLEncoding.EncodedLen(size) {
		return xid.Nil, false // the decoder skips line breaks
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

// StopRoot is where {api_host} lets the recipient of an email stop further ones.
const StopRoot = "/emails/stop/"

// StopToken returns the token with which an address opts out of a store's emails to strangers.
func (s *Signer) StopToken(store xid.ID, address digest.Sum) string {
	raw := slices.Concat(store[:], address[:])
	return base64.RawURLEncoding.EncodeToString(append(raw, stopMark(&s.keys[0].Key, raw)...))
}

// Stop returns the store and the address of a token of [Signer.StopToken].
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

// stopMark returns the MAC of a store and an address.
func stopMark(key *[32]byte, of []byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("an address that stops emails\x00"))
	mac.Write(of)
	return mac.Sum(nil)[:markLen]
}

// orderMark returns the MAC of a store and an order. The signed text begins differently from that
// of every address, which begins with a length.
func orderMark(key *[32]byte, store, order xid.ID) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("an order's page\x00"))
	mac.Write(store[:])
	mac.Write(order[:])
	return mac.Sum(nil)[:markLen]
}
