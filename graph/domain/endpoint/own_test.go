package endpoint_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// headerInputs returns the headers of an input from alternating names and values; "-" is no value.
func headerInputs(pairs ...string) (list []*model.WebhookHeaderInput) {
	for i := 0; i < len(pairs); i += 2 {
		h := &model.WebhookHeaderInput{Name: pairs[i]}
		if pairs[i+1] != "-" {
			h.Value = new(pairs[i+1])
		}
		list = append(list, h)
	}
	return list
}

// headersOf decrypts the stored headers.
func headersOf(p *graphtest.Shop, t testing.TB, e *model.WebhookEndpoint) (pairs []string) {
	t.Helper()
	list := graphtest.Must[[][2]string](t)(p.Webhooks.Vault.OpenHeaders(e.ID, rowOf(p, t, e.ID).Headers))
	for _, h := range list {
		pairs = append(pairs, h[0], h[1])
	}
	return pairs
}

// The optional settings of an endpoint are stored, shown and changed. The values of headers are
// encrypted and never shown.
func TestWebhookEndpointSettings(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		in := graphtest.Receiver("order.paid")
		in.RateLimit, in.Headers = new(int64(5)), headerInputs("Authorization", "Bearer a-long-secret-token",
			"X-Shop", "7")
		in.Filters = []*filter.Condition{{Field: "object.status", In: []string{"open"}}}
		e := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.Ctx,
			in)).WebhookEndpoint
		fields := endpoint.Fields{Resolver: resolver(p)}
		shown := graphtest.Must[[]*model.WebhookHeader](t)(fields.Headers(p.Ctx, e))
		want := []*model.WebhookHeader{{Name: "Authorization", ValueHint: new("oken")}, {Name: "X-Shop"}}
		if d := cmp.Diff(want, shown); d != "" {
			t.Error(d)
		}
		filters := graphtest.Must[[]*filter.Condition](t)(e.Filters())
		if d := cmp.Diff(in.Filters, filters); d != "" || *e.RateLimit != 5 {
			t.Error(d, *e.RateLimit)
		}
		if sealed := string(rowOf(p, t, e.ID).Headers); strings.Contains(sealed, "secret") {
			t.Errorf("stored as %q", sealed)
		}
		change := func(version int64, in model.WebhookEndpointUpdateInput) *model.WebhookEndpoint {
			t.Helper()
			return graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUpdate(p.Ctx,
				e.PublicID(), version, in)).WebhookEndpoint
		}
		now := change(1, model.WebhookEndpointUpdateInput{URL: model.Some("https://hooks.example.com/there"),
			Headers: model.Given(headerInputs("authorization", "-", "X-New", "n"))})
		if d := cmp.Diff([]string{"authorization", "Bearer a-long-secret-token", "X-New", "n"},
			headersOf(p, t, now)); d != "" || now.Version != 2 {
			t.Error(d)
		}
		if same := change(2, model.WebhookEndpointUpdateInput{Headers: model.Given(headerInputs("authorization", "-",
			"X-New",
			"-")), RateLimit: model.Some(int64(5)), Filters: model.Given(in.Filters)}); same.Version != 2 {
			t.Errorf("the same again has version %d", same.Version)
		}
		now = change(2, model.WebhookEndpointUpdateInput{RateLimit: core.Given[int64](nil),
			Headers: model.Given[[]*model.WebhookHeaderInput](nil), Filters: model.Given[[]*filter.Condition](nil)})
		if now.RateLimit != nil || now.WebhookEndpoint.Headers != nil || now.WebhookEndpoint.Filters != nil {
			t.Errorf("emptied: %v", now.WebhookEndpoint)
		}
		if row := rowOf(p, t, e.ID); len(row.Headers) > 0 || row.Filters != nil || row.RateLimit != nil {
			t.Errorf("stored %v", row)
		}
	})
}

// Changing the address does not reveal headers to the new receiver.
func TestHeadersDoNotMove(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		in := graphtest.Receiver("order.paid")
		in.Headers = headerInputs("Authorization", "Bearer 1")
		e := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.Ctx,
			in)).WebhookEndpoint
		for name, tc := range map[string]struct {
			url     string
			headers []*model.WebhookHeaderInput
			want    string
		}{
			"another host": {"https://mine.example.com/in", nil, "#/headers required"},
			"another port": {"https://hooks.example.com:8443/in", nil, "#/headers required"},
			"another host, kept value": {"https://mine.example.com/", headerInputs("Authorization", "-"),
				"#/headers/0/value required"},
			"an unknown one kept": {"https://hooks.example.com/x", headerInputs("X-A", "-"),
				"#/headers/0/value required"},
		} {
			change := model.WebhookEndpointUpdateInput{URL: model.Some(tc.url)}
			if tc.headers != nil {
				change.Headers = model.Given(tc.headers)
			}
			_, err := p.Mutation().WebhookEndpointUpdate(p.Ctx, e.PublicID(), 1, change)
			if got := strings.Join(fieldsOf(err), " "); got != tc.want {
				t.Errorf("%s: %q, want %q", name, got, tc.want)
			}
		}
		move := model.WebhookEndpointUpdateInput{URL: model.Some("https://mine.example.com/"),
			Headers: model.Given(headerInputs("Authorization", "Bearer 2"))}
		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUpdate(p.Ctx, e.PublicID(), 1,
			move))
		if got := headersOf(p, t, e); got[1] != "Bearer 2" {
			t.Errorf("stored %v", got)
		}
		graphtest.Must[*model.WebhookEndpointDeletePayload](t)(p.Mutation().WebhookEndpointDelete(p.Ctx, e.PublicID()))
		if row := rowOf(p, t, e.ID); len(row.Headers) > 0 {
			t.Error("a deleted one has headers")
		}
	})
}

func TestWebhookEndpointSettingsChecks(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		for name, tc := range map[string]struct {
			headers []*model.WebhookHeaderInput
			want    string
		}{
			"ours": {headerInputs("webhook-signature", "x", "x-service-event", "x"),
				"#/headers/0/name invalid_format #/headers/1/name invalid_format"},
			"of HTTP":      {headerInputs("Transfer-encoding", "x"), "#/headers/0/name invalid_format"},
			"no token":     {headerInputs("X Y", "x"), "#/headers/0/name invalid_format"},
			"another line": {headerInputs("X-Y", "a\r\nX-Z: b"), "#/headers/0/value invalid_format"},
			"a space":      {headerInputs("X-Y", "a "), "#/headers/0/value invalid_format"},
			"an umlaut":    {headerInputs("X-Y", "ä"), "#/headers/0/value invalid_format"},
			"long":         {headerInputs("X-Y", strings.Repeat("x", 1025)), "#/headers/0/value too_long"},
			"nothing":      {headerInputs("X-Y", ""), "#/headers/0/value too_short"},
			"twice":        {headerInputs("X-Y", "a", "x-y", "b"), "#/headers/1/name taken"},
			"no value":     {headerInputs("X-Y", "-"), "#/headers/0/value required"},
			"many": {headerInputs(strings.Split(strings.Repeat("X,y,", 11), ",")[:22]...),
				"#/headers too_long"},
		} {
			in := graphtest.Receiver("order.paid")
			in.Headers = tc.headers
			_, err := p.Mutation().WebhookEndpointCreate(p.Ctx, in)
			if got := strings.Join(fieldsOf(err), " "); got != tc.want {
				t.Errorf("%s: %q, want %q", name, got, tc.want)
			}
		}
		in := graphtest.Receiver("order.paid")
		in.RateLimit, in.Filters = new(int64(1001)), []*filter.Condition{{Field: "status"}}
		_, err := p.Mutation().WebhookEndpointCreate(p.Ctx, in)
		want := []string{"#/rate_limit out_of_range", "#/filters/0/field invalid_format", "#/filters/0 invalid_format"}
		if d := cmp.Diff(want, fieldsOf(err)); d != "" {
			t.Error(d)
		}
	})
}

// A pause ends by itself or by a call, and starts a new count of failures.
func TestWebhookEndpointPause(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			return c.WebhookQueue.Update().Where(webhookqueue.ID(e.ID)).SetFailingSince(1).SetStreak(4).SetWarned(1).
				SetProbeAt(micros.Max).Exec(ctx)
		})
		if c := seen(p, t, e).Circuit(); c.State != state.CircuitOpen || c.Failures != 4 ||
			*c.NextAttemptAt != micros.Max {
			t.Errorf("circuit %+v", c)
		}
		before, until := p.Queue(t, e.ID), micros.Now().Add(time.Hour)
		now := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointPause(p.Ctx, e.PublicID(),
			1, until)).WebhookEndpoint
		q := p.Queue(t, e.ID)
		if *now.PausedUntil() != until || now.Circuit().State != state.CircuitClosed || q.ResumedAt != until ||
			q.FailingSince != nil || q.Warned != 0 || q.Epoch == before.Epoch || q.DueAt != 0 {
			t.Errorf("paused until %v: %v", now.PausedUntil(), q)
		}
		for name, at := range map[string]micros.Time{"past": micros.Now(),
			"far": micros.Now().Add(7*24*time.Hour + time.Minute)} {
			if _, err := p.Mutation().WebhookEndpointPause(p.Ctx, e.PublicID(), 2, at); len(fieldsOf(err)) != 1 {
				t.Errorf("%s: %v", name, err)
			}
		}
		now = graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUnpause(p.Ctx, e.PublicID(),
			2)).WebhookEndpoint
		if q := p.Queue(t, e.ID); now.PausedUntil() != nil || q.ResumedAt >= until ||
			rowOf(p, t, e.ID).PausedUntil != nil {
			t.Errorf("not paused any more: %v", q)
		}
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			return c.WebhookEndpoint.Update().SetPausedUntil(1).Exec(ctx)
		})
		if over := seen(p, t, e); over.PausedUntil() != nil {
			t.Errorf("a pause that is over ends at %v", over.PausedUntil())
		}
		if _, err := p.Mutation().WebhookEndpointUnpause(p.Ctx, e.PublicID(),
			3); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("not paused: %v", err)
		}
	})
}
