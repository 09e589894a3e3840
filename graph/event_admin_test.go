package graph_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// onKey returns arguments for an API key of the shop.
func onKey(w *caller) string {
	return fmt.Sprintf("id: %q", w.NewKey(w.t, w.Ctx, scope.OrdersRead).APIKey.PublicID())
}

// onApp returns arguments for an app of the shop, disabled or not.
func onApp(disabled bool, more ...string) func(*caller) string {
	return func(w *caller) string {
		a := w.NewApp(w.t, scope.ProductsRead)
		if disabled {
			a = with(w, func(ctx context.Context, m graph.Mutation) (*model.AppPayload, error) {
				return m.AppDisable(ctx, a.PublicID(), a.Version)
			}).App
		}
		return at(a.PublicID(), a.Version, more...)
	}
}

// onGrants returns arguments for an app with two grants and an endpoint that subscribes to grant
// events, or for the last of the grants.
func onGrants(how string, name string) func(*caller) string {
	return func(w *caller) string {
		a := w.NewApp(w.t, scope.WebhooksWrite)
		app, _ := w.AsApp(w.t, a, scope.WebhooksWrite)
		w.NewEndpoint(w.t, app, "app.grant_revoked")
		last := w.AddGrants(w.t, a, 1, nil)[0]
		switch how {
		case "dead":
			with(w, func(ctx context.Context, m graph.Mutation) (*model.InstalledAppRevokePayload, error) {
				return m.InstalledAppRevoke(ctx, a.PublicID())
			})
		case "run out":
			a = w.NewApp(w.t, scope.ProductsRead)
			last = w.AddGrants(w.t, a, 1, graphtest.EndedGrants["expired"])[0]
		}
		if name == "appId" {
			return fmt.Sprintf("appId: %q", a.PublicID())
		}
		return fmt.Sprintf("id: %q", last.PublicID())
	}
}

// onEndpoint returns arguments for an endpoint after a change.
func onEndpoint(
	change func(*caller, *model.WebhookEndpoint) (*model.WebhookEndpointPayload, error), more ...string,
) func(*caller) string {
	return func(w *caller) string {
		e := w.endpoint()
		if change != nil {
			e = graphtest.Must[*model.WebhookEndpointPayload](w.t)(change(w, e)).WebhookEndpoint
		}
		return at(e.PublicID(), e.Version, more...)
	}
}

// endpoint creates an endpoint for all events in the tables.
func (w *caller) endpoint() *model.WebhookEndpoint {
	w.t.Helper()
	in := model.WebhookEndpointCreateInput{URL: w.receiver,
		Events: []string{"webhook_endpoint.suspended", "order.paid"}}
	return graphtest.Must[*model.WebhookEndpointPayload](w.t)(w.Mutation().WebhookEndpointCreate(w.Ctx,
		in)).WebhookEndpoint
}

func disabledEndpoint(w *caller, e *model.WebhookEndpoint) (*model.WebhookEndpointPayload, error) {
	return w.Mutation().WebhookEndpointDisable(w.Ctx, e.PublicID(), e.Version)
}

func pausedEndpoint(w *caller, e *model.WebhookEndpoint) (*model.WebhookEndpointPayload, error) {
	return w.Mutation().WebhookEndpointPause(w.Ctx, e.PublicID(), e.Version, micros.Now().Add(time.Hour))
}

// untilIn returns the argument for a pause of a duration.
func untilIn(d time.Duration) string { return fmt.Sprintf("until: %q", micros.Now().Add(d)) }

func rotatedEndpoint(w *caller, e *model.WebhookEndpoint) (*model.WebhookEndpointPayload, error) {
	return w.Mutation().WebhookEndpointRotateSecret(w.Ctx, e.PublicID(), e.Version)
}

// onDelivery returns arguments for a delivery with a fate.
func onDelivery(f graphtest.DeliveryFate) func(*caller) string {
	return func(w *caller) string { return fmt.Sprintf("id: %q", w.AddDeliveries(w.t, w.endpoint(), f)[0]) }
}

// onSentEvent returns arguments for an event that an endpoint subscribes to.
func onSentEvent(w *caller) string {
	e := w.endpoint()
	d := graphtest.Must[*model.WebhookDelivery](w.t)(w.Query().WebhookDelivery(w.Ctx, w.AddDeliveries(w.t, e,
		"delivered")[0]))
	return fmt.Sprintf("id: %q, endpointId: %q", d.EventID(), e.PublicID())
}

// onMember returns arguments for a member of the shop.
func onMember(versioned bool, more string) func(*caller) string {
	return func(w *caller) string {
		s, _ := w.Member(w.t, viewer.Support)
		if versioned {
			return at(s.PublicID(), s.Version, more)
		}
		return fmt.Sprintf("id: %q", s.PublicID())
	}
}

// onInvitation returns arguments for a pending invitation.
func onInvitation(w *caller) string {
	made := graphtest.Must[*model.InvitationPayload](w.t)(w.Mutation().StaffInvite(w.Ctx,
		model.StaffInviteInput{Email: xid.New().String() + "@example.com", Role: viewer.Support}))
	return fmt.Sprintf("id: %q", made.Invitation.PublicID())
}

// execute runs a statement that no operation runs.
func (w *caller) execute(query string, args ...any) {
	w.t.Helper()
	err := w.Store.Admin(w.t.Context(), func(c *sql.Conn) error {
		_, err := c.ExecContext(w.t.Context(), query, args...)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// emailText is the input of an email to shoppers.
const emailText = `input: {email: PLACED, language: DE, subject: "{{ order.number }}", intro: "Hallo", closing: ""}`

// adminEffects covers the mutations of a store's administration. Only the end of a grant emits an
// event. Endpoints are suspended by the dispatcher, not by people.
var adminEffects = []effect{
	{field: "storeCreate", name: "another one", args: fixedArgs(`input: {name: "Second", currency: "EUR"}`)},
	{field: "storeUpdate", name: "its name", args: func(w *caller) string {
		s := graphtest.Must[*model.Store](w.t)(w.Query().Store(w.Ctx))
		return fmt.Sprintf(`input: {expectedVersion: %d, name: "Corner"}`, s.Version)
	}},
	{field: "storeSetLegacy", name: "on", args: func(w *caller) string {
		s := graphtest.Must[*model.Store](w.t)(w.Query().Store(w.Ctx))
		return fmt.Sprintf("expectedVersion: %d, legacy: true", s.Version)
	}},
	{field: "storeRequireSecondFactor", name: "an owner who has none", refused: "second_factor_needed",
		args: func(w *caller) string {
			s := graphtest.Must[*model.Store](w.t)(w.Query().Store(w.Ctx))
			return fmt.Sprintf("expectedVersion: %d, required: true", s.Version)
		}},
	{field: "storeRequireSecondFactor", name: "an owner who has one", args: func(w *caller) string {
		s := graphtest.Must[*model.Store](w.t)(w.Query().Store(w.Ctx))
		graphtest.AddFactor(w.t, w.Resolver, w.Owner.ID)
		return fmt.Sprintf("expectedVersion: %d, required: true", s.Version)
	}},
	{field: "storeSetRefundProof", name: "a sum", args: func(w *caller) string {
		s := graphtest.Must[*model.Store](w.t)(w.Query().Store(w.Ctx))
		return fmt.Sprintf("expectedVersion: %d, aboveMinor: 10000", s.Version)
	}},
	{field: "storeSetRefundProof", name: "less than nothing", refused: "out_of_range", args: func(w *caller) string {
		s := graphtest.Must[*model.Store](w.t)(w.Query().Store(w.Ctx))
		return fmt.Sprintf("expectedVersion: %d, aboveMinor: -1", s.Version)
	}},
	{field: "storefrontUpdate", name: "no logo", args: func(w *caller) string {
		s := graphtest.Must[*model.Store](w.t)(w.Query().Store(w.Ctx))
		return fmt.Sprintf(`input: {expectedVersion: %d, logoId: null}`, s.Version)
	}},
	{field: "storefrontUpdate", name: "an unknown logo", args: func(w *caller) string {
		s := graphtest.Must[*model.Store](w.t)(w.Query().Store(w.Ctx))
		return fmt.Sprintf(`input: {expectedVersion: %d, logoId: %q}`, s.Version, xid.ProductImage.Format(xid.New()))
	}, refused: "unknown_value"},
	{field: "storeClose", name: "another one", args: func(w *caller) string {
		beside := w.Other(w.t)
		w.token = w.tokenOf(beside)
		return fmt.Sprintf("expectedVersion: %d", beside.Model.Version)
	}},

	{field: "storeReopen", name: "a closed one", args: func(w *caller) string {
		beside := w.Other(w.t)
		owner := beside.As(beside.Owner.ID, viewer.Owner)
		closed := graphtest.Must[*model.StorePayload](w.t)(beside.Mutation().StoreClose(owner, beside.Model.Version))
		v := *viewer.From(owner) // tokens of a closed store do not work
		v.Session, v.ProvedAt = graphtest.AddSession(w.t, w.Resolver, beside.Owner.ID), micros.Now()
		w.browser, w.token = &v, ""
		return fmt.Sprintf("expectedVersion: %d", closed.Store.Version)
	}},
	{field: "storeReopen", name: "one that is open", refused: "invalid_transition", args: func(w *caller) string {
		s := graphtest.Must[*model.Store](w.t)(w.Query().Store(w.Ctx))
		return fmt.Sprintf("expectedVersion: %d", s.Version)
	}},

	{field: "staffInvite", name: "somebody", args: fixedArgs(`input: {email: "sam@example.com", role: SUPPORT}`)},
	{field: "invitationResend", name: "somebody", args: onInvitation},
	{field: "invitationWithdraw", name: "somebody", args: onInvitation},
	{field: "storeLeave", name: "one of two owners", args: func(w *caller) string {
		beside := w.Other(w.t)
		beside.Member(w.t, viewer.Owner)
		w.token = w.tokenOf(beside)
		return ""
	}},
	{field: "storeLeave", name: "the last owner", args: fixedArgs(""), refused: "last_owner"},
	{field: "addressVerify", name: "their own", args: fixedArgs("")},
	{field: "addressChange", name: "by a token", args: fixedArgs(`email: "x@example.com"`), refused: "forbidden"},
	{field: "addressChange", name: "another one", args: inBrowser(func(*caller, factor.By) string {
		return `email: "x@example.com"`
	})},
	{field: "staffUpdateRole", name: "promoted", args: onMember(true, "role: ADMIN")},
	{field: "staffSetOrderEmails", name: "off", args: fixedArgs("enabled: false")},
	{field: "staffSetAlerts", name: "payments",
		args: fixedArgs("alerts: [{topic: PAYMENT, notice: true, email: DAILY}]")},
	{field: "savedViewsSave", name: "one",
		args: fixedArgs(`views: [{list: "orders", name: "Open", query: "status=OPEN"}]`)},
	{field: "savedViewDelete", name: "an unknown one", args: fixedArgs(`list: "orders", name: "Open"`)},
	{field: "orderEmailTextSet", name: "the first time", args: fixedArgs("expectedVersion: 0, " + emailText)},
	{field: "orderEmailTextSet", name: "another version", args: fixedArgs("expectedVersion: 7, " + emailText),
		refused: "version_mismatch"},
	{field: "orderEmailTextSet", name: "an unknown variable", args: fixedArgs("expectedVersion: 0, " +
		strings.Replace(emailText, "order.number", "order.no", 1)), refused: "unknown_value"},
	{field: "orderEmailTextReset", name: "no own ones",
		args: fixedArgs("expectedVersion: 0, email: PAID, language: DE")},
	{field: "orderEmailTextReset", name: "another version",
		args: fixedArgs("expectedVersion: 1, email: PAID, language: DE"), refused: "version_mismatch"},
	{field: "orderEmailPreview", name: "with a test", args: func(w *caller) string {
		w.execute("UPDATE users SET verified_at = 1 WHERE id = ?", w.Owner.ID[:])
		return "send: true, " + emailText
	}},
	{field: "orderEmailResend", name: "of the storefront", args: func(w *caller) string {
		o := graphtest.Must[*model.OrderPayload](w.t)(w.Mutation().OrderCreate(w.Ctx, model.OrderCreateInput{
			Email: new("ada@example.com"), Source: "storefront",
			Lines: []*model.OrderLineInput{graphtest.CustomLine("Tea", 1, 100)}})).Order
		w.execute("UPDATE orders SET cart_id = ? WHERE id = ?", o.ID[:], o.ID[:])
		return fmt.Sprintf("id: %q, email: PLACED", o.PublicID())
	}},
	{field: "orderDownloadsReset", name: "an order", args: func(w *caller) string {
		o := graphtest.NewOrder(w.t, w.Ctx, w.Resolver, graphtest.CustomLine("Tea", 1, 100))
		return fmt.Sprintf("orderId: %q", o.PublicID())
	}},
	{field: "orderEmailResend", name: "of another source", args: func(w *caller) string {
		o := graphtest.NewOrder(w.t, w.Ctx, w.Resolver, graphtest.CustomLine("Tea", 1, 100))
		return fmt.Sprintf("id: %q, email: PLACED", o.PublicID())
	}, refused: "invalid_transition"},
	{field: "staffRemove", name: "somebody", args: onMember(false, "")},
	{field: "staffRemove", name: "with a grant", events: "app.grant_revoked", args: func(w *caller) string {
		given := strings.TrimPrefix(onGrants("", "id")(w), "id: ")
		return onMember(false, "")(w) + ", revoke: [" + given + "]"
	}},
	{field: "staffTokenCreate", name: "their own", args: fixedArgs(`name: "Laptop"`)},
	{field: "staffTokenRevoke", name: "their own", args: func(w *caller) string {
		made := graphtest.Must[*model.StaffTokenPayload](w.t)(
			w.Mutation().StaffTokenCreate(w.As(w.Owner.ID, viewer.Owner), "Old", nil, false))
		return fmt.Sprintf("id: %q", made.StaffToken.PublicID())
	}},

	{field: "apiKeyCreate", name: "a key", args: fixedArgs(`input: {name: "Sync", scopes: ["orders.read"]}`)},
	{field: "apiKeyCreate", name: "unlimited refunds without refunds", refused: "required",
		args: fixedArgs(`input: {name: "Sync", scopes: ["orders.read"], unlimitedRefunds: true}`)},
	{field: "apiKeyRotate", name: "a key", args: onKey},
	{field: "apiKeyAllow", name: "a key", args: func(w *caller) string {
		return onKey(w) + `, allowedNetworks: ["192.0.2.0/24"]`
	}},
	{field: "apiKeyRevoke", name: "a key", args: onKey},

	{field: "appCreate", name: "an app",
		args: fixedArgs(`input: {name: "Sync", redirectUris: ["https://sync.example/cb"], scopes: ["orders.read"]}`)},
	{field: "appUpdate", name: "its name", args: onApp(false, `input: {name: "Sync 2"}`)},
	{field: "appDisable", name: "with its grants", args: func(w *caller) string {
		a := w.NewApp(w.t, scope.ProductsRead)
		w.AddGrants(w.t, a, 1, nil)
		return at(a.PublicID(), a.Version)
	}},
	{field: "appEnable", name: "an app", args: onApp(true)},
	{field: "appSetLegacy", name: "on", args: onApp(false, "legacy: true")},

	{field: "grantRevoke", name: "one of two", args: onGrants("", "id"), events: "app.grant_revoked"},
	{field: "grantRevoke", name: "again", args: onGrants("dead", "id"), refused: "already_revoked"},
	{field: "installedAppRevoke", name: "two grants", args: onGrants("", "appId"),
		events: "app.grant_revoked; app.grant_revoked"},
	{field: "installedAppRevoke", name: "again", args: onGrants("dead", "appId"), refused: "already_revoked"},
	{field: "installedAppRevoke", name: "a grant that ran out", args: onGrants("run out", "appId"),
		refused: "already_revoked"},

	{field: "webhookEndpointCreate", name: "an endpoint",
		args: fixedArgs(`input: {url: "https://hooks.example.com/in", events: ["order.paid"]}`)},
	{field: "webhookEndpointUpdate", name: "its description", args: onEndpoint(nil, `input: {description: "ERP"}`)},
	{field: "webhookEndpointDisable", name: "an endpoint", args: onEndpoint(nil)},
	{field: "webhookEndpointReactivate", name: "a disabled one", args: onEndpoint(disabledEndpoint)},
	{field: "webhookEndpointRotateSecret", name: "its secret", args: onEndpoint(nil)},
	{field: "webhookEndpointPromoteSecret", name: "the second one", args: onEndpoint(rotatedEndpoint)},
	{field: "webhookEndpointUpdate", name: "rate, headers and filters", args: onEndpoint(nil, `input: {rateLimit: 5,
		headers: [{name: "Authorization", value: "Bearer 1"}], filters: [{field: "object.status", in: ["open"]}]}`)},
	{field: "webhookEndpointUpdate", name: "one of our headers", refused: "invalid_format",
		args: onEndpoint(nil, `input: {headers: [{name: "Webhook-Id", value: "1"}]}`)},
	{field: "webhookEndpointPause", name: "for an hour", args: onEndpoint(nil, untilIn(time.Hour))},
	{field: "webhookEndpointPause", name: "for a month", refused: "out_of_range",
		args: onEndpoint(nil, untilIn(30*24*time.Hour))},
	{field: "webhookEndpointUnpause", name: "a paused one", args: onEndpoint(pausedEndpoint)},
	{field: "webhookEndpointUnpause", name: "one that is not", refused: "invalid_transition", args: onEndpoint(nil)},
	{field: "webhookEndpointDelete", name: "with a queue", args: func(w *caller) string {
		e := w.endpoint()
		w.AddDeliveries(w.t, e, graphtest.DeliveryWaiting, "delivered")
		return fmt.Sprintf("id: %q", e.PublicID())
	}},
	{field: "webhookEndpointTest", name: "a ping",
		args: func(w *caller) string { return fmt.Sprintf("id: %q", w.endpoint().PublicID()) }},
	{field: "webhookEventReplay", args: onSentEvent},
	{field: "webhookEndpointReplay", name: "the last hour", args: func(w *caller) string {
		e, now := w.endpoint(), micros.Now()
		w.order("mark_paid")
		return fmt.Sprintf("id: %q, from: %q, to: %q", e.PublicID(), now.Add(-time.Hour), micros.Now())
	}},
	{field: "webhookDeliveryRetry", name: "one that waits", args: onDelivery(graphtest.DeliveryWaiting)},
	{field: "webhookDeliveryRetry", name: "one that has ended", args: onDelivery("delivered")},
	{field: "webhookDeliveriesRetry", name: "what has ended", args: func(w *caller) string {
		e := w.endpoint()
		w.AddDeliveries(w.t, e, "delivered", "cancelled")
		return fmt.Sprintf("endpointId: %q, filter: {states: [DELIVERED]}", e.PublicID())
	}},
	{field: "webhookDeliveriesRetry", name: "what waits", args: func(w *caller) string {
		e := w.endpoint()
		w.AddDeliveries(w.t, e, graphtest.DeliveryWaiting)
		return fmt.Sprintf("endpointId: %q, filter: {states: [WAITING]}", e.PublicID())
	}},
	{field: "webhookDeliveriesRetry", name: "what is held", refused: "unknown_value", args: func(w *caller) string {
		return fmt.Sprintf("endpointId: %q, filter: {states: [HELD]}", w.endpoint().PublicID())
	}},
	{field: "webhookDeliverySkip", name: "one that waits", args: onDelivery(graphtest.DeliveryWaiting)},

	{field: "notificationMarkRead", name: "a notice", args: func(w *caller) string {
		w.AddNotices(w.t, 1)
		list := graphtest.Must[*model.NotificationConnection](w.t)(w.Query().Notifications(w.Ctx, nil, nil))
		return fmt.Sprintf("id: %q", list.Nodes[0].PublicID())
	}},
	{field: "notificationsMarkAllRead", name: "two", args: func(w *caller) string { w.AddNotices(w.t, 2); return "" }},
	{field: "passwordChange", name: "their own", args: func(w *caller) string {
		who, _ := w.Member(w.t, viewer.Support)
		secret, _, err := w.ResetPassword(w.Ctx, who.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		w.token = *graphtest.Must[*model.StaffTokenPayload](w.t)(w.NewStaffToken(w.Ctx, who.ID, "Laptop", nil,
			false)).Token
		return fmt.Sprintf("current: %q, next: %q", secret, "a long new password")
	}},
	{field: "sessionEnd", name: "their own", args: func(w *caller) string {
		who, _ := w.Member(w.t, viewer.Support)
		secret, _, err := w.ResetPassword(w.Ctx, who.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		w.token = *graphtest.Must[*model.StaffTokenPayload](w.t)(w.NewStaffToken(w.Ctx, who.ID, "Laptop", nil,
			false)).Token
		signed, err := w.Sessions.SignIn(w.Ctx, session.Attempt{Email: who.Email, Password: secret})
		if err != nil {
			w.t.Fatal(err)
		}
		rows := graphtest.Must[[]*db.Session](w.t)(w.Sessions.List(w.Ctx, signed.User))
		return fmt.Sprintf("id: %q", session.PublicID(rows[0].ID))
	}},
	{field: "signOutEverywhere", name: "their own", args: fixedArgs("")},
}
