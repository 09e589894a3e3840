package model_test

import (
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/model"
)

func written(m graphql.Marshaler) string {
	var b strings.Builder
	m.MarshalGQL(&b)
	return b.String()
}

func TestEnum(t *testing.T) {
	if got, want := written(model.MarshalFulfillmentStatus(state.FulfillmentPartiallyFulfilled)),
		`"PARTIALLY_FULFILLED"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s, err := model.UnmarshalFulfillmentStatus("PARTIALLY_FULFILLED")
	if err != nil || s != state.FulfillmentPartiallyFulfilled {
		t.Errorf("got %q, %v", s, err)
	}
	for _, bad := range []any{"partially_fulfilled", "Partially_Fulfilled", "", "PAID", 1, nil} {
		if s, err := model.UnmarshalFulfillmentStatus(bad); err == nil || s != "" {
			t.Errorf("%v was accepted", bad)
		}
	}
	if k, err := model.UnmarshalActorType("OAUTH_APP"); err != nil || k != viewer.OAuthApp {
		t.Errorf("got %q, %v", k, err)
	}
	if _, err := model.UnmarshalActorType("GUEST"); err == nil {
		t.Error("a guest was accepted as an actor")
	}
}
