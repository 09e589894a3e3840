// Package password keeps people's passwords as argon2id hashes (RFC 9106) and
// makes new ones.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The cost of one hash (contract, section 7).
const (
	memory  = 19 << 10 // KiB
	passes  = 2
	lanes   = 1
	saltLen = 16
	keyLen  = 32
)

// Bounds of what a stored hash may ask for: whoever wrote the column shall not
// be able to take all the memory.
const (
	maxMemory = 256 << 10 // KiB
	maxPasses = 16
	maxLanes  = 8
)

// turns lets two hashes run at once in this process: each takes its memory, and
// a burst of sign-ins would otherwise take it many times over.
var turns = make(chan struct{}, 2)

// turn waits for leave to hash; the caller ends it with the function.
func turn(ctx context.Context) (func(), error) {
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to hash a password: %w", context.Cause(ctx))
	}
}

// Hash returns the argon2id hash of text with a new salt, as a PHC string. Its
// error is that of ctx, when that ends before the hash's turn has come.
func Hash(ctx context.Context, text string) (string, error) {
	done, err := turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	h := hash{memory: memory, passes: passes, lanes: lanes, salt: make([]byte, saltLen)}
	rand.Read(h.salt) // never fails since Go 1.24
	h.key = h.derive(text, keyLen)
	return h.String(), nil
}

// Verify tells whether text is the password of a PHC string that [Hash] made.
// An empty string, for a person without one, costs as much time as any and fits
// no text, so that the time of an answer does not tell who has a password.
func Verify(ctx context.Context, phc, text string) (bool, error) {
	h := hash{memory: memory, passes: passes, lanes: lanes, salt: make([]byte, saltLen), key: make([]byte, keyLen)}
	if phc != "" {
		var err error
		if h, err = parse(phc); err != nil {
			return false, err
		}
	}
	done, err := turn(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	same := subtle.ConstantTimeCompare(h.derive(text, len(h.key)), h.key) == 1
	return same && phc != "", nil
}

// Generate returns a new password of 100 bits: four groups of five small
// letters and digits, without the digits that look like letters.
func Generate() string {
	s := strings.ToLower(rand.Text()[:20])
	return s[:5] + "-" + s[5:10] + "-" + s[10:15] + "-" + s[15:]
}

// hash is a PHC string of argon2id.
type hash struct {
	memory, passes uint32
	lanes          uint8
	salt, key      []byte
}

func (h hash) derive(text string, size int) []byte {
	return argon2.IDKey([]byte(text), h.salt, h.passes, h.memory, h.lanes, uint32(size))
}

// String writes the PHC form.
func (h hash) String() string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, h.memory, h.passes, h.lanes, b64(h.salt), b64(h.key))
}

// parse reads the PHC form. Its error holds nothing of the string.
func parse(phc string) (h hash, err error) {
	malformed := fmt.Errorf("parse password hash: not argon2id in PHC form")
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return hash{}, malformed
	}
	var lanes uint32
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &lanes); n != 3 || err != nil {
		return hash{}, malformed
	}
	if parts[3] != fmt.Sprintf("m=%d,t=%d,p=%d", h.memory, h.passes, lanes) ||
		h.memory > maxMemory || h.passes < 1 || h.passes > maxPasses || lanes < 1 || lanes > maxLanes {
		return hash{}, malformed
	}
	h.lanes = uint8(lanes)
	var saltErr, keyErr error
	h.salt, saltErr = base64.RawStdEncoding.DecodeString(parts[4])
	h.key, keyErr = base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(h.salt) < 8 || len(h.salt) > 64 || len(h.key) < 16 || len(h.key) > 64 {
		return hash{}, malformed
	}
	return h, nil
}
