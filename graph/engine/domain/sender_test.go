package domain_test

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/domain"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

func TestParseSender(t *testing.T) {
	e := newEngine(t, storetest.Open(t), nil)
	for entered, want := range map[string]string{
		" shop@example.com ":                     "shop@example.com",
		"Shop.2+a_b-c@Mail.EXAMPLE.com.":         "Shop.2+a_b-c@mail.example.com",
		"info@münchen.example":                   "info@xn--mnchen-3ya.example",
		"":                                       "!Enter an email",
		"example.com":                            "!Enter an email",
		"@example.com":                           "!Enter an email",
		"a@b@example.com":                        "!Enter an email",
		"a b@example.com":                        "!Enter an email",
		`"a"@example.com`:                        "!Enter an email",
		"shop\r\nBcc: x@example.com":             "!Enter an email",
		"shop@example.com\r\nBcc: x":             "!Enter",
		".a@example.com":                         "!Enter an email",
		"a..b@example.com":                       "!Enter an email",
		"münchen@example.com":                    "!Enter an email",
		strings.Repeat("a", 65) + "@example.com": "!Enter an email",
		"shop@https://example.com":               "!Enter an email",
		"shop@example":                           "!Enter a domain",
		"shop@co.uk":                             "!Anyone can",
		"shop@127.0.0.1":                         "!This is an IP",
		"shop@service.example":                   "!This domain belongs",
		"shop@x.service.example":                 "!This domain belongs",
		"shop@tea.shops.test":                    "!This domain belongs",
	} {
		local, host, err := e.ParseSender(entered)
		got := local + "@" + host
		if err != nil {
			got = "!" + err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", entered, got, want)
		}
	}
}

// sends gives the store a sender, and returns its row after a check.
func (m *merchant) sends(e *domain.Engine, local, host string) *db.MailSender {
	m.t.Helper()
	row, err := e.NewSender(m.ctx, local, host)
	if err != nil {
		m.t.Fatal(err)
	}
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.MailSender.Create().SetID(row.ID).SetBucket(row.Bucket).SetLocal(local).SetHost(host).
			SetSelector(row.Selector).SetPrivateKey(row.PrivateKey).SetPublicKey(row.PublicKey).SetDueAt(0).Exec(ctx)
	})
	return row
}

// checkedSender makes the sender due, runs a round, and returns what emails come from: nil for the
// service's address.
func (m *merchant) checkedSender(e *domain.Engine) (*notify.OwnSender, *db.MailSender) {
	m.t.Helper()
	m.tx(func(ctx context.Context, c *db.Client) error { return c.MailSender.Update().SetDueAt(0).Exec(ctx) })
	if err := e.Round(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	own, err := e.OwnSender(m.t.Context(), m.store.ID)
	if err != nil {
		m.t.Fatal(err)
	}
	row, err := m.s.DB(m.ctx).MailSender.Query().Only(m.ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	return own, row
}

// Emails come from a store's address while DNS publishes its key, and only its own. Two stores can
// prove one domain, each with its key. When the record is gone they come from the service's address,
// and the store gets a notice.
func TestSender(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		dns := &names{txts: map[string]string{}}
		e := newEngine(t, s, dns)
		a, b := newMerchant(t, s, "a.example.com"), newMerchant(t, s, "b.example.com")
		first, second := a.sends(e, "shop", "example.com"), b.sends(e, "shop", "example.com")
		if first.Selector == second.Selector || first.PublicKey == second.PublicKey {
			t.Fatal("two stores share a key")
		}
		publish := func(row *db.MailSender, value string) {
			dns.mu.Lock()
			defer dns.mu.Unlock()
			dns.txts[domain.RecordName(row)+"."] = strings.ReplaceAll(value, " ", "")
		}
		for _, tc := range []struct{ value, problem string }{
			{"", "There is no TXT record of " + domain.RecordName(first)},
			{domain.RecordValue(second), "has another value"},
			{domain.RecordValue(first) + "; t=y", "has another value"},
			{"v=DKIM1; k=rsa", "has another value"},
			{"down", "do not answer"},
		} {
			publish(first, tc.value)
			own, row := a.checkedSender(e)
			if own != nil || row.ProvedAt != nil || row.Problem == nil || !strings.Contains(*row.Problem, tc.problem) {
				t.Errorf("%q: %v, %v", tc.value, own, row)
			}
		}
		publish(first, "p="+first.PublicKey+"; k=rsa")
		publish(second, domain.RecordValue(second))
		own, row := a.checkedSender(e)
		if own == nil || row.Problem != nil || own.Address != "shop@example.com" || own.Selector != first.Selector {
			t.Fatalf("after the proof: %v, %v", own, row)
		}
		public, err := x509.MarshalPKIXPublicKey(&own.Key.(*rsa.PrivateKey).PublicKey)
		if err != nil || base64.StdEncoding.EncodeToString(public) != first.PublicKey {
			t.Errorf("another key signs (%v)", err)
		}
		if own, _ := b.checkedSender(e); own == nil || own.Selector != second.Selector {
			t.Errorf("the second store: %v", own)
		}
		publish(first, "down")
		if own, row := a.checkedSender(e); own == nil || row.Problem == nil {
			t.Errorf("while DNS is down: %v, %v", own, row)
		}
		publish(first, "")
		if own, row := a.checkedSender(e); own != nil || row.ProvedAt != nil {
			t.Errorf("without the record: %v, %v", own, row)
		}
		notices, err := s.DB(a.ctx).Notification.Query().All(a.ctx)
		if err != nil || len(notices) != 1 || notices[0].Title != "Emails no longer come from shop@example.com" {
			t.Errorf("notices %v, %v", notices, err)
		}
		off := newEngine(t, s, dns)
		off.ServiceMail = ""
		if own, err := off.OwnSender(t.Context(), b.store.ID); own != nil || err != nil {
			t.Errorf("where stores may not send: %v, %v", own, err)
		}
		b.tx(func(ctx context.Context, c *db.Client) error {
			return c.MailSender.Update().SetPrivateKey([]byte("broken")).Exec(ctx)
		})
		if own, err := e.OwnSender(t.Context(), b.store.ID); own != nil || err != nil {
			t.Errorf("with a key that does not open: %v, %v", own, err)
		}
	})
}
