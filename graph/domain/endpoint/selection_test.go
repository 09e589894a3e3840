package endpoint_test

import (
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// selecting returns the input of an endpoint with a selection.
func selecting(text string, events ...string) model.WebhookEndpointCreateInput {
	in := graphtest.Receiver(events...)
	in.Payload, in.Selection = state.PayloadSelection, &text
	return in
}

func TestSelectionCreate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const orders = "{ ... on Order { id } }"
		without, full := selecting(orders, "order.paid"), selecting(orders, "order.paid")
		without.Selection, full.Payload = nil, state.PayloadFull
		for _, tc := range []struct {
			name string
			in   model.WebhookEndpointCreateInput
			want []string
		}{
			{name: "a selection", in: selecting(orders, "order.paid", "order.created")},
			{name: "several types", in: selecting("{ ... on Order { id } ... on OrderNote { body } }", "order.note_added")},
			{name: "no text", in: without, want: []string{"#/selection required"}},
			{name: "another payload", in: full, want: []string{"#/selection invalid_format"}},
			{name: "a type is missing", in: selecting(orders, "order.paid", "product.created"),
				want: []string{"#/selection required"}},
			{name: "another object of the same resource", in: selecting(orders, "order.note_added"),
				want: []string{"#/selection required"}},
			{name: "a field of another scope", in: selecting("{ ... on Order { customer { id } } }", "order.paid"),
				want: []string{"#/selection unknown_value"}},
			{name: "a text that is too long", in: selecting(orders+strings.Repeat(" ", 4096), "order.paid"),
				want: []string{"#/selection too_long"}},
			{name: "a byte that is not UTF-8", in: selecting("{ ... on Order { \xff } }", "order.paid"),
				want: []string{"#/selection invalid_format"}},
		} {
			made, err := p.Mutation().WebhookEndpointCreate(p.Ctx, tc.in)
			if d := cmp.Diff(tc.want, fieldsOf(err)); d != "" {
				t.Errorf("%s: %s, %v", tc.name, d, err)
			}
			if err != nil || tc.want != nil {
				continue
			}
			read := graphtest.Must[*model.WebhookEndpoint](t)(
				p.Query().WebhookEndpoint(p.Ctx, made.WebhookEndpoint.PublicID()))
			if read.Sends() != state.PayloadSelection || *read.Selection != *tc.in.Selection {
				t.Errorf("%s: stored %v", tc.name, read.WebhookEndpoint)
			}
		}
		// The scope of the event covers the fields, so a selection opens nothing.
		_, err := p.Mutation().WebhookEndpointCreate(graphtest.AsKey(p.Ctx, scope.WebhooksWrite),
			selecting(orders, "order.paid"))
		if graphtest.FaultOf(err) != "insufficient_scope" {
			t.Error(err)
		}
	})
}

func TestSelectionUpdate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		made := graphtest.Must[*model.WebhookEndpointPayload](t)(
			p.Mutation().WebhookEndpointCreate(p.Ctx,
				selecting("{ ... on Order { id } }", "order.paid"))).WebhookEndpoint
		id, version := made.PublicID(), made.Version
		for _, tc := range []struct {
			name  string
			in    model.WebhookEndpointUpdateInput
			wrong []string
			sends state.WebhookPayload
			has   string
		}{
			{name: "an event that it lacks", in: model.WebhookEndpointUpdateInput{
				Events: graphql.OmittableOf([]string{"order.paid", "product.created"})},
				wrong: []string{"#/selection required"}},
			{name: "no text", in: model.WebhookEndpointUpdateInput{
				Selection: graphql.OmittableOf[*string](nil)},
				wrong: []string{"#/selection required"}},
			{name: "another text", in: model.WebhookEndpointUpdateInput{
				Selection: model.Some("{ ... on Order { number } }")},
				sends: state.PayloadSelection, has: "{ ... on Order { number } }"},
			{name: "another member", in: model.WebhookEndpointUpdateInput{Description: model.Some("x")},
				sends: state.PayloadSelection, has: "{ ... on Order { number } }"},
			{name: "another payload", in: model.WebhookEndpointUpdateInput{Payload: model.Some(state.PayloadThin)},
				sends: state.PayloadThin},
			{name: "a text for that", in: model.WebhookEndpointUpdateInput{
				Selection: model.Some("{ ... on Order { id } }")}, wrong: []string{"#/selection invalid_format"}},
			{name: "a payload without a text", in: model.WebhookEndpointUpdateInput{
				Payload: model.Some(state.PayloadSelection)}, wrong: []string{"#/selection required"}},
			{name: "both", in: model.WebhookEndpointUpdateInput{Payload: model.Some(state.PayloadSelection),
				Selection: model.Some("{ ... on Order { id } }")},
				sends: state.PayloadSelection, has: "{ ... on Order { id } }"},
		} {
			done, err := p.Mutation().WebhookEndpointUpdate(p.Ctx, id, version, tc.in)
			if d := cmp.Diff(tc.wrong, fieldsOf(err)); d != "" {
				t.Fatalf("%s: %s, %v", tc.name, d, err)
			}
			if err != nil {
				continue
			}
			e := done.WebhookEndpoint
			version = e.Version
			has := ""
			if e.Selection != nil {
				has = *e.Selection
			}
			if e.Sends() != tc.sends || has != tc.has {
				t.Errorf("%s: %v", tc.name, e.WebhookEndpoint)
			}
		}
	})
}
