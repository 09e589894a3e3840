package rest

import (
	"context"
	"net/http"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest/dashboard"
)

// auditPath is where people download the audit log.
const auditPath = dashboard.Root + "/audit.jsonl"

// auditBatch is how many entries are read at a time.
const auditBatch = 500

// auditParams are the query parameters: the store, by id or handle, and the filters of the list.
var auditParams = []string{"store", "actor_id", "action", "resource_type", "resource_id", "from", "to"}

// auditDownload answers GET {dashboard}/audit.jsonl?store=… with the audit log of a store, one JSON
// object per line, newest first, for people who may read it. The cookie alone authenticates: the
// request changes nothing, and another site that links here cannot read the answer.
func (a *API) auditDownload() http.Handler {
	row := &served{meter: a.metrics.route("*", auditPath)}
	row.Query = auditParams
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := a.begin(w, r)
		defer a.finish(c)
		c.row = row
		if err := a.sendAudit(c); err != nil {
			a.fail(c, err)
		}
	})
}

// sendAudit checks the person and the filters, then sends batch after batch.
func (a *API) sendAudit(c *call) error {
	if c.r.Method != http.MethodGet {
		return wrongMethod(c.w.Header(), "GET")
	}
	filter, err := a.auditQuery(c)
	if err != nil {
		return err
	}
	v, err := a.auditor(c)
	if err != nil {
		return err
	}
	ctx := viewer.With(c.ctx, v)
	rows, next, err := a.Core.Query().AuditBatch(ctx, filter, nil, auditBatch)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/jsonl")
	h.Set("Content-Disposition", `attachment; filename="audit.jsonl"`)
	h.Set("Cache-Control", "private, no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h["X-Content-Type-Options"] = noSniff
	d := newDelivery(c)
	return a.ended(c, d, a.streamAudit(ctx, d, filter, rows, next))
}

// auditQuery reads the filters of the address.
func (a *API) auditQuery(c *call) (*model.AuditFilter, error) {
	c.query.read(c.r.URL.RawQuery)
	if err := a.parameters(c); err != nil {
		return nil, err
	}
	q := &c.query
	f := &model.AuditFilter{ActorID: q.text("actor_id", limit.Line), Action: q.text("action", limit.Line),
		ResourceType: q.text("resource_type", limit.Line), ResourceID: q.text("resource_id", limit.Line),
		From: q.time("from"), To: q.time("to")}
	if len(q.values["store"]) != 1 {
		q.bad("store", fault.Required, "Name the store by its id or handle.")
	}
	return f, q.err()
}

// auditor returns the person of the cookie as a viewer of the store that the address names. It
// fails unless they may read the audit log there, as the GraphQL field of the same name decides.
func (a *API) auditor(c *call) (*viewer.Viewer, error) {
	v, err := a.Account.ViewerIn(c.r.WithContext(c.ctx), c.query.values.Get("store"))
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, fault.New(fault.AuthenticationRequired, "Sign in first.")
	}
	field := graph.Schema().Query.Fields.ForName("auditLog")
	return v, graph.Admit(viewer.With(c.ctx, v), field)
}

// streamAudit writes rows and reads on until the end or until the client disconnects.
func (a *API) streamAudit(ctx context.Context, d *delivery, f *model.AuditFilter, rows []*model.AuditEntry,
	next *page.Position,
) (err error) {
	var out []byte
	for {
		out = out[:0]
		for _, row := range rows {
			out = append(wire.AppendAudit(out, row.Audit), '\n')
		}
		if _, err := d.Write(out); err != nil {
			return nil //nolint:nilerr // a client that disconnected is not our failure
		}
		if next == nil {
			return nil
		}
		if rows, next, err = a.Core.Query().AuditBatch(ctx, f, next, auditBatch); err != nil {
			return err
		}
	}
}
