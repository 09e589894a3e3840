package merchant

import (
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// operator is the id that the audit log shows of the operator, who has none.
const operator = "system"

// auditFilter is a filter with its ids read. Nobody's id is the operator's.
type auditFilter struct {
	model.AuditFilter
	actor, resource xid.ID
}

// readAuditFilter refuses malformed ids; well-formed unknown ones find nothing
// (contract, section 1).
func readAuditFilter(filter *model.AuditFilter) (f auditFilter, err error) {
	if filter == nil {
		return f, nil
	}
	f.AuditFilter = *filter
	var faults []fault.Field
	read := func(name string, text *string, into *xid.ID, kinds ...xid.Kind) {
		if text == nil {
			return
		}
		for _, k := range kinds {
			if *into, err = k.Parse(*text); err == nil {
				return
			}
		}
		faults = append(faults, fault.Field{Parameter: name, Code: fault.InvalidFormat,
			Detail: "This is not the id of what the audit log names."})
	}
	if f.ActorID == nil || *f.ActorID != operator {
		read("actor_id", f.ActorID, &f.actor, xid.User, xid.APIKey, xid.App)
	}
	read("resource_id", f.ResourceID, &f.resource, xid.Resources()...)
	if len(faults) > 0 {
		return f, &fault.Error{Kind: fault.InvalidParameter, Detail: "The filter holds a malformed id.", Fields: faults}
	}
	return f, nil
}

// pairs is the filter as cursors name it.
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

// several reports whether there is a filter besides what an index leads to. The times
// are bounds of the id, which carries them and is in every index.
func (f auditFilter) several() bool {
	n := 0
	for _, text := range []*string{f.ActorID, f.Action, f.ResourceID} {
		if text != nil {
			n++
		}
	}
	return n > 1 || f.ResourceType != nil
}

// index is the one that leads: of several filters the one that leaves the fewest rows,
// as a rule.
func (f auditFilter) index() string {
	switch {
	case f.ResourceID != nil:
		return "audit_store_id_resource_id_id"
	case f.ActorID != nil:
		return "audit_store_id_actor_id_id"
	case f.Action != nil:
		return "audit_store_id_action_id"
	}
	return ent.Primary
}

// where adds the conditions that the index serves.
func (f auditFilter) where(q *db.AuditQuery) {
	core.Opt(f.From, func(t micros.Time) { q.Where(audit.IDGTE(xid.First(t))) })
	core.Opt(f.To, func(t micros.Time) { q.Where(audit.IDLT(xid.First(t))) })
	switch {
	case f.ResourceID != nil:
		q.Where(audit.ResourceID(f.resource))
	case f.ActorID != nil && f.actor.IsNil():
		q.Where(audit.ActorIDIsNil())
	case f.ActorID != nil:
		q.Where(audit.ActorID(f.actor))
	case f.Action != nil:
		q.Where(audit.Action(*f.Action))
	}
}

// fits reports whether a row passes all of the filter.
func (f auditFilter) fits(row *db.Audit) bool {
	e := model.AuditEntry{Audit: row}
	is := func(want *string, got string) bool { return want == nil || *want == got }
	return is(f.Action, row.Action) && is(f.ResourceType, row.ResourceType) &&
		is(f.ResourceID, e.PublicResourceID()) && is(f.ActorID, e.Actor().ID)
}
