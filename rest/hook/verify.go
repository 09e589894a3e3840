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

// Headers of a delivery. The signatures cover the body, the timestamp and, in the Standard Webhooks
// form, the id; the other headers are not signed, so do not base decisions on them.
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

// Tolerance is how far a delivery's timestamp may be from the receiver's clock, in either
// direction.
const Tolerance = 300 * time.Second

// Reasons for refusing a delivery. Errors of this package wrap one of these; none holds a secret or
// an expected signature.
var (
	// ErrNoSecret means that there is no secret, or that one cannot be decoded for the Standard
	// Webhooks headers: a configuration error of the receiver.
	ErrNoSecret = errors.New("no usable secret")
	// ErrMissingHeader means that a header is absent or empty.
	ErrMissingHeader = errors.New("header is missing")
	// ErrRepeatedHeader means that a header was sent more than once, so that two readers could see
	// different values.
	ErrRepeatedHeader = errors.New("header is repeated")
	// ErrTimestamp means that the timestamp is not a number of seconds.
	ErrTimestamp = errors.New("timestamp is not a finite number")
	// ErrStale means that the timestamp is more than [Tolerance] away.
	ErrStale = errors.New("timestamp is more than 300 seconds away")
	// ErrSignature means that no signature matches: another secret, or other bytes.
	ErrSignature = errors.New("signature does not match")
)

// Verify checks the headers and the raw body of a delivery against one secret. In this order: both
// headers are present; the timestamp is a finite number within [Tolerance] of now, checked before
// anything is hashed; the signature has the expected length and is equal in constant time. body
// must be the bytes as received, never a re-encoded object.
func Verify(secret string, h http.Header, body []byte, now time.Time) error {
	return Verifier{Secrets: []string{secret}}.Verify(h, body, now)
}

// Verifier checks deliveries against several secrets.
type Verifier struct {
	// Secrets are the endpoint's secrets as shown, including whsec_. While you rotate a secret,
	// give the old and the new one.
	Secrets []string
	// Standard uses the Standard Webhooks headers instead of the service's own; during a rotation
	// they carry a signature of each secret.
	Standard bool
}

// Verify is like the function [Verify], with the verifier's secrets.
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

// claim holds the signature headers of a delivery before its body is read.
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
// <id>.<timestamp>.<body>. It ignores signatures of other versions.
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

// ready refuses an empty secret: anyone can sign with an empty key.
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

// check compares every signature with that of every secret. It always compares all, so
// that the time does not reveal which secret is in use.
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

// decode returns the key of a Standard Webhooks secret: the bytes after whsec_.
func decode(secret string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(key) == 0 {
		return nil, fmt.Errorf("%w: want whsec_ and base64", ErrNoSecret)
	}
	return key, nil
}

// single returns the only value of a header.
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

// maxDigits admits timestamps beyond any relevant year that stay exact in every language's numbers.
const maxDigits = 15

// fresh checks a timestamp. Only decimal digits are valid: with a fraction, the dot between
// timestamp and body would be ambiguous, and languages read signs, spaces, exponents and
// hexadecimals differently.
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
