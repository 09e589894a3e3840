package passkey_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
	"github.com/storefront-go/storefront/graph/engine/passkey"
)

const origin = "https://shop.example:8443"

var challenge = make([]byte, 45)

// create returns a passkey of an owner, and what is stored about it.
func create(t testing.TB, owner []byte) (*factortest.Authenticator, passkey.Key) {
	t.Helper()
	p, by := passkey.At(origin), factortest.New(t, origin)
	options, err := p.AskNew(owner, "ada@example.com", nil, challenge)
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := p.Create(owner, by.Create(options))
	if err != nil {
		t.Fatal(err)
	}
	return by, key
}

func TestPasskey(t *testing.T) {
	owner := []byte("0123456789abcdef")
	p := passkey.At(origin)
	by, key := create(t, owner)
	if p.Host() != "shop.example" || passkey.At("http://127.0.0.1:80") != nil || passkey.At("%") != nil {
		t.Errorf("the host %s", p.Host())
	}
	options, err := p.AskNew(owner, "ada@example.com", []passkey.Key{key}, challenge)
	var asked struct {
		PublicKey struct{ ExcludeCredentials []struct{ ID string } }
	}
	if err != nil || json.Unmarshal(options, &asked) != nil || len(asked.PublicKey.ExcludeCredentials) != 1 {
		t.Errorf("%s, %v", options, err)
	}
	question, err := p.Ask(challenge)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := passkey.Parse(by.Get(question))
	if err != nil {
		t.Fatal(err)
	}
	if count, err := p.Verify(answer, owner, key); err != nil || count != 0 {
		t.Errorf("%d, %v", count, err)
	}
	_, other := create(t, owner)
	for name, tc := range map[string]struct {
		at    *passkey.Party
		owner []byte
		key   passkey.Key
	}{
		"another passkey": {p, owner, other},
		"another owner":   {p, []byte("fedcba9876543210"), key},
		"another host":    {passkey.At("https://shop.test"), owner, key},
	} {
		if _, err := tc.at.Verify(answer, tc.owner, tc.key); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzPasskey: no response of a browser is accepted but that of the passkey, nor breaks the parser.
func FuzzPasskey(f *testing.F) {
	owner := []byte("0123456789abcdef")
	by, key := create(f, owner)
	p := passkey.At(origin)
	question, err := p.Ask(challenge)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("{}"))
	f.Add(by.Get(question))
	other := key
	other.ID, other.Count = nil, 7
	f.Fuzz(func(t *testing.T, response []byte) {
		if _, _, err := p.Create(owner, response); err != nil && !errors.Is(err, passkey.ErrRefused) {
			t.Error(err)
		}
		answer, err := passkey.Parse(response)
		if err != nil {
			return
		}
		if _, err := p.Verify(answer, []byte("someone else's"), other); !errors.Is(err, passkey.ErrRefused) {
			t.Error(err)
		}
	})
}
