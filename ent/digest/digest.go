// Package digest is a SHA-256 as a column.
package digest

import (
	"crypto/sha256"
	"database/sql/driver"
	"fmt"
)

// Sum is a SHA-256.
type Sum [sha256.Size]byte

// Of hashes b.
func Of(b []byte) Sum { return sha256.Sum256(b) }

// Value implements driver.Valuer: the 32 bytes.
func (s Sum) Value() (driver.Value, error) { return s[:], nil }

// Scan implements sql.Scanner.
func (s *Sum) Scan(src any) error {
	if b, ok := src.([]byte); ok {
		return s.UnmarshalBinary(b)
	}
	return fmt.Errorf("scan digest: %T", src)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler: the 32 bytes.
func (s *Sum) UnmarshalBinary(b []byte) error {
	if len(b) != len(s) {
		return fmt.Errorf("digest: %d bytes, want %d", len(b), len(s))
	}
	copy(s[:], b)
	return nil
}

// String hides the digest, which identifies a credential.
func (Sum) String() string { return "[digest]" }
