// Package keyring turns the root secret of an installation into the keys that
// sign cursors and links and encrypt what is stored (contract, section 11).
//
// A ring holds one or more root secrets. The first signs and encrypts; all
// verify and decrypt, so a new secret is put in front of the old one, and the
// old one is taken away when nothing of its time is wanted any more.
//
// Every use derives a key of its own by HKDF-SHA-256 (RFC 5869), named by its
// purpose: what leaks from one use opens no other. A key is named by one byte
// that is derived from its secret as well, so the byte stays the same wherever
// in the list the secret stands; two secrets that share the byte are both tried.
package keyring
