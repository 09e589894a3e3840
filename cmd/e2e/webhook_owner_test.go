package e2e

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/storefront-go/storefront/ent/storetest"
)

// When an app's access to a store ends, no process sends it pending deliveries, and it gets no
// event about that, while the store's endpoints do.
func TestWebhookGrantEnds(t *testing.T) {
	storetest.Campaign(t)
	together(t, func(t *testing.T, s settings) {
		p := start(t, s.plus("--no-dispatch"))
		dispatcher(t, s)
		f, c, sink := p.demo(t), hire(t, 0, p), receiving(t)
		p.exchange(t, p.app(f, oauth2.AuthStyleInParams), f.Stores[0].Owner)
		token := p.exchange(t, p.app(f, oauth2.AuthStyleInParams), f.Stores[0].Owner).AccessToken
		theirs, ours := sink.open("/app", func(*entry) mood {
			return slowly(100 * time.Millisecond)
		}), sink.open("/store", nil)
		p.register(t, token, theirs, append(slices.Clone(productEvents), "app.grant_revoked")...)
		p.register(t, f.Stores[0].Keys["all"], ours, append(slices.Clone(productEvents), "app.grant_revoked")...)
		c.add(p.endFirstGrant(t, c.store.StaffToken), "app.grant_revoked") // of two: the app stays
		c.crowd(t, p, 300)
		sink.arrives(t, theirs, patience)

		var ended struct {
			InstalledAppRevoke struct{ RevokedIDs []string }
		}
		p.graphql(t, c.store.StaffToken, `mutation($id:ID!){installedAppRevoke(appId:$id){revokedIds}}`,
			map[string]any{"id": f.OAuthApp.ID}, &ended)
		at := time.Now()
		if len(ended.InstalledAppRevoke.RevokedIDs) != 1 {
			t.Fatalf("%+v", ended)
		}
		if e := p.stopped(t, c.store.StaffToken, theirs.id); e.Status != "DISABLED" ||
			e.SuspendedReason != "GRANT_REVOKED" {
			t.Errorf("%+v", e)
		}
		c.add(ended.InstalledAppRevoke.RevokedIDs[0], "app.grant_revoked")
		c.chapter(t, 1)
		sink.complete(t, settled, &c.journal, ours)
		beats(nearTerm + 2*time.Second - time.Since(at))
		var last time.Time
		for _, e := range theirs.all() {
			last = e.at
			if e.payload.Type == "app.grant_revoked" {
				t.Error("the app gets the event of its own end")
			}
		}
		t.Logf("%d of 301 events went to the app, the last one %v after the end", len(theirs.all()),
			last.Sub(at).Round(time.Millisecond))
		if after := last.Sub(at); after > nearTerm || len(theirs.all()) > 250 {
			t.Errorf("the last of %d deliveries comes %v after the end of the grant", len(theirs.all()), after)
		}
		theirs.stories(t)
	})
}

// endFirstGrant ends the older of two grants.
func (p *program) endFirstGrant(t *testing.T, token string) string {
	t.Helper()
	var data struct {
		Grants struct{ Nodes []struct{ ID string } }
	}
	p.graphql(t, token, `{grants{nodes{id}}}`, nil, &data)
	if len(data.Grants.Nodes) != 2 {
		t.Fatalf("%+v", data)
	}
	id := data.Grants.Nodes[1].ID
	p.graphql(t, token, `mutation($id:ID!){grantRevoke(id:$id){grant{revokedAt}}}`, map[string]any{"id": id}, new(any))
	return id
}

// crowd creates n events of one product with few requests.
func (c *crew) crowd(t *testing.T, p *program, n int) {
	t.Helper()
	id := c.create(t, p, `productCreate(input:{title:"0",priceMinor:1,currency:"EUR"}){it:product{id version} `+
		`userErrors{message}}`, "product.created").Done.It.ID
	for version := 1; version <= n; {
		var b strings.Builder
		for range min(rootFields, n-version+1) {
			fmt.Fprintf(&b, `m%d:productUpdate(id:$id,expectedVersion:%d,input:{title:"%d"}){userErrors{message}} `,
				version, version, version)
			version++
		}
		var data map[string]struct{ UserErrors []struct{ Message string } }
		p.graphql(t, c.store.StaffToken, "mutation($id:ID!){"+b.String()+"}", map[string]any{"id": id}, &data)
		for name, done := range data {
			if len(done.UserErrors) > 0 {
				t.Fatalf("%s: %+v", name, done.UserErrors)
			}
			c.add(id, "product.updated")
		}
	}
}

// standing is an endpoint's status, and why it has it.
type standing struct{ Status, SuspendedReason string }

func (p *program) stopped(t *testing.T, token, id string) standing {
	t.Helper()
	var data struct{ WebhookEndpoint standing }
	p.graphql(t, token, `query($id:ID!){webhookEndpoint(id:$id){status suspendedReason}}`,
		map[string]any{"id": id}, &data)
	return data.WebhookEndpoint
}

// A secret is rotated while deliveries are in flight: the specification's header uses the old
// secret until the new one is promoted, the Standard Webhooks header has both meanwhile, and every
// delivery verifies.
func TestWebhookRotation(t *testing.T) {
	storetest.Campaign(t)
	together(t, func(t *testing.T, s settings) {
		p := start(t, s.plus("--no-dispatch"))
		dispatcher(t, s)
		c, sink := hire(t, 10*time.Millisecond, p), receiving(t)
		b := sink.open("/in", nil)
		p.register(t, c.store.Keys["all"], b, salesEvents...)
		c.begin(t, 2)
		sink.arrives(t, b, patience)

		var rotated struct {
			WebhookEndpointRotateSecret struct {
				Secret          string
				WebhookEndpoint struct{ Version int64 }
			}
		}
		p.graphql(t, c.store.StaffToken,
			`mutation($id:ID!){webhookEndpointRotateSecret(id:$id,expectedVersion:1){secret webhookEndpoint{version}}}`,
			map[string]any{"id": b.id}, &rotated)
		former, next := b.secrets[0], rotated.WebhookEndpointRotateSecret.Secret
		b.secrets = append(b.secrets, next)
		b.seen(t, "both secrets", func(e *entry) bool {
			return e.specSignature(former) && e.standardSignature(former) && e.standardSignature(next)
		})
		before := len(b.all()) // all of these were signed before the promotion
		p.graphql(t, c.store.StaffToken, `mutation($id:ID!,$v:Long!){webhookEndpointPromoteSecret(id:$id,`+
			`expectedVersion:$v){webhookEndpoint{version}}}`,
			map[string]any{"id": b.id, "v": rotated.WebhookEndpointRotateSecret.WebhookEndpoint.Version}, new(any))
		promoted := time.Now()
		b.seen(t, "the new secret alone", func(e *entry) bool {
			return e.specSignature(next) && e.standardSignature(next) && !e.standardSignature(former)
		})
		t.Logf("promoted within %v", time.Since(promoted).Round(time.Millisecond))
		beats(nearTerm - time.Since(promoted))
		late := len(b.all())
		sink.arrives(t, b, patience)
		c.finish(t, sink, nil, 0, b)
		for i, e := range b.all() {
			switch {
			case i < before && (!e.specSignature(former) || !e.standardSignature(former)):
				t.Errorf("request %d of %d before the promotion does not verify with the first secret", i, before)
			case i > late+32 && (!e.specSignature(next) || !e.standardSignature(next) || e.standardSignature(former)):
				t.Errorf("request %d, more than %v after the promotion, is not signed with the new secret alone",
					i, nearTerm)
			}
		}
	})
}

// seen waits for a request that satisfies so.
func (b *book) seen(t *testing.T, what string, so func(*entry) bool) {
	t.Helper()
	from := 0
	b.sink.await(t, nearTerm, func() string {
		for ; from < len(b.entries); from++ {
			if so(b.entries[from]) {
				return ""
			}
		}
		return "no request is signed with " + what
	})
}

// People skip a delivery and delete an endpoint during an attempt: the attempt ends by itself and
// changes nothing of that, and nothing else stalls.
func TestWebhookInFlight(t *testing.T) {
	storetest.Campaign(t)
	together(t, func(t *testing.T, s settings) {
		p := start(t, s)
		c, to := hire(t, 0, p), receiving(t)
		skip, first := make(chan struct{}), true
		b, other := to.open("/slow", func(*entry) mood {
			m := slowly(100 * time.Millisecond)
			if first {
				first, m.delay = false, func(_ *sink, _ *http.Request) {
					select {
					case <-skip:
					case <-t.Context().Done():
					}
				}
			}
			return m
		}), to.open("/other", nil)
		for _, b := range []*book{b, other} {
			p.register(t, c.store.Keys["all"], b, productEvents...)
		}
		c.crowd(t, p, 20)
		to.await(t, patience, func() string {
			if len(b.entries) > 0 {
				return ""
			}
			return "nothing arrives"
		})
		var skipped struct {
			WebhookDeliverySkip struct{ Delivery *struct{ ID, State string } }
		}
		id := map[string]any{"id": b.all()[0].header.Get("X-Service-Delivery-Id")}
		p.graphql(t, c.store.StaffToken, `mutation($id:ID!){webhookDeliverySkip(id:$id){delivery{id state}}}`,
			id, &skipped)
		close(skip)
		to.complete(t, settled, &c.journal, b, other)
		var shown struct{ WebhookDelivery struct{ State string } }
		p.graphql(t, c.store.StaffToken, `query($id:ID!){webhookDelivery(id:$id){state}}`, id, &shown)
		if got := skipped.WebhookDeliverySkip.Delivery; got == nil || got.State != "SKIPPED" ||
			shown.WebhookDelivery.State != "SKIPPED" {
			t.Errorf("skipped while it was under way: %+v, later %+v", got, shown)
		}

		c.crowd(t, p, 50)
		to.arrives(t, b, patience)
		p.send(t, request{As: c.store.Keys["all"], Method: http.MethodDelete, Path: base + "/webhooks/" + b.id,
			Key: rand.Text()}).want(t, http.StatusNoContent, "")
		had := len(b.all())
		beats(3 * time.Second)
		if n := len(b.all()); n > had+1 || n < 2 {
			t.Errorf("%d requests after the endpoint was deleted", n-had)
		}
		to.complete(t, settled, &c.journal, other)
	})
}
