package access

import (
	"context"
	"fmt"
	"net/http"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/db/requestlog"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const subjectIndex = "requestlog_store_id_subject_id_id"

// RequestLog lists the requests of keys and apps in the store, and of its own apps in other stores,
// newest first. A page takes three statements, for the requests, their keys and their apps, and one
// more with a status filter.
func (q Query) RequestLog(ctx context.Context, first *int, after *string, filter *model.RequestFilter) (
	*model.LoggedRequestConnection, error,
) {
	f, err := readRequestFilter(filter)
	if err != nil {
		return nil, err
	}
	var stopped *page.Position
	c, err := core.Connect(ctx, q.Core, core.List[*db.RequestLog]{
		Name: "request_log", Filters: f.pairs,
		At: func(r *db.RequestLog) page.Position { return core.ByID(r.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) (rows []*db.RequestLog, err error) {
			rows, stopped, err = q.requests(ctx, f, after, limit)
			return rows, err
		},
	}, first, after)
	if err != nil {
		return nil, err
	}
	if c.Next == "" && stopped != nil {
		c.Next = c.Sign(&db.RequestLog{ID: stopped.ID})
	}
	nodes, err := q.withSubjects(ctx, c.Nodes)
	if err != nil {
		return nil, core.Explain("request_log", err)
	}
	return &model.LoggedRequestConnection{Nodes: nodes, Next: c.Next,
		Sign: func(r *model.LoggedRequest) string { return c.Sign(r.RequestLog) }}, nil
}

type requestFilter struct {
	pairs []string // for the cursors
	span  []predicate.RequestLog
	class []predicate.RequestLog // conditions that no index serves
	index string
}

// readRequestFilter refuses malformed ids; well-formed unknown ids match nothing (contract, section
// 1).
func readRequestFilter(filter *model.RequestFilter) (f requestFilter, err error) {
	f.index = ent.Primary
	if filter == nil {
		return f, nil
	}
	var faults []fault.Field
	id := func(name string, kind xid.Kind, text *string, use func(xid.ID)) {
		if text == nil {
			return
		}
		u, err := kind.Parse(*text)
		if err != nil {
			faults = append(faults, fault.Field{Parameter: name, Code: fault.InvalidFormat,
				Detail: "This is not the id of " + wanted[kind] + "."})
			return
		}
		f.pairs = append(f.pairs, name, *text)
		use(u)
	}
	of := func(u xid.ID) { f.span, f.index = append(f.span, requestlog.SubjectID(u)), subjectIndex }
	id("key_id", xid.APIKey, filter.KeyID, of)
	id("app_id", xid.App, filter.AppID, of)
	id("request_id", xid.Request, filter.RequestID, func(u xid.ID) { f.span = append(f.span, requestlog.ID(u)) })
	if len(faults) > 0 {
		return f, &fault.Error{Kind: fault.InvalidParameter, Detail: "The filter contains a malformed id.",
			Fields: faults}
	}
	f.times(filter)
	return f, nil
}

var wanted = map[xid.Kind]string{xid.APIKey: "an API key", xid.App: "an app", xid.Request: "a request"}

// times adds the time range, which ids encode, and the status class.
func (f *requestFilter) times(filter *model.RequestFilter) {
	core.Opt(filter.From, func(t micros.Time) {
		f.span, f.pairs = append(f.span, requestlog.IDGTE(xid.First(t))), append(f.pairs, "from", t.String())
	})
	core.Opt(filter.To, func(t micros.Time) {
		f.span, f.pairs = append(f.span, requestlog.IDLT(xid.First(t))), append(f.pairs, "to", t.String())
	})
	core.Opt(filter.Status, func(c model.StatusClass) {
		f.pairs = append(f.pairs, "status", string(c))
		switch c {
		case model.StatusSuccess:
			f.class = append(f.class, requestlog.StatusLT(http.StatusBadRequest))
		case model.StatusClientError:
			f.class = append(f.class, requestlog.StatusGTE(http.StatusBadRequest),
				requestlog.StatusLT(http.StatusInternalServerError))
		case model.StatusServerError:
			f.class = append(f.class, requestlog.StatusGTE(http.StatusInternalServerError))
		}
	})
}

// requests reads up to limit rows after a position. stopped is where a page with a status filter
// ended before the limit and before the last row, else nil.
func (r *Resolver) requests(ctx context.Context, f requestFilter, after *page.Position, limit int) (
	rows []*db.RequestLog, stopped *page.Position, err error,
) {
	w := core.Window{After: after, Limit: limit, Index: f.index}
	read := func(to *page.Position) ([]*db.RequestLog, error) {
		query := r.Client(ctx).RequestLog.Query().Where(f.span...).Where(f.class...)
		query.Modify(w.Apply, w.To(to))
		return query.Load(ctx)
	}
	if len(f.class) == 0 {
		rows, err = read(nil)
		return rows, nil, err
	}
	return core.Sift(limit, core.ScanLimit(limit), func(n int) (*page.Position, error) {
		return core.Floor(ctx, w, n, r.Client(ctx).RequestLog.Query().Where(f.span...))
	}, read)
}

func (r *Resolver) withSubjects(ctx context.Context, rows []*db.RequestLog) ([]*model.LoggedRequest, error) {
	registered := map[xid.ID]xid.ID{}
	for _, row := range rows {
		if row.AppStoreID != nil {
			registered[row.SubjectID] = *row.AppStoreID
		}
	}
	apps, err := r.AppsIn(ctx, registered)
	if err != nil {
		return nil, err
	}
	keys, err := r.keysOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	return core.Map(rows, func(row *db.RequestLog) *model.LoggedRequest {
		return &model.LoggedRequest{RequestLog: row, Key: keys[row.SubjectID], App: apps[row.SubjectID]}
	}), nil
}

func (r *Resolver) keysOf(ctx context.Context, rows []*db.RequestLog) (map[xid.ID]*model.APIKey, error) {
	ids := core.IDs(rows, func(row *db.RequestLog) *xid.ID {
		if row.AppStoreID != nil {
			return nil
		}
		return &row.SubjectID
	})
	of := map[xid.ID]*model.APIKey{}
	if len(ids) == 0 {
		return of, nil
	}
	query := r.Client(ctx).APIKey.Query().Where(apikey.IDIn(ids...))
	query.Modify(ent.ForceIndex(ent.Primary))
	keys, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the keys of requests: %w", err)
	}
	for _, key := range keys {
		of[key.ID] = shownKey(key)
	}
	return of, nil
}
