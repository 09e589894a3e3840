package keyring

import (
	"bytes"
	"encoding/hex"
	"testing"
)

// The construction must be the published one, whose security has been analyzed (C2SP, XAES-256-GCM,
// test vectors).
func TestConstructionMatchesPublishedVectors(t *testing.T) {
	for _, tc := range []struct {
		name string
		key  byte
		aad  string
		want string
	}{
		{name: "top bit of the subkey clear", key: 0x01,
			want: "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
		{name: "top bit of the subkey set", key: 0x03, aad: "c2sp.org/XAES-256-GCM",
			want: "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := newSealKey(0, [KeyLen]byte(bytes.Repeat([]byte{tc.key}, KeyLen)))
			nonce := []byte("ABCDEFGHIJKLMNOPQRSTUVWX")
			got := k.aead(nonce).Seal(nil, nonce[12:], []byte("XAES-256-GCM"), []byte(tc.aad))
			if hex.EncodeToString(got) != tc.want {
				t.Errorf("got %x, want %s", got, tc.want)
			}
		})
	}
}
