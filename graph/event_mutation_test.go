package graph_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/transport"
)

// effect is one case of a mutation with the events of one call.
type effect struct {
	field, name string
	// args prepares the case and returns the arguments of the call.
	args func(*caller) string
	// events are the expected events in the form of [storetest.Log.Since].
	events string
	// refused is the code of the user error, "" for a successful call.
	refused string
}

// effects covers every mutation of the schema with all events that it may emit.
var effects = slices.Concat(orderEffects, catalogEffects, adminEffects, themeEffects, exportEffects, factorEffects,
	contentEffects, sellingEffects, imageEffects, testStoreEffects)

// caller calls the GraphQL endpoint as the owner of a shop.
type caller struct {
	*graphtest.Shop
	t     testing.TB
	api   *graphtest.Endpoint
	token string // of the caller; "" for a browser session
	// browser is the viewer of calls without a token.
	browser *viewer.Viewer
	// receiver is the URL of a webhook receiver that accepts everything.
	receiver string
}

// newCaller serves a new shop over HTTP.
func newCaller(t testing.TB, s *ent.Store) *caller {
	t.Helper()
	ring := graphtest.Must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
	core := graphtest.NewCore(t, s)
	core.Notifier = graphtest.Must[*notify.Notifier](t)(notify.New(core.APIHost))
	core.Webhooks = graphtest.Must[*webhook.Engine](t)(webhook.New(webhook.Config{Store: s,
		Vault: webhook.NewVault(ring), Egress: egress.Policy{AllowLoopback: true}}))
	core.Use(core.Engines)
	w := &caller{t: t}
	handler := graphtest.Must[http.Handler](t)(transport.New(transport.Config{Core: core, Idem: idem.New(s, ring),
		ResourceMetadata: "https://api.example/x", Origins: http.NewCrossOriginProtection(),
		Session: func(*http.Request) (*viewer.Viewer, error) { return w.browser, nil }}))
	api, receiver := httptest.NewServer(handler),
		httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(api.Close)
	t.Cleanup(receiver.Close)
	w.Shop, w.receiver = graphtest.NewShop(t, core), receiver.URL
	w.api = &graphtest.Endpoint{T: t, URL: api.URL, Store: s, Core: core}
	w.token = w.tokenOf(w.Shop)
	return w
}

// tokenOf creates a token of the shop's owner.
func (w *caller) tokenOf(p *graphtest.Shop) string {
	w.t.Helper()
	made := graphtest.Must[*model.StaffTokenPayload](w.t)(p.Mutation().StaffTokenCreate(p.As(p.Owner.ID, viewer.Owner),
		"Test token", nil, true))
	return *made.Token
}

// call calls a mutation over HTTP and returns the code of its first user error.
func (w *caller) call(field, args string) string {
	w.t.Helper()
	if args != "" {
		args = "(" + args + ")"
	}
	a := w.api.Query(w.token, "mutation { "+field+args+" { userErrors { code message } } }", nil).Ok()
	refusals, _ := a.At(field, "userErrors").([]any)
	if len(refusals) == 0 {
		return ""
	}
	first, _ := refusals[0].(map[string]any)
	return fmt.Sprint(first["code"])
}

// at returns the arguments that identify a versioned resource, followed by more.
func at(id string, version int64, more ...string) string {
	return strings.Join(append([]string{fmt.Sprintf("id: %q, expectedVersion: %d", id, version)}, more...), ", ")
}

// fixedArgs returns arguments without preparation.
func fixedArgs(args string) func(*caller) string { return func(*caller) string { return args } }

// TestMutationEvents calls each mutation over HTTP and checks the event log and the outbox of all
// stores.
func TestMutationEvents(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w, log, actions := newCaller(t, s), new(storetest.Log), newAuditLog(t, s)
		token := w.token
		for _, tc := range effects {
			t.Run(tc.field+"/"+tc.name, func(t *testing.T) {
				w.t, w.api.T, w.token = t, t, token
				w.Ctx = viewer.Operator(t.Context(), w.Shop.Model.ID)
				args := tc.args(w)
				log.Mark(t, s)
				actions.fresh(t)
				if tc.refused == "" && slices.Contains(sensitive, tc.field) {
					w.refusesUnproved(tc.field, args)
				}
				if got := w.call(tc.field, args); got != tc.refused {
					t.Errorf("refused as %q, want %q", got, tc.refused)
				}
				actions.check(t, tc.field, tc.refused != "")
				got := log.Since(t, s)
				if got != tc.events {
					t.Errorf("emitted %q, want %q", got, tc.events)
				}
				for about := range strings.SplitSeq(got, "; ") {
					if types := strings.Fields(about); len(
						types) != len(slices.Compact(slices.Sorted(slices.Values(types)))) {
						t.Errorf("duplicate event: %s", about)
					}
				}
			})
		}
		actions.complete(t)
	})
}

// Every mutation of the schema has a case that succeeds, and no other field has one.
func TestEveryMutationHasItsEvents(t *testing.T) {
	source := graphtest.Must[[]byte](t)(os.ReadFile("../schema.graphqls"))
	doc, err := parser.ParseSchema(&ast.Source{Name: "schema.graphqls", Input: string(source)})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, d := range slices.Concat(doc.Definitions, doc.Extensions) {
		if d.Name != "Mutation" {
			continue
		}
		for _, f := range d.Fields {
			known[f.Name] = true
			if !slices.ContainsFunc(effects, func(e effect) bool { return e.field == f.Name && e.refused == "" }) {
				t.Errorf("%s has no case: add its events, or that it has none", f.Name)
			}
		}
	}
	for _, e := range effects {
		if !known[e.field] {
			t.Errorf("the schema has no mutation %s", e.field)
		}
		if e.refused != "" && e.events != "" {
			t.Errorf("%s, %s: a refused call must emit nothing", e.field, e.name)
		}
	}
}

// triggers holds the mutations that emit each event.
var triggers = map[event.Type]string{
	event.OrderCreated:            "orderCreate orderReturnExchange testStoreFill",
	event.OrderUpdated:            "customerRedact orderEditLines orderFulfillmentUpdate orderRequestPayment orderUpdate",
	event.OrderPaid:               "orderCreate orderEditLines orderMarkPaid orderRecordPayment orderReturnExchange testStoreFill",
	event.OrderPartiallyPaid:      "orderRecordPayment orderReturnExchange",
	event.OrderRefunded:           "orderCancel orderRefund orderReturnExchange orderReturnRefund",
	event.OrderFulfilled:          "orderFulfill orderRefund testStoreFill",
	event.OrderPartiallyFulfilled: "orderFulfill",
	event.OrderCancelled:          "orderCancel testStoreFill",
	event.OrderCompleted:          "orderComplete testStoreFill",
	event.OrderNoteAdded:          "orderCancel orderNoteAppend",
	event.OrderReturnRequested:    "orderReturnCreate",
	event.OrderReturnUpdated: "orderReturnApprove orderReturnDecline orderReturnExchange orderReturnReceive " +
		"orderReturnRefund",

	event.ProductCreated: "productCreate productUpsert testStoreFill",
	event.ProductUpdated: "productArchive productImageAdd productImageChange productImageDelete productImageUse " +
		"productImagesOrder productPublish productRestore productSaleSet productUnpublish productUpdate productUpsert " +
		"productVariantImageSet productVariantUpdate productVariantsSet testStoreFill",
	event.ProductPublished:   "productPublish testStoreFill",
	event.ProductUnpublished: "productUnpublish",
	event.ProductArchived:    "productArchive",
	event.ProductDeleted:     "productDelete testStoreReset",

	event.InventoryChanged: "", // a loop writes it

	event.CustomerCreated:  "customerCreate testStoreFill",
	event.CustomerUpdated:  "customerDisable customerEnable customerUpdate",
	event.CustomerRedacted: "customerRedact",

	event.WebhookEndpointSuspended: "",
	event.WebhookEndpointFailing:   "",
	event.WebhookEndpointRecovered: "",
	event.AppGrantRevoked:          "grantRevoke installedAppRevoke staffRemove",

	event.ExportCompleted: "",
	event.ExportFailed:    "",

	event.ThemeActivated: "themeActivate",
	event.ThemeInstalled: "themeDuplicate themeInstall themeUpdate",
}

// elsewhere holds the tests of events that are also emitted outside of mutations: by the dispatcher
// that disables an endpoint, or by an app that ends its grant or presents a credential twice.
var elsewhere = map[event.Type]string{
	event.InventoryChanged:         "domain/catalog/inventory_event_test.go",
	event.WebhookEndpointSuspended: "engine/webhook/event_test.go",
	event.WebhookEndpointFailing:   "engine/webhook/event_test.go",
	event.WebhookEndpointRecovered: "engine/webhook/event_test.go",
	event.AppGrantRevoked:          "engine/oauth/event_test.go",
	event.ExportCompleted:          "engine/export/event_test.go",
	event.ExportFailed:             "engine/export/event_test.go",
	event.ThemeInstalled:           "engine/install/round_test.go",
}

// The description of each event names everything that emits it.
func TestEveryEventHasItsTrigger(t *testing.T) {
	sentences := map[string]bool{}
	for _, e := range event.All() {
		made := map[string]bool{}
		for _, c := range effects {
			if slices.Contains(strings.Fields(strings.ReplaceAll(c.events, ";", "")), string(e.Type)) {
				made[c.field] = true
			}
		}
		want, ok := triggers[e.Type]
		if got := strings.Join(sortedKeys(made), " "); !ok || got != want {
			t.Errorf("%s is emitted by %q, want %q", e.Type, got, want)
		}
		place, ok := elsewhere[e.Type]
		if !ok && want == "" {
			t.Errorf("nothing emits %s", e.Type)
		}
		if ok && !strings.Contains(string(graphtest.Must[[]byte](t)(os.ReadFile(place))), string(e.Type)) {
			t.Errorf("%s does not name %s", place, e.Type)
		}
		if !strings.HasSuffix(e.Trigger, ".") || sentences[e.Trigger] {
			t.Errorf("%s has no unique description: %q", e.Type, e.Trigger)
		}
		sentences[e.Trigger] = true
	}
}

func sortedKeys(set map[string]bool) []string {
	keys := []string{}
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// with makes a call that must succeed, to prepare a case.
func with[T any](w *caller, call func(ctx context.Context, m graph.Mutation) (T, error)) T {
	w.t.Helper()
	return graphtest.Must[T](w.t)(call(w.Ctx, w.Mutation()))
}
