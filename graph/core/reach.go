package core

import (
	"context"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
)

// RequireReadScope returns a fault if the viewer lacks the scope to read the rows of an export, if a kind is
// given, or the events, which must not be sent to such a viewer (contract, section 5, Ownership).
// It is applied to writes and to stored answers of writes.
func RequireReadScope(ctx context.Context, kind state.ExportKind, events ...event.Type) error {
	v, err := Caller(ctx)
	if err != nil {
		return err
	}
	if needed := scope.OfExport(kind); needed != "" && !v.Scopes.Has(needed) {
		return &fault.Error{Kind: fault.InsufficientScope, Scope: needed,
			Detail: "An export of " + kind.Words() + " needs the scope " + needed + "."}
	}
	for _, name := range events {
		if e, ok := event.Find(name); ok && !v.Scopes.Has(e.Scope) {
			return &fault.Error{Kind: fault.InsufficientScope, Scope: e.Scope,
				Detail: "The event " + string(name) + " needs the scope " + e.Scope + "."}
		}
	}
	return nil
}
