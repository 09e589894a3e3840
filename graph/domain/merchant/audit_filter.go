package merchant

import (
	"maps"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// operator is the id that the audit log shows for the operator, who has no account.
const operator = "system"

// actors maps the kinds of ids to the kinds of actors.
var actors = map[xid.Kind]viewer.Kind{xid.User: viewer.Staff, xid.APIKey: viewer.APIKey, xid.App: viewer.OAuthApp}

// auditFilter is a filter with its ids parsed. The operator has none.
type auditFilter struct {
	model.AuditFilter
	actor, resource named
}

// named is an id and its kind.
type named struct {
	kind xid.Kind
	id   xid.ID
}

// readAuditFilter parses a filter. Malformed ids are errors; well-formed unknown ones match nothing
// (contract, section 1).
func readAuditFilter(filter *model.AuditFilter) (f auditFilter, err error) {
	if filter == nil {
		return f, nil
	}
	f.AuditFilter = *filter
	var faults []fault.Field
	read := func(name string, text *string, kinds ...xid.Kind) named {
		if text == nil {
			return named{}
		}
		for _, k := range kinds {
			if id, err := k.Parse(*text); err == nil {
				return named{k, id}
			}
		}
		faults = append(faults, fault.Field{Parameter: name, Code: fault.InvalidFormat,
			Detail: "This is not the id of a resource in the audit log."})
		return named{}
	}
	if f.ActorID == nil || *f.ActorID != operator {
		f.actor = read("actor_id", f.ActorID, slices.Collect(maps.Keys(actors))...)
	}
	f.resource = read("resource_id", f.ResourceID, xid.Resources()...)
	if len(faults) > 0 {
		return f, &fault.Error{Kind: fault.InvalidParameter, Detail: "The filter contains a malformed id.",
			Fields: faults}
	}
	return f, nil
}

// pairs returns the filter as cursors encode it.
func (f auditFilter) pairs() (pairs []string) {
	add := func(name string) func(string) { return func(value string) { pairs = append(pairs, name, value) } }
	core.Opt(f.ActorID, add("actor_id"))
	core.Opt(f.Action, add("action"))
	core.Opt(f.ResourceType, add("resource_type"))
	core.Opt(f.ResourceID, add("resource_id"))
	core.Opt(f.From, func(t micros.Time) { add("from")(t.String()) })
	core.Opt(f.To, func(t micros.Time) { add("to")(t.String()) })
	return pairs
}

// index returns the index that serves the filter.
func (f auditFilter) index() string {
	if f.ResourceID != nil {
		return auditIndex
	}
	return ent.Primary
}

// span returns the conditions that the index serves: the resource, and the times as bounds of the
// ids, which contain them.
func (f auditFilter) span() (list []predicate.Audit) {
	core.Opt(f.ResourceID, func(string) { list = append(list, audit.ResourceID(f.resource.id)) })
	core.Opt(f.From, func(t micros.Time) { list = append(list, audit.IDGTE(xid.First(t))) })
	core.Opt(f.To, func(t micros.Time) { list = append(list, audit.IDLT(xid.First(t))) })
	return list
}

// rest returns the conditions that the index does not serve.
func (f auditFilter) rest() (list []predicate.Audit) {
	switch {
	case f.ActorID == nil:
	case *f.ActorID == operator:
		list = append(list, audit.ActorTypeEQ(viewer.System))
	default:
		list = append(list, audit.ActorTypeEQ(actors[f.actor.kind]), audit.ActorID(f.actor.id))
	}
	if f.ResourceID != nil { // the id determines the kind, so all rows with the id match
		list = append(list, audit.ResourceType(f.resource.kind.Resource()))
	}
	core.Opt(f.Action, func(s string) { list = append(list, audit.Action(s)) })
	core.Opt(f.ResourceType, func(s string) { list = append(list, audit.ResourceType(s)) })
	return list
}
