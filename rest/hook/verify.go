package hook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a delivery. The signatures cover the body, the timestamp and,
// in the Standard Webhooks form, the id; the other headers are not signed, and
// nothing should be decided by them.
const (
	HeaderTimestamp  = "X-Service-Timestamp"   // Unix time in seconds
	HeaderSignature  = "X-Service-Signature"   // lower-case hex HMAC-SHA-256
	HeaderEvent      = "X-Service-Event"       // the event's type
	HeaderDeliveryID = "X-Service-Delivery-Id" // dlv_..., the same for all attempts
	HeaderAttempt    = "X-Service-Attempt"     // from 1

	HeaderStandardID        = "Webhook-Id"        // the event_id
	HeaderStandardTimestamp = "Webhook-Timestamp" // Unix time in seconds
	HeaderStandardSignature = "Webhook-Signature" // "v1,<base64>", several with spaces between them
)

// Tolerance is how far a delivery's timestamp may be from the receiver's clock,
// in either direction.
const Tolerance = 300 * time.Second

// Why a delivery is refused. Errors of this package wrap one of these; none holds
// a secret or an expected signature.
var (
	// ErrNoSecret says that there is no secret to verify with, or that one cannot
	// be decoded for the Standard Webhooks headers: the receiver's own mistake.
	ErrNoSecret = errors.New("no usable secret")
	// ErrMissingHeader says that a header is absent or empty.
	ErrMissingHeader = errors.New("header is missing")
	// ErrRepeatedHeader says that a header came more than once, so that two
	// readers could see different values.
	ErrRepeatedHeader = errors.New("header is repeated")
	// ErrTimestamp says that the timestamp is not a number of seconds.
	ErrTimestamp = errors.New("timestamp is not a finite number")
	// ErrStale says that the timestamp is more than [Tolerance] away.
	ErrStale = errors.New("timestamp is more than 300 seconds away")
	// ErrSignature says that no signature fits: another secret, or other bytes.
	ErrSignature = errors.New("signature does not match")
)

// Verify checks the headers and the raw bytes of a delivery against one secret,
// by the four rules in their order: both headers are there; the timestamp is a
// finite number and within [Tolerance] of now, before anything is hashed; the
// signature has the expected length and is equal in constant time. body must be
// the bytes as they came, never an object that was written again.
func Verify(secret string, h http.Header, body []byte, now time.Time) error {
	return Verifier{Secrets: []string{secret}}.Verify(h, body, now)
}

// Verifier checks deliveries against several secrets.
type Verifier struct {
	// Secrets are the endpoint's secrets as they were shown, whsec_ included. Any
	// may have signed: while a secret is rotated, give the old and the new one.
	Secrets []string
	// Standard takes the Standard Webhooks headers in place of the service's own;
	// during a rotation they carry a signature of each secret.
	Standard bool
}

// Verify is [Verify] with the verifier's secrets.
func (v Verifier) Verify(h http.Header, body []byte, now time.Time) error {
	c, err := v.read(h, now)
	if err != nil {
		return err
	}
	return c.check(body)
}

// Signature returns the value of [HeaderSignature] for a timestamp and a body,
// for tests of receivers.
func Signature(secret, timestamp string, body []byte) string {
	return hex.EncodeToString(sum([]byte(secret), timestamp+".", body))
}

// claim is what the headers of one delivery say, before its body is read.
type claim struct {
	keys   [][]byte
	prefix string // signed before the body
	given  []string
	encode func([]byte) string
}

// read applies the rules that need no body.
func (v Verifier) read(h http.Header, now time.Time) (claim, error) {
	if err := v.ready(); err != nil {
		return claim{}, err
	}
	if v.Standard {
		return v.readStandard(h, now)
	}
	timestamp, err := single(h, HeaderTimestamp)
	if err != nil {
		return claim{}, err
	}
	signature, err := single(h, HeaderSignature)
	if err != nil {
		return claim{}, err
	}
	if err := fresh(timestamp, now); err != nil {
		return claim{}, err
	}
	keys := make([][]byte, len(v.Secrets))
	for i, s := range v.Secrets {
		keys[i] = []byte(s)
	}
	return claim{keys, timestamp + ".", []string{signature}, hex.EncodeToString}, nil
}

// readStandard reads the headers of Standard Webhooks: a list of signatures over
// <id>.<timestamp>.<body>, of which those of another version are passed over.
func (v Verifier) readStandard(h http.Header, now time.Time) (claim, error) {
	var values [3]string
	for i, name := range []string{HeaderStandardID, HeaderStandardTimestamp, HeaderStandardSignature} {
		value, err := single(h, name)
		if err != nil {
			return claim{}, err
		}
		values[i] = value
	}
	id, timestamp := values[0], values[1]
	if err := fresh(timestamp, now); err != nil {
		return claim{}, err
	}
	c := claim{prefix: id + "." + timestamp + ".", encode: base64.StdEncoding.EncodeToString}
	for field := range strings.FieldsSeq(values[2]) {
		if signature, ok := strings.CutPrefix(field, "v1,"); ok {
			c.given = append(c.given, signature)
		}
	}
	for _, s := range v.Secrets {
		key, err := decode(s)
		if err != nil {
			return claim{}, err
		}
		c.keys = append(c.keys, key)
	}
	return c, nil
}

// ready refuses an empty secret: with an empty key, everybody can sign.
func (v Verifier) ready() error {
	if len(v.Secrets) == 0 {
		return ErrNoSecret
	}
	for _, s := range v.Secrets {
		if s == "" {
			return fmt.Errorf("%w: it is empty", ErrNoSecret)
		}
		if v.Standard {
			if _, err := decode(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// check compares every signature with that of every secret. All are compared, so
// the time does not reveal which secret is in use.
func (c claim) check(body []byte) error {
	matched := false
	for _, key := range c.keys {
		want := c.encode(sum(key, c.prefix, body))
		for _, given := range c.given {
			if len(given) == len(want) && hmac.Equal([]byte(given), []byte(want)) {
				matched = true
			}
		}
	}
	if !matched {
		return ErrSignature
	}
	return nil
}

func sum(key []byte, prefix string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(prefix))
	mac.Write(body)
	return mac.Sum(nil)
}

// decode returns the key of the Standard Webhooks form: what follows whsec_.
func decode(secret string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(key) == 0 {
		return nil, fmt.Errorf("%w: want whsec_ and base64", ErrNoSecret)
	}
	return key, nil
}

// single returns the one value of a header.
func single(h http.Header, name string) (string, error) {
	switch values := h.Values(name); {
	case len(values) > 1:
		return "", fmt.Errorf("%w: %s", ErrRepeatedHeader, strings.ToLower(name))
	case len(values) == 0 || values[0] == "":
		return "", fmt.Errorf("%w: %s", ErrMissingHeader, strings.ToLower(name))
	default:
		return values[0], nil
	}
}

// maxDigits of a timestamp reach beyond any year that matters and stay exact in
// every language's numbers.
const maxDigits = 15

// fresh judges a timestamp. Decimal digits alone are taken, as they are sent:
// with a fraction, the point that parts timestamp and body would be ambiguous,
// and signs, spaces, exponents and hexadecimals are read differently by different
// languages.
func fresh(timestamp string, now time.Time) error {
	if len(timestamp) > maxDigits || strings.Trim(timestamp, "0123456789") != "" {
		return ErrTimestamp
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return ErrTimestamp
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > Tolerance {
		return ErrStale
	}
	return nil
}
