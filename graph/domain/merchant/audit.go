package merchant

import (
	"context"
	"maps"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// auditIndex leads from a resource to its audit entries. No other filter has an index, since every
// change of the store would have to write it too.
const auditIndex = "audit_store_id_resource_id_id"

// AuditLog lists the audit entries, newest first.
func (q Query) AuditLog(ctx context.Context, first *int, after *string, filter *model.AuditFilter) (
	*model.AuditEntryConnection, error,
) {
	f, err := readAuditFilter(filter)
	if err != nil {
		return nil, err
	}
	var stopped *page.Position
	c, err := core.Connect(ctx, q.Core, core.List[*model.AuditEntry]{
		Name: "audit_log", Filters: f.pairs(),
		At: func(a *model.AuditEntry) page.Position { return core.ByID(a.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) (rows []*model.AuditEntry, err error) {
			rows, stopped, err = q.auditRows(ctx, f, after, limit)
			return rows, err
		},
	}, first, after)
	if err == nil && c.Next == "" && stopped != nil {
		c.Next = c.Sign(&model.AuditEntry{Audit: &db.Audit{ID: stopped.ID}})
	}
	return c, err
}

// AuditBatch reads up to limit entries after a position, and returns the next position, nil at the
// end. A batch may be short, or empty, before the end. The caller checks permissions.
func (q Query) AuditBatch(ctx context.Context, filter *model.AuditFilter, after *page.Position, limit int) (
	rows []*model.AuditEntry, next *page.Position, err error,
) {
	f, err := readAuditFilter(filter)
	if err != nil {
		return nil, nil, err
	}
	rows, next, err = q.auditRows(ctx, f, after, limit)
	if err == nil && len(rows) == limit {
		next = new(core.ByID(rows[limit-1].ID))
	}
	return rows, next, core.Explain("audit_log", err)
}

// auditRows reads up to limit entries after a position. stopped is where a filtered page ended
// before the limit and before the last row, nil otherwise.
func (q Query) auditRows(ctx context.Context, f auditFilter, after *page.Position, limit int) (
	found []*model.AuditEntry, stopped *page.Position, err error,
) {
	w, rest := core.Window{After: after, Limit: limit, Index: f.index()}, f.rest()
	read := func(to *page.Position) ([]*db.Audit, error) {
		query := q.Client(ctx).Audit.Query().Where(f.span()...).Where(rest...)
		query.Modify(w.Apply, w.To(to))
		return query.Load(ctx)
	}
	var rows []*db.Audit
	if len(rest) == 0 {
		rows, err = read(nil)
	} else {
		rows, stopped, err = core.Sift(limit, core.ScanLimit(limit), func(n int) (*page.Position, error) {
			return core.Floor(ctx, w, n, q.Client(ctx).Audit.Query().Where(f.span()...))
		}, read)
	}
	return core.Map(rows, func(a *db.Audit) *model.AuditEntry { return &model.AuditEntry{Audit: a} }), stopped, err
}

// operator is the id that the audit log shows for the operator, who has no account.
const operator = "system"

var actors = map[xid.Kind]viewer.Kind{xid.User: viewer.Staff, xid.APIKey: viewer.APIKey, xid.App: viewer.OAuthApp}

type auditFilter struct {
	model.AuditFilter
	actor, resource named
}

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
