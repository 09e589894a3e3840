package merchant_test

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// A store sets its address, keeps the key while the domain is the same, and sees no other store's.
func TestEmailSender(t *testing.T) {
	p := graphtest.NewShop(t, graphtest.NewCore(t, storetest.Open(t)))
	other := graphtest.NewShop(t, p.Resolver)
	m, q := p.Mutation(), p.Query()
	set := func(address string) *model.EmailSender {
		t.Helper()
		return graphtest.Must[*model.EmailSendingPayload](t)(m.EmailSenderSet(p.Ctx, address)).EmailSending.Sender
	}
	first := set("Shop@Example.com")
	if first.Address != "Shop@example.com" || !first.Checking || first.ProvedAt != nil ||
		!strings.HasSuffix(first.TXTName, "._domainkey.example.com") || !strings.HasPrefix(first.TXTValue, "v=DKIM1;") {
		t.Errorf("set %+v", first)
	}
	p.PlantMany(t, 1, func(ctx context.Context, c *db.Client, _ []int) error {
		return c.MailSender.Update().SetProvedAt(1).SetCheckedAt(1).Exec(ctx)
	})
	if next := set("orders@example.com"); next.TXTValue != first.TXTValue || next.ProvedAt == nil ||
		next.Address != "orders@example.com" {
		t.Errorf("another local part: %+v", next)
	}
	checked := graphtest.Must[*model.EmailSendingPayload](t)(m.EmailSenderCheck(p.Ctx)).EmailSending.Sender
	if !checked.Checking || checked.ProvedAt == nil {
		t.Errorf("checked %+v", checked)
	}
	if next := set("shop@example.org"); next.TXTValue == first.TXTValue || next.ProvedAt != nil {
		t.Errorf("another domain: %+v", next)
	}
	for range 7 {
		set("shop@example.org") // changes nothing
	}
	if _, err := m.EmailSenderSet(p.Ctx, "shop@example.org"); graphtest.FaultOf(err) != "limit_reached" {
		t.Errorf("beyond the rate: %v", err)
	}
	if s := graphtest.Must[*model.EmailSending](t)(q.EmailSending(other.Ctx)); !s.Allowed || s.Sender != nil {
		t.Errorf("the other store has %+v", s)
	}
	if _, err := m.EmailSenderCheck(other.Ctx); graphtest.FaultOf(err) != "not_found" {
		t.Error(err)
	}
	graphtest.Must[*model.EmailSendingPayload](t)(m.EmailSenderRemove(other.Ctx))
	removed := graphtest.Must[*model.EmailSendingPayload](t)(m.EmailSenderRemove(p.Ctx))
	if removed.EmailSending.Sender != nil {
		t.Errorf("removed: %+v", removed.EmailSending.Sender)
	}
	if got, want := p.Audited(t), "store.create email_sender.set email_sender.set email_sender.check "+
		"email_sender.set email_sender.remove"; got != want {
		t.Errorf("audit log %q, want %q", got, want)
	}
	for _, address := range []string{"shop@co.uk", "shop@service.example", "a\r\nb@example.com"} {
		if _, err := m.EmailSenderSet(other.Ctx, address); graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("%q: %v", address, err)
		}
	}
	p.Domains.ServiceMail = ""
	if _, err := m.EmailSenderSet(other.Ctx, "shop@example.net"); graphtest.FaultOf(err) != "invalid_transition" {
		t.Errorf("where stores may not send: %v", err)
	}
}
