// Package keyring derives the keys that sign cursors and links and encrypt stored data from the
// root secret of an installation (contract, section 11).
//
// A ring holds one or more root secrets. The first signs and encrypts; all verify and decrypt. So a
// new secret is put in front of the old one, and the old one is removed once nothing that it signed
// or encrypted is needed.
//
// Every purpose has its own key, derived with HKDF-SHA-256 (RFC 5869), so a leaked key is of no use
// for other purposes. A key is identified by one byte that is derived from its secret too, so the
// byte does not depend on the secret's place in the list. If two secrets share the byte, both are
// tried.
package keyring
