package rest

import (
	"errors"
	"strings"

	"github.com/gorilla/mux"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/invoice"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/rest/paper"
)

// invoices mounts the pages and files of invoices, which anyone who has their address may open.
func (a *API) invoices(router *mux.Router) {
	for path, show := range map[string]func(c *call, rows []*db.Invoice) error{
		invoice.PrintPath: func(c *call, rows []*db.Invoice) error {
			ctx := viewer.Operator(c.ctx, rows[0].StoreID)
			s, err := a.Core.CurrentStore(ctx)
			if err != nil {
				return err
			}
			return paper.Show(&recorder{c.w, c}, c.r, rows, core.Deref(a.Core.ShownStore(s).Logo))
		},
		invoice.XMLPath: func(c *call, rows []*db.Invoice) error {
			return paper.XML(&recorder{c.w, c}, c.r, rows[0])
		},
	} {
		row := &served{meter: a.metrics.route("*", path)}
		router.Path(path).Handler(a.handler(row, func(c *call) error {
			if err := readOnly(c.w, c.r); err != nil {
				return err
			}
			rows, err := a.linkedInvoices(c)
			if err != nil {
				return err
			}
			return show(c, rows)
		}))
	}
}

// linkedInvoices returns the invoices that an address names, after checking its signature.
func (a *API) linkedInvoices(c *call) ([]*db.Invoice, error) {
	params, err := a.Links.Verify(c.r.URL.EscapedPath(), c.r.URL.RawQuery, micros.Now())
	if errors.Is(err, link.ErrExpired) {
		return nil, fault.New(fault.LinkExpired, "The address has expired. Open the invoice in the dashboard again.")
	}
	store, bad := xid.Store.Parse(params["store"])
	if err != nil || bad != nil || len(params) != 2 {
		return nil, forged()
	}
	var ids []xid.ID
	for text := range strings.SplitSeq(params["ids"], ".") {
		id, err := xid.Parse(text)
		if err != nil {
			return nil, forged()
		}
		ids = append(ids, id)
	}
	rows, err := a.Core.InvoicesByID(viewer.Operator(c.ctx, store), ids)
	if err == nil && len(rows) == 0 { // of a test store that was reset
		err = fault.Missing("invoice")
	}
	return rows, err
}
