package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// DeviceLife is how long a browser is known after the last sign-in.
const DeviceLife = 365 * 24 * time.Hour

const (
	// maxDevices is how many people of one browser are known.
	maxDevices = 5
	nonceLen   = 16
	issuedLen  = 8
	macAt      = 1 + issuedLen + nonceLen
	// deviceLen is the length of one entry of the cookie.
	deviceLen = (macAt + sha256.Size) * 4 / 3
	separator = "."
)

// nonce tells the browsers of an account apart.
type nonce [nonceLen]byte

// devices judges and makes the cookies of browsers in which people signed in before.
// A cookie has an entry for each of them, the last one first:
//
//	base64url(key id, time of the sign-in in microseconds, nonce, MAC)
//
// The MAC is over the account too, which is not in the cookie: an entry says nothing
// of any other account, and nobody reads from it whose browser it is.
type devices struct{ keys []keyring.MACKey }

// known finds the entry of an account that is genuine and not too old.
func (d devices) known(account digest.Sum, cookie string, now micros.Time) (n nonce, ok bool) {
	for _, text := range entries(cookie) {
		raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
		if err != nil || !d.genuine(account, raw) {
			continue
		}
		issued := micros.Time(binary.BigEndian.Uint64(raw[1:]))
		if now < issued.Add(DeviceLife) {
			return nonce(raw[1+issuedLen : macAt]), true
		}
	}
	return nonce{}, false
}

// after is the cookie after a sign-in with another one, and reports whether the browser
// was not known. Without keys there is none, and nothing is known.
func (d devices) after(account digest.Sum, cookie string, now micros.Time) (next string, isNew bool) {
	if len(d.keys) == 0 {
		return "", false
	}
	n, ok := d.known(account, cookie, now)
	if !ok {
		n = newNonce()
	}
	return d.renewed(account, cookie, n, now), !ok
}

// renewed is the cookie after a sign-in: an entry with the nonce comes first, those
// of other accounts stay behind it. It is signed with the present key.
func (d devices) renewed(account digest.Sum, cookie string, n nonce, now micros.Time) string {
	list := []string{d.entry(account, n, now)}
	for _, text := range entries(cookie) {
		raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
		if err == nil && len(list) < maxDevices && !d.genuine(account, raw) {
			list = append(list, text)
		}
	}
	return strings.Join(list, separator)
}

func (d devices) entry(account digest.Sum, n nonce, now micros.Time) string {
	head := append([]byte{d.keys[0].ID}, binary.BigEndian.AppendUint64(nil, uint64(now))...)
	head = append(head, n[:]...)
	return base64.RawURLEncoding.EncodeToString(append(head, seal(d.keys[0], account, head)...))
}

// genuine reports whether an entry was made here for the account.
func (d devices) genuine(account digest.Sum, raw []byte) bool {
	for _, k := range d.keys {
		if k.ID == raw[0] && hmac.Equal(raw[macAt:], seal(k, account, raw[:macAt])) {
			return true
		}
	}
	return false
}

// seal is the MAC of an entry's head. What it is for stands before it, since other
// cookies have the same key.
func seal(k keyring.MACKey, account digest.Sum, head []byte) []byte {
	h := hmac.New(sha256.New, k.Key[:])
	h.Write([]byte("device\x00"))
	h.Write(account[:])
	h.Write(head)
	return h.Sum(nil)
}

// entries are what may be an entry in a cookie, by its length, and not more of them
// than a cookie has.
func entries(cookie string) []string {
	if len(cookie) > maxDevices*(deviceLen+len(separator)) {
		return nil
	}
	return slices.DeleteFunc(strings.Split(cookie, separator), func(s string) bool { return len(s) != deviceLen })
}

func newNonce() (n nonce) {
	rand.Read(n[:]) // it never fails
	return n
}
