package notify_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/emersion/go-smtp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// The emails of a store come from its own address, under its name alone, and verify. The envelope,
// and emails of the service, keep the service's address. If the server refuses the address of the
// store, or it has none, the email comes from the service.
func TestOwnSender(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	s, p := staffed(t, storetest.Open(t)), new(post).open(t, listen(t), nil)
	n, err := notify.New(api)
	if err != nil {
		t.Fatal(err)
	}
	own := &notify.OwnSender{Address: "shop@kestrel.example", Selector: "sf-1", Key: key}
	sender := s.sender(plainly(p), func(c *notify.SenderConfig) {
		c.Own = func(_ context.Context, store xid.ID) (*notify.OwnSender, error) {
			if store != s.row.ID {
				t.Errorf("asked for the sender of %s", store)
			}
			return own, nil
		}
	})
	send := func(e notify.Email) received {
		t.Helper()
		e.To, e.Of, e.Subject, e.Body = "ada@example.com", s.row.ID, "Your order", "Hello"
		s.write(func(ctx context.Context, c *db.Client) error { return n.Send(ctx, c, e) })
		s.round(sender)
		got := p.mails()
		if len(got) != 1 || got[0].from != "notices@shop.example" {
			t.Fatalf("the server accepted %+v", got)
		}
		return got[0]
	}
	const service = `"Kestrel via Storefront" <notices@shop.example>`
	shopper := notify.Email{From: "Kestrel", ReplyTo: "help@kestrel.example", Stop: api + "/stop/1"}
	got := send(shopper)
	if from := got.message(t).Header.Get("From"); from != `"Kestrel" <shop@kestrel.example>` {
		t.Errorf("From is %s", from)
	}
	verify := func(raw []byte) error {
		t.Helper()
		found, err := dkim.VerifyWithOptions(bytes.NewReader(raw), &dkim.VerifyOptions{
			LookupTXT: func(name string) ([]string, error) {
				if name != "sf-1._domainkey.kestrel.example" {
					t.Errorf("the key is at %s", name)
				}
				return []string{"v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(public)}, nil
			}})
		if err != nil || len(found) != 1 || found[0].Domain != "kestrel.example" {
			t.Fatalf("%d signatures, %v\n%s", len(found), err, raw)
		}
		return found[0].Err
	}
	rich := shopper
	rich.HTML = "<p>Hello</p>"
	for _, raw := range [][]byte{got.raw, send(rich).raw} {
		if err := verify(raw); err != nil {
			t.Errorf("%v\n%s", err, raw)
		}
	}
	for _, forged := range []string{
		strings.Replace(string(got.raw), "Hello", "Hallo", 1),
		strings.Replace(string(got.raw), "help@kestrel", "evil@kestrel", 1),
		"From: Eve <eve@example.com>\r\n" + string(got.raw), "Subject: Pay here\r\n" + string(got.raw),
		strings.Replace(string(got.raw), "List-Unsubscribe: <https", "List-Unsubscribe: <http", 1),
	} {
		if verify([]byte(forged)) == nil {
			t.Errorf("a changed email verifies:\n%s", forged)
		}
	}
	if from := send(notify.Email{}).message(t).Header.Get("From"); from != `"Storefront" <notices@shop.example>` {
		t.Errorf("the service writes from %s", from)
	}
	p.say(func(p *post) { // refuses the first text
		p.data = func() error {
			p.data = nil
			return &smtp.SMTPError{Code: 550, Message: "not your address"}
		}
	})
	if from := send(shopper).message(t).Header.Get("From"); from != service {
		t.Errorf("after a refusal it comes from %s", from)
	}
	own = nil
	if from := send(shopper).message(t).Header.Get("From"); from != service {
		t.Errorf("without a sender it comes from %s", from)
	}
}

// While it is unknown who sends an email, it waits.
func TestOwnSenderUnknown(t *testing.T) {
	s := open(t, storetest.Open(t))
	n, err := notify.New(api)
	if err != nil {
		t.Fatal(err)
	}
	s.write(func(ctx context.Context, c *db.Client) error {
		return n.Send(ctx, c, notify.Email{To: "ada@example.com", Of: s.row.ID, Subject: "Hi", Body: "Hi",
			From: "Kestrel"})
	})
	s.round(s.sender("smtp://127.0.0.1:1?tls=none", func(c *notify.SenderConfig) {
		c.Own = func(context.Context, xid.ID) (*notify.OwnSender, error) { return nil, errors.New("no database") }
	}))
	if row := s.only(); row.Attempts != 1 {
		t.Errorf("tried %d times", row.Attempts)
	}
}
