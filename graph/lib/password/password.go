// Package password keeps people's passwords as argon2id hashes (RFC 9106), makes
// new ones and judges those that people choose.
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

// cost is that of one hash (contract, section 7). Memory is in KiB.
var cost = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// nobody is a hash of the same cost that is no text's, for those without one.
var nobody = "$argon2id$v=19$m=19456,t=2,p=1$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)

// Bounds of what a stored hash may ask for: whoever wrote the column shall not
// be able to take all the memory.
const (
	maxMemory = 256 << 10 // KiB
	maxPasses = 16
	maxLanes  = 8
)

// Hash returns the argon2id hash of text with a new salt, as a PHC string. Its
// error is that of ctx, when that ends before the hash's turn has come, or the fault of
// a full queue: [ErrBusy].
func Hash(ctx context.Context, text string) (string, error) {
	done, err := turns.enter(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return argon2id.CreateHash(text, &cost)
}

// Verify reports whether text is the password of a PHC string that [Hash] made.
// An empty string, for a person without one, costs as much time as any and fits
// no text, so that the time of an answer does not reveal who has a password.
func Verify(ctx context.Context, phc, text string) (bool, error) {
	stored := cmp.Or(phc, nobody)
	if err := judge(stored); err != nil {
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

// Generate returns a new password of 100 bits: four groups of five small
// letters and digits, without the digits that look like letters.
func Generate() string {
	s := strings.ToLower(rand.Text()[:20])
	return s[:5] + "-" + s[5:10] + "-" + s[10:15] + "-" + s[15:]
}

// judge refuses what is not argon2id in PHC form, or asks for too much. Its error
// holds nothing of the string.
func judge(phc string) error {
	p, salt, key, err := argon2id.DecodeHash(phc)
	malformed := errors.New("parse password hash: not argon2id in PHC form")
	if err != nil || len(salt) < 8 || len(salt) > 64 || len(key) < 16 || len(key) > 64 ||
		p.Memory > maxMemory || p.Iterations < 1 || p.Iterations > maxPasses ||
		p.Parallelism < 1 || p.Parallelism > maxLanes {
		return malformed
	}
	// DecodeHash takes no notice of what follows a number.
	head := fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$", p.Memory, p.Iterations, p.Parallelism)
	if !strings.HasPrefix(phc, head) {
		return malformed
	}
	return nil
}
