package factor

import (
	"strings"
	"testing"

	"github.com/go-webauthn/webauthn/protocol"
)

// Any typed text is either no code or a code in normalized form.
func FuzzCode(f *testing.F) {
	for _, seed := range []string{"123456", "123 456", "0123-4567-89ab", "OIL0-1234-5678", "", "١٢٣٤٥٦", "12345\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		code, ok := parseTOTP(text)
		if ok && (len(code) != 6 || strings.Trim(code, "0123456789") != "") {
			t.Errorf("%q is read as %q", text, code)
		}
		long, also := parseCode(text)
		if also && (len(long) != codeLen || strings.Trim(long, codeAlphabet) != "") {
			t.Errorf("%q is read as %q", text, long)
		}
		if ok && also {
			t.Errorf("%q is both", text)
		}
		if again, same := parseCode(long); also && (!same || again != long) {
			t.Errorf("%q is read as %q and then as %q", text, long, again)
		}
	})
}

// Any response of a browser is parsed or refused.
func FuzzResponse(f *testing.F) {
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30",` +
		`"attestationObject":"o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA"}}`))
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30",` +
		`"authenticatorData":"AA","signature":"AA","userHandle":"AA"}}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, response []byte) {
		if made, err := parse(response, protocol.ParseCredentialCreationResponseBytes); (made == nil) == (err == nil) {
			t.Errorf("%+v, %v", made, err)
		}
		if shown, err := parse(response, protocol.ParseCredentialRequestResponseBytes); (shown == nil) == (err == nil) {
			t.Errorf("%+v, %v", shown, err)
		}
	})
}
