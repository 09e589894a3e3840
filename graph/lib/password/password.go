// Package password hashes people's passwords with argon2id (RFC 9106), generates new ones, and
// rejects weak ones.
package password

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/alexedwards/argon2id"
)

// cost is the cost of one hash (contract, section 7). Memory is in KiB.
var cost = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// dummyHash is a hash of the same cost that matches no text, for people without a password.
var dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)

// Bounds of the parameters of stored hashes, so that a manipulated column cannot use up the memory.
const (
	maxMemory = 256 << 10 // KiB
	maxPasses = 16
	maxLanes  = 8
)

// Hash returns the argon2id hash of text with a new salt, as a PHC string. It fails with the error
// of ctx if that ends before the hash's turn, and with [ErrBusy] if the queue is full.
func Hash(ctx context.Context, text string) (string, error) {
	done, err := turns.enter(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return argon2id.CreateHash(text, &cost)
}

// Verify reports whether text is the password of a PHC string from [Hash]. An empty string, for a
// person without a password, takes the same time and matches no text, so that response times do not
// reveal who has a password.
func Verify(ctx context.Context, phc, text string) (bool, error) {
	stored := cmp.Or(phc, dummyHash)
	if err := checkHash(stored); err != nil {
		return false, err
	}
	done, err := turns.enter(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	same, err := argon2id.ComparePasswordAndHash(text, stored)
	return same && phc != "", err
}

// Generate returns a new password of 100 bits: four groups of five lowercase letters and digits,
// without the digits that look like letters.
func Generate() string {
	s := strings.ToLower(rand.Text()[:20])
	return s[:5] + "-" + s[5:10] + "-" + s[10:15] + "-" + s[15:]
}

// checkHash returns an error unless the string is argon2id in PHC form within the bounds. The error
// does not contain the string.
func checkHash(phc string) error {
	p, salt, key, err := argon2id.DecodeHash(phc)
	malformed := errors.New("parse password hash: not argon2id in PHC form")
	if err != nil || len(salt) < 8 || len(salt) > 64 || len(key) < 16 || len(key) > 64 ||
		p.Memory > maxMemory || p.Iterations < 1 || p.Iterations > maxPasses ||
		p.Parallelism < 1 || p.Parallelism > maxLanes {
		return malformed
	}
	// DecodeHash ignores what follows a number.
	head := fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$", p.Memory, p.Iterations, p.Parallelism)
	if !strings.HasPrefix(phc, head) {
		return malformed
	}
	return nil
}
