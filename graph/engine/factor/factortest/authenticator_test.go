package factortest_test

import (
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/protocol"

	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
)

// The library accepts the authenticator's responses.
func TestAuthenticator(t *testing.T) {
	a := factortest.New(t, "https://shop.example:8443/x")
	if a.Origin != "https://shop.example:8443" || a.RPID != "shop.example" {
		t.Errorf("%s, %s", a.Origin, a.RPID)
	}
	a.Count = 7
	options := []byte(`{"publicKey": {"challenge": "AAAAAAAAAAAAAAAAAAAAAA", "user": {"id": "AQID"}}}`)
	made, err := protocol.ParseCredentialCreationResponseBytes(a.Create(options))
	if err != nil || made.Response.AttestationObject.AuthData.Counter != 7 {
		t.Fatalf("%+v, %v", made, err)
	}
	shown, err := protocol.ParseCredentialRequestResponseBytes(a.Get(options))
	if err != nil || string(shown.Response.UserHandle) != "\x01\x02\x03" ||
		shown.Response.AuthenticatorData.Counter != 8 || !shown.Response.AuthenticatorData.Flags.HasUserVerified() {
		t.Fatalf("%+v, %v", shown, err)
	}
}

// RFC 6238, appendix B, in six digits.
func TestCode(t *testing.T) {
	const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 20000000000: "353130"} {
		if got := factortest.Code(t, secret, time.Unix(at, 0)); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}
