package link

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// OrderRoot is where the host of a store shows an order to the holder of its token.
const OrderRoot = "/orders/"

// FileRoot is where the host of a store lets the holder of a signed address download what an order
// bought. No token contains a slash.
const FileRoot = OrderRoot + "files/"

// LabelRoot precedes the id of a return in the address of its label, behind the token of its order.
const LabelRoot = "/labels/"

// markLen is how many bytes of a MAC a token has. It gives tokens a length for which base64 has one
// spelling.
const markLen = 20

// The texts that the MACs of tokens begin with. That of an address begins with a length.
const (
	orderPurpose = "an order's page\x00"
	stopPurpose  = "an address that stops emails\x00"
	alertPurpose = "a member who stops emails\x00"
	askPurpose   = "a challenge for a passkey\x00"
	cartPurpose  = "a cart that was left\x00"
	// sessionPurpose is of a checkout session of the shop's API.
	sessionPurpose = "a checkout session\x00"
	// marketingPurpose is of an address that stops marketing.
	marketingPurpose = "an address that stops marketing emails\x00"
)

// OrderToken returns the token that leads a shopper back to their order, at the host of its store.
// It contains the order's id, requires the root secret to create, and is valid as long as that
// secret.
func (s *Signer) OrderToken(store, order xid.ID) string {
	mark := tokenMark(&s.keys[0].Key, orderPurpose, store[:], order[:])
	return base64.RawURLEncoding.EncodeToString(append(order[:], mark...))
}

// Order returns the order of a token that [Signer.OrderToken] returned for the store.
func (s *Signer) Order(store xid.ID, token string) (order xid.ID, ok bool) {
	raw, ok := s.open(token, len(order), orderPurpose, store[:])
	copy(order[:], raw)
	return order, ok
}

// CartRoot is where the host of a store shows a cart that was left to the holder of its token.
const CartRoot = "/cart/left/"

// CartToken returns the token that leads a shopper back to the items of a cart, as [Signer.OrderToken].
func (s *Signer) CartToken(store, cart xid.ID) string {
	mark := tokenMark(&s.keys[0].Key, cartPurpose, store[:], cart[:])
	return base64.RawURLEncoding.EncodeToString(append(cart[:], mark...))
}

// Cart returns the cart of a token that [Signer.CartToken] returned for the store.
func (s *Signer) Cart(store xid.ID, token string) (cart xid.ID, ok bool) {
	raw, ok := s.open(token, len(cart), cartPurpose, store[:])
	copy(cart[:], raw)
	return cart, ok
}

// SessionTokens returns the token of a cart that a program fills, in each key, the newest first. The
// first is for a new cart; an older cart may have one of the others. It has the form of
// [digest.NewToken], and cannot be guessed from the cart's id.
func (s *Signer) SessionTokens(store, cart xid.ID) []string {
	list := make([]string, len(s.keys))
	for i := range s.keys {
		mark := fullMark(&s.keys[i].Key, sessionPurpose, store[:], cart[:])
		list[i] = base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(mark)
	}
	return list
}

// MarketingStopRoot is where {api_host} lets the recipient of a marketing email stop all of a store.
const MarketingStopRoot = "/emails/unsubscribe/"

// MarketingStopToken returns the token with which an address opts out of the marketing emails of a store.
// customer is the customer with the address, nil if there is none.
func (s *Signer) MarketingStopToken(store, customer xid.ID, address digest.Sum) string {
	raw := slices.Concat(store[:], customer[:], address[:])
	return base64.RawURLEncoding.EncodeToString(append(raw, tokenMark(&s.keys[0].Key, marketingPurpose, raw)...))
}

// MarketingStop returns what a token of [Signer.MarketingStopToken] is about.
func (s *Signer) MarketingStop(token string) (store, customer xid.ID, address digest.Sum, ok bool) {
	raw, ok := s.open(token, len(store)+len(customer)+len(address), marketingPurpose)
	if ok {
		copy(store[:], raw)
		copy(customer[:], raw[len(store):])
		copy(address[:], raw[len(store)+len(customer):])
	}
	return store, customer, address, ok
}

// StopRoot is where {api_host} lets the recipient of an email stop further ones.
const StopRoot = "/emails/stop/"

// StopToken returns the token with which an address opts out of a store's emails to strangers.
func (s *Signer) StopToken(store xid.ID, address digest.Sum) string {
	raw := slices.Concat(store[:], address[:])
	return base64.RawURLEncoding.EncodeToString(append(raw, tokenMark(&s.keys[0].Key, stopPurpose, raw)...))
}

// Stop returns the store and the address of a token of [Signer.StopToken].
func (s *Signer) Stop(token string) (store xid.ID, address digest.Sum, ok bool) {
	raw, ok := s.open(token, len(store)+len(address), stopPurpose)
	if ok {
		copy(store[:], raw)
		copy(address[:], raw[len(store):])
	}
	return store, address, ok
}

// AlertStopRoot is where {api_host} lets a member of a store stop emails about a topic.
const AlertStopRoot = "/emails/alerts/"

// AlertToken returns the token with which a member of a store stops emails about a topic, which is
// a number below 65536.
func (s *Signer) AlertToken(store, person xid.ID, topic int) string {
	raw := binary.BigEndian.AppendUint16(slices.Concat(store[:], person[:]), uint16(topic))
	return base64.RawURLEncoding.EncodeToString(append(raw, tokenMark(&s.keys[0].Key, alertPurpose, raw)...))
}

// Alert returns what a token of [Signer.AlertToken] is about.
func (s *Signer) Alert(token string) (store, person xid.ID, topic int, ok bool) {
	raw, ok := s.open(token, len(store)+len(person)+2, alertPurpose)
	if ok {
		copy(store[:], raw)
		copy(person[:], raw[len(store):])
		topic = int(binary.BigEndian.Uint16(raw[len(store)+len(person):]))
	}
	return store, person, topic, ok
}

// askLen is how many bytes of a challenge its MAC follows: a time and 136 random bits.
const askLen = 8 + 17

// Challenge returns a random challenge for a passkey (Web Authentication, section 13.4.3). It is valid
// at one store until a time, for one use that of names.
func (s *Signer) Challenge(store xid.ID, of string, until micros.Time) []byte {
	raw := make([]byte, askLen, askLen+markLen)
	binary.BigEndian.PutUint64(raw, uint64(until))
	rand.Read(raw[8:])
	return append(raw, tokenMark(&s.keys[0].Key, askPurpose, store[:], []byte(of), raw)...)
}

// Challenged returns until when a challenge of [Signer.Challenge] is valid, in base64url as browsers
// return it. ok is false if it is for something else.
func (s *Signer) Challenged(store xid.ID, of, challenge string) (until micros.Time, ok bool) {
	raw, ok := s.open(challenge, askLen, askPurpose, store[:], []byte(of))
	if !ok {
		return 0, false
	}
	return micros.Time(binary.BigEndian.Uint64(raw)), true
}

// open returns the first n bytes of a token if its MAC is that of a purpose, the given bytes and
// these n.
func (s *Signer) open(token string, n int, purpose string, given ...[]byte) (named []byte, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != n+markLen || len(token) != base64.RawURLEncoding.EncodedLen(len(raw)) {
		return nil, false // the decoder skips line breaks
	}
	given = append(given, raw[:n])
	for i := range s.keys {
		ok = hmac.Equal(tokenMark(&s.keys[i].Key, purpose, given...), raw[n:]) || ok
	}
	if !ok {
		return nil, false
	}
	return raw[:n], true
}

func tokenMark(key *[32]byte, purpose string, of ...[]byte) []byte {
	return fullMark(key, purpose, of...)[:markLen]
}

func fullMark(key *[32]byte, purpose string, of ...[]byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte(purpose))
	for _, b := range of {
		mac.Write(b)
	}
	return mac.Sum(nil)
}
