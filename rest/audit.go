package rest

import (
	"context"
	"net/http"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest/dashboard"
)

const auditPath = dashboard.Root + "/audit.jsonl"

const auditBatch = 500

// auditParams are the query parameters: the store, by id or handle, and the filters of the list.
var auditParams = []string{"store", "actor_id", "action", "resource_type", "resource_id", "from", "to"}

// auditDownload answers GET {dashboard}/audit.jsonl?store=… with the audit log of a store, one JSON
// object per line, newest first, for people who may read it. The cookie alone authenticates: the
// request changes nothing, and another site that links here cannot read the answer.
func (a *API) auditDownload() http.Handler {
	row := &served{meter: a.metrics.route("*", auditPath)}
	row.Query = auditParams
	return a.handler(row, a.sendAudit)
}

func (a *API) sendAudit(c *call) error {
	if c.r.Method != http.MethodGet {
		return wrongMethod(c.w.Header(), "GET")
	}
	filter, err := a.auditQuery(c)
	if err != nil {
		return err
	}
	ctx, err := a.person(c.r.WithContext(c.ctx), c.query.values.Get("store"), "auditLog")
	if err != nil {
		return err
	}
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
