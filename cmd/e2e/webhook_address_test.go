package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

// Addresses in the server's network are refused at registration, however they are written.
func TestWebhookAddresses(t *testing.T) {
	storetest.Sequential(t)
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	store := p.demo(t).Stores[0]
	for _, address := range hostileAddresses {
		t.Run(address[:min(len(address), 60)], func(t *testing.T) {
			body, err := json.Marshal(map[string]any{"url": address, "events": []string{"product.created"}})
			if err != nil {
				t.Fatal(err)
			}
			a := p.send(t, request{As: store.Keys["all"], Path: base + "/webhooks", Body: string(body)}).
				want(t, http.StatusUnprocessableEntity, "validation_failed")
			var refusal struct{ Errors []struct{ Pointer string } }
			a.decode(t, &refusal)
			if len(refusal.Errors) != 1 || refusal.Errors[0].Pointer != "#/url" {
				t.Errorf("%s", a.Body)
			}
			var data struct {
				WebhookEndpointCreate struct {
					WebhookEndpoint *struct{ ID string }
					UserErrors      []struct {
						Code string
						Path []string
					}
				}
			}
			p.graphql(t, store.StaffToken, `mutation($url:String!){webhookEndpointCreate(input:{url:$url,`+
				`events:["product.created"]}){webhookEndpoint{id} userErrors{code path}}}`,
				map[string]any{"url": address}, &data)
			if got := data.WebhookEndpointCreate; got.WebhookEndpoint != nil || len(got.UserErrors) != 1 ||
				!slices.Equal(got.UserErrors[0].Path, []string{"input", "url"}) {
				t.Errorf("%+v", got)
			}
		})
	}
	var list struct{ Data []json.RawMessage }
	p.send(t, request{As: store.Keys["all"], Path: base + "/webhooks"}).want(t, http.StatusOK, "").decode(t, &list)
	if len(list.Data) > 0 {
		t.Errorf("%s", list.Data)
	}
}

var hostileAddresses = []string{
	"http://hooks.example.com/", "ftp://hooks.example.com/", "//hooks.example.com/",
	"https:hooks.example.com", "https://", "",
	"https://127.0.0.1/", "https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://100.64.0.1/",
	"https://169.254.169.254/latest/meta-data/",
	"https://0.0.0.0/", "https://0/", "https://255.255.255.255/", "https://224.0.0.1/", "https://198.18.0.1/",
	"https://2130706433/", "https://3232235777:8080/", "https://017700000001/", "https://0177.0.0.1/",
	"https://0x7f000001/", "https://0x7f.0.0.1/", "https://127.1/", "https://127.0.1/",
	"https://127.0.0.1./", "https://8.8.8.08/", "https://134744072/", "https://%31%32%37.0.0.1/",
	"https://\uff11\uff12\uff17.0.0.1/",
	"https://[::1]/", "https://[::]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/",
	"https://[::127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[64:ff9b::169.254.169.254]/",
	"https://[64:ff9b:1::7f00:1]/", "https://[2002:7f00:1::]/", "https://[2002:a9fe:a9fe::1]/",
	"https://[2001:0:7f00:1::]/", "https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fc00::1]/",
	"https://[fd00:ec2::254]/", "https://[ff02::1]/", "https://[2001:db8::1]/", "https://::1/",
	"https://localhost/", "https://LOCALHOST:443/", "https://localhost./", "https://a.localhost/", "https://db/",
	"https://metadata.google.internal/", "https://Printer.LOCAL/", "https://shop.internal./",
	"https://user@hooks.example.com/", "https://user:password@hooks.example.com/",
	"https://hooks.example.com@127.0.0.1/", "https://hooks.example.com\\@127.0.0.1/",
	"https://hooks.example.com/#part", "https://hooks.example.com/#",
	"https://hooks.example.com/ a", " https://hooks.example.com/", "https://hooks.example.com/\n",
	"https://hooks.example.com:0/", "https://hooks.example.com:99999/",
	"https://hooks.example.com/" + strings.Repeat("a", 2048-len("https://hooks.example.com/")+1),
}

// What is allowed at registration is checked again at every dial: an operator who withdraws the
// permission stops the deliveries, and they say why.
func TestWebhookRefusedAtDial(t *testing.T) {
	storetest.Sequential(t)
	t.Parallel()
	s := settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}}
	p := start(t, s.plus("--allow-loopback-webhooks", "--no-dispatch"))
	c, sink := hire(t, 0, p), receiving(t)
	b := sink.open("/in", nil)
	p.register(t, c.store.Keys["all"], b, "product.created")
	c.chapter(t, 0)
	p.stop(t)
	p = start(t, s)
	a := p.awaitAttempt(t, c.store.StaffToken, b.id)
	if a.Outcome != "address_refused" || a.Detail == nil || a.Status != nil {
		t.Errorf("%+v", a)
	}
	if n := len(b.all()); n > 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// tried is an attempt in the delivery log.
type tried struct {
	Outcome string
	Status  *int
	Detail  *string
}

// awaitAttempt waits for the first attempt to an endpoint.
func (p *program) awaitAttempt(t *testing.T, token, endpoint string) tried {
	t.Helper()
	limit := time.After(patience)
	for {
		var data struct {
			WebhookEndpoint struct {
				Deliveries struct {
					Nodes []struct{ Attempts []tried }
				}
			}
		}
		p.graphql(t, token, `query($id:ID!){webhookEndpoint(id:$id){deliveries(first:1){nodes{attempts{outcome `+
			`status detail}}}}}`,
			map[string]any{"id": endpoint}, &data)
		if nodes := data.WebhookEndpoint.Deliveries.Nodes; len(nodes) > 0 && len(nodes[0].Attempts) > 0 {
			return nodes[0].Attempts[0]
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-limit:
			t.Fatal("no attempt is made")
		}
	}
}
