// Package xid generates the ids of all resources, and defines their prefixes.
//
// An id is a UUIDv7 whose rand_a field contains the microseconds of its time (RFC 9562, section
// 6.2, method 3), so ids sort by created_at to the microsecond. Outside the database it has the
// TypeID form: a type prefix, an underscore and the 128 bits as 26 lower-case Crockford base32
// characters.
package xid

import (
	"bytes"
	"crypto/rand"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/storefront-go/storefront/ent/micros"
)

// ID is the 16 bytes of an id as stored.
type ID [16]byte

// Nil is the zero id, which no resource has.
var Nil ID

// ErrMalformed says that a text is not an id of the expected kind.
var ErrMalformed = errors.New("malformed id")

// New returns a new id with the current time.
func New() ID { return At(micros.Now()) }

// At returns a new id with the time t; imports use it to keep times.
//
// rand_a is ceil(us*4096/1000), from which Time restores the exact value.
func At(t micros.Time) ID {
	u := First(t)
	var r [8]byte
	rand.Read(r[:]) // never fails since Go 1.24
	copy(u[8:], r[:])
	u[8] = 0x80 | u[8]&0x3f
	return u
}

// First returns the lowest id with the time t: the inclusive lower bound of a time range over ids,
// and the exclusive upper bound of the previous range.
func First(t micros.Time) ID {
	us := max(int64(t), 0)
	ms, sub := us/1000, us%1000
	var u ID
	binary.BigEndian.PutUint64(u[:], uint64(ms)<<16|0x7000|uint64((sub*4096+999)/1000))
	u[8] = 0x80
	return u
}

// Time returns the time in the id, in microseconds.
func (u ID) Time() micros.Time {
	hi := binary.BigEndian.Uint64(u[:])
	return micros.Time(int64(hi>>16)*1000 + int64(hi&0x0fff)*1000/4096)
}

// IsNil reports whether u is the zero id.
func (u ID) IsNil() bool { return u == Nil }

// Compare compares ids by their bytes, as the database does.
func (u ID) Compare(v ID) int {
	return bytes.Compare(u[:], v[:])
}

// Value implements driver.Valuer: the 16 bytes.
func (u ID) Value() (driver.Value, error) { return u[:], nil }

// Scan implements sql.Scanner.
func (u *ID) Scan(src any) error {
	switch b := src.(type) {
	case []byte:
		return u.UnmarshalBinary(b)
	case string:
		return u.UnmarshalBinary([]byte(b))
	}
	return fmt.Errorf("scan id: %T", src)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler: the 16 bytes.
func (u *ID) UnmarshalBinary(b []byte) error {
	if len(b) != len(u) {
		return fmt.Errorf("id: %d bytes, want %d", len(b), len(u))
	}
	copy(u[:], b)
	return nil
}

// Pack returns the concatenated bytes of ids, for a column with a list; nil for no ids.
func Pack(ids []ID) (b []byte) {
	for _, u := range ids {
		b = append(b, u[:]...)
	}
	return b
}

// Unpack returns the ids that [Pack] packed; nil for an absent list.
func Unpack(b []byte) (ids []ID) {
	for ; len(b) >= len(Nil); b = b[len(Nil):] {
		ids = append(ids, ID(b[:len(Nil)]))
	}
	return ids
}

// String returns the 26 characters without a prefix, for logs.
func (u ID) String() string { return string(u.append(nil)) }

// Kind is the type prefix of an id.
type Kind string

// The kinds of the contract, section 1.
const (
	Store            Kind = "str"
	User             Kind = "usr"
	APIKey           Kind = "key"
	App              Kind = "app"
	Grant            Kind = "grt"
	Token            Kind = "tok"
	Invitation       Kind = "inv"
	Factor           Kind = "fac"
	Domain           Kind = "dom"
	ShippingZone     Kind = "zone"
	ShippingRate     Kind = "rate"
	Discount         Kind = "dis"
	CustomField      Kind = "cfd"
	Location         Kind = "loc"
	Collection       Kind = "col"
	Product          Kind = "prod"
	Variant          Kind = "var"
	ProductImage     Kind = "img"
	Customer         Kind = "cus"
	Order            Kind = "ord"
	OrderLine        Kind = "oli"
	Invoice          Kind = "ivc"
	Return           Kind = "ret"
	Payment          Kind = "pay"
	Fulfillment      Kind = "ful"
	Note             Kind = "note"
	Export           Kind = "exp"
	WebhookEndpoint  Kind = "whk"
	Event            Kind = "evt"
	Delivery         Kind = "dlv"
	Attempt          Kind = "att"
	Theme            Kind = "thm"
	ThemeAsset       Kind = "ast"
	MarketplaceTheme Kind = "mkt"
	Page             Kind = "pag"
	Notification     Kind = "ntf"
	Audit            Kind = "aud"
	Request          Kind = "req"
	Report           Kind = "rep"
	Import           Kind = "imp"
)

// resources are the names of the kinds in events and the audit log.
var resources = map[Kind]string{
	Store: "store", User: "staff", APIKey: "api_key", App: "app", Grant: "grant", Token: "staff_token",
	Invitation: "invitation", Factor: "factor",
	Product: "product", Customer: "customer", Order: "order", Note: "order_note", Export: "export",
	WebhookEndpoint: "webhook_endpoint", Theme: "theme", MarketplaceTheme: "marketplace_theme",
	Notification: "notification", Page: "page", Domain: "domain", ShippingZone: "shipping_zone", Discount: "discount",
	Collection: "collection", Report: "report", Invoice: "invoice", Return: "return",
	CustomField: "custom_field",
	Location:    "location",
	Import:      "import",
}

// Resource returns the name of the kind's resources, such as "product" for prod; "" if it has none.
func (k Kind) Resource() string { return resources[k] }

// Resources returns the kinds with such a name, sorted.
func Resources() []Kind { return slices.Sorted(maps.Keys(resources)) }

// KindOf returns the kind of the resource with that name, or "".
func KindOf(resource string) Kind {
	for k, name := range resources {
		if name == resource {
			return k
		}
	}
	return ""
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const textLen = 26

// digits maps a character to its value; 0xff means outside the alphabet.
var digits = func() (d [256]byte) {
	for i := range d {
		d[i] = 0xff
	}
	for i := range len(alphabet) {
		d[alphabet[i]] = byte(i)
	}
	return d
}()

// Format returns the public form of u.
func (k Kind) Format(u ID) string {
	b := make([]byte, 0, len(k)+1+textLen)
	return string(k.Append(b, u))
}

// Append appends the public form of u to b.
func (k Kind) Append(b []byte, u ID) []byte {
	b = append(b, k...)
	b = append(b, '_')
	return u.append(b)
}

func (u ID) append(b []byte) []byte {
	hi, lo := binary.BigEndian.Uint64(u[:8]), binary.BigEndian.Uint64(u[8:])
	// 26 characters are 130 bits: the first contains two zero bits and the top three bits of the
	// number.
	var t [textLen]byte
	for i := textLen - 1; i >= 0; i-- {
		t[i] = alphabet[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return append(b, t[:]...)
}

// Parse parses the public form; the error is ErrMalformed. The UUID version is not checked.
func (k Kind) Parse(s string) (ID, error) {
	if len(s) != len(k)+1+textLen || s[:len(k)] != string(k) || s[len(k)] != '_' {
		return Nil, ErrMalformed
	}
	return Parse(s[len(k)+1:])
}

// Parse parses the form that [ID.String] returns; the error is ErrMalformed.
func Parse(s string) (ID, error) {
	if len(s) != textLen || s[0] > '7' {
		return Nil, ErrMalformed
	}
	var hi, lo uint64
	for i := range len(s) {
		d := digits[s[i]]
		if d == 0xff {
			return Nil, ErrMalformed
		}
		hi = hi<<5 | lo>>59
		lo = lo<<5 | uint64(d)
	}
	var u ID
	binary.BigEndian.PutUint64(u[:8], hi)
	binary.BigEndian.PutUint64(u[8:], lo)
	return u, nil
}
