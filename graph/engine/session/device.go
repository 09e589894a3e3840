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
	// maxDevices is how many accounts one browser's cookie holds.
	maxDevices = 5
	nonceLen   = 16
	issuedLen  = 8
	macAt      = 1 + issuedLen + nonceLen
	// deviceLen is the length of one entry of the cookie.
	deviceLen = (macAt + sha256.Size) * 4 / 3
	separator = "."
)

type nonce [nonceLen]byte

// devices verifies and issues the cookies of known browsers: browsers with which people have signed
// in before. A cookie has one entry for each account, the latest first:
//
//	base64url(key id, time of the sign-in in microseconds, nonce, MAC)
//
// The MAC covers the account too, which is not in the cookie. So an entry is valid for one account
// only and does not reveal which.
type devices struct{ keys []keyring.MACKey }

// known returns the nonce of the genuine, unexpired entry of an account.
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

// cookieAfter returns the browser's cookie after a sign-in, and reports whether the browser was
// new. Without keys the cookie is empty and no browser is new.
func (d devices) cookieAfter(account digest.Sum, cookie string, now micros.Time) (next string, isNew bool) {
	if len(d.keys) == 0 {
		return "", false
	}
	n, ok := d.known(account, cookie, now)
	if !ok {
		rand.Read(n[:]) // never fails
	}
	return d.renewed(account, cookie, n, now), !ok
}

// renewed returns the cookie with a fresh entry of the account, signed with the current key, in
// front of the entries of other accounts.
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

func (d devices) genuine(account digest.Sum, raw []byte) bool {
	for _, k := range d.keys {
		if k.ID == raw[0] && hmac.Equal(raw[macAt:], seal(k, account, raw[:macAt])) {
			return true
		}
	}
	return false
}

// seal returns the MAC of an entry's head. It begins with a purpose, because other cookies use the
// same key.
func seal(k keyring.MACKey, account digest.Sum, head []byte) []byte {
	h := hmac.New(sha256.New, k.Key[:])
	h.Write([]byte("device\x00"))
	h.Write(account[:])
	h.Write(head)
	return h.Sum(nil)
}

// entries splits a cookie into the parts that have the length of an entry. A cookie longer than
// maxDevices entries has none.
func entries(cookie string) []string {
	if len(cookie) > maxDevices*(deviceLen+len(separator)) {
		return nil
	}
	return slices.DeleteFunc(strings.Split(cookie, separator), func(s string) bool { return len(s) != deviceLen })
}
