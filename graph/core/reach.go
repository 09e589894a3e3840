package core

import (
	"context"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
)

// Reaches refuses what the viewer may not read: the rows of an export, if a kind is given, and events, which
// must not be sent to a viewer who may not read them (contract, section 5, Ownership). It judges writes and
// the kept answers to writes alike.
func Reaches(ctx context.Context, kind state.ExportKind, events ...event.Type) error {
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
