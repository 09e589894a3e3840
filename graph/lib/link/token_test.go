package link_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/link"
)

func signerOf(t *testing.T, secrets ...string) *link.Signer {
	t.Helper()
	ring, err := keyring.Parse(strings.Join(secrets, ","))
	if err != nil {
		t.Fatal(err)
	}
	return link.New(ring)
}

func TestOrderToken(t *testing.T) {
	first, second := strings.Repeat("a", keyring.MinSecret), strings.Repeat("b", keyring.MinSecret)
	old := signerOf(t, first)
	store, order := xid.New(), xid.New()
	token := old.OrderToken(store, order)
	for name, s := range map[string]*link.Signer{"the same": old, "rotated": signerOf(t, second, first)} {
		if got, ok := s.Order(store, token); !ok || got != order {
			t.Errorf("%s: got %v, %v", name, got, ok)
		}
	}
	flipped := []byte(token)
	for i, c := range token {
		for _, other := range "AB" {
			if other == c {
				continue
			}
			flipped[i] = byte(other)
			if _, ok := old.Order(store, string(flipped)); ok {
				t.Errorf("another character at %d is accepted", i)
			}
			flipped[i] = byte(c)
		}
	}
	for name, wrong := range map[string]string{"empty": "", "cut": token[:len(token)-1], "longer": token + "A",
		"line": token + "\n", "padded": token + "=",
		"of another order": old.OrderToken(store, xid.New())[:22] + token[22:]} {
		if _, ok := old.Order(store, wrong); ok {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, ok := old.Order(xid.New(), token); ok {
		t.Error("another store lets it in")
	}
	if _, ok := signerOf(t, second).Order(store, token); ok {
		t.Error("another secret lets it in")
	}
}

func TestChallenge(t *testing.T) {
	s, store := signerOf(t, strings.Repeat("a", keyring.MinSecret)), xid.New()
	raw := s.Challenge(store, "sign in", 5)
	text := base64.RawURLEncoding.EncodeToString(raw)
	if until, ok := s.Challenged(store, "sign in", text); !ok || until != 5 {
		t.Errorf("got %v, %v", until, ok)
	}
	later := bytes.Clone(raw)
	later[7]++
	for name, ok := range map[string]bool{
		"another store": second(s.Challenged(xid.New(), "sign in", text)),
		"another use":   second(s.Challenged(store, "add", text)),
		"another time":  second(s.Challenged(store, "sign in", base64.RawURLEncoding.EncodeToString(later))),
		"nothing":       second(s.Challenged(store, "sign in", "")),
	} {
		if ok {
			t.Errorf("%s is accepted", name)
		}
	}
}

func second[T any](_ T, ok bool) bool { return ok }

func TestAlertToken(t *testing.T) {
	s := signerOf(t, strings.Repeat("a", keyring.MinSecret))
	store, person := xid.New(), xid.New()
	token := s.AlertToken(store, person, 3)
	gotStore, gotPerson, topic, ok := s.Alert(token)
	if !ok || gotStore != store || gotPerson != person || topic != 3 {
		t.Errorf("got %v, %v, %d, %t", gotStore, gotPerson, topic, ok)
	}
	other := s.AlertToken(store, person, 4)
	for name, wrong := range map[string]string{"empty": "", "cut": token[:len(token)-1], "longer": token + "A",
		"another topic": other[:46] + token[46:], "of an order": s.OrderToken(store, person)} {
		if _, _, _, ok := s.Alert(wrong); ok {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestCartTokens(t *testing.T) {
	s := signerOf(t, strings.Repeat("a", keyring.MinSecret))
	store, id, address := xid.New(), xid.New(), digest.Of([]byte("ada@example.com"))
	token := s.CartToken(store, id)
	if got, ok := s.Cart(store, token); !ok || got != id {
		t.Errorf("got %v, %t", got, ok)
	}
	_, other := s.Cart(xid.New(), token)
	_, order := s.Cart(store, s.OrderToken(store, id))
	if other || order {
		t.Error("another store, or the token of an order, lets it in")
	}
	token = s.MarketingStopToken(store, id, address)
	if gotStore, got, of, ok := s.MarketingStop(token); !ok || gotStore != store || got != id || of != address {
		t.Errorf("got %v, %v, %v, %t", gotStore, got, of, ok)
	}
	changed := s.MarketingStopToken(store, xid.Nil, address)
	for name, wrong := range map[string]string{"empty": "", "cut": token[:len(token)-1],
		"another customer": changed[:64] + token[64:], "of other emails": s.StopToken(store, address)} {
		if _, _, _, ok := s.MarketingStop(wrong); ok {
			t.Errorf("%s is accepted", name)
		}
	}
}
