package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listExports(c *call) error {
	page, err := a.Core.Query().Exports(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, appendExport)
}

// getExport is GET /exports/{id}. Each answer has a fresh link, which works for anyone, and must
// not be cached, so there is no ETag.
func (a *API) getExport(c *call) error {
	e, err := a.Core.Query().Export(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	c.private = true
	c.out = wire.AppendExport(c.out, e.Export, &e.Link)
	return nil
}

// appendExport writes the form used in lists, without a link: answers to POST are stored for a day,
// while a link lives for minutes.
func appendExport(b []byte, e *model.Export) []byte { return wire.AppendExport(b, e.Export, nil) }

func (a *API) createExport(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	done, err := a.Core.Mutation().ExportStart(c.ctx, readExport(r))
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusAccepted, Base+"/exports/"+done.Export.PublicID()
	c.out = appendExport(c.out, done.Export)
	return nil
}

// readExport reads the body of POST /exports. The valid filters depend on the kind; the resolver
// checks them.
func readExport(r *wire.Reader) model.ExportStartInput {
	in := model.ExportStartInput{Format: state.ExportCSV, Compression: state.ExportPlain}
	kind, format, compression := r.String("kind"), r.String("format"), r.String("compression")
	in.WebhookID = r.String("webhook_id")
	if f := r.Object("filters"); f != nil {
		in.Filters = &model.ExportFiltersInput{
			CreatedFrom: f.Time("created_from"), CreatedTo: f.Time("created_to"), Status: f.String("status"),
			FinancialStatus:   (*state.FinancialStatus)(f.String("financial_status")),
			FulfillmentStatus: (*state.FulfillmentStatus)(f.String("fulfillment_status")),
			CustomerID:        f.String("customer_id"),
			Ids:               f.Strings("ids"),
			MarketingConsent:  (*state.MarketingConsent)(f.String("marketing_consent")),
		}
	}
	faults := present(r.Fields(), "kind", kind != nil)
	faults = choice(faults, "kind", kind, &in.Kind, "The value is orders, products, customers or webhook_attempts.")
	faults = choice(faults, "format", format, &in.Format, "The value is csv, jsonl or spreadsheet.")
	faults = choice(faults, "compression", compression, &in.Compression, "The value is none or gzip.")
	in.Decoded = model.NewDecoded(faults)
	return in
}

const importsPath = "/imports"

func (a *API) listImports(c *call) error {
	page, err := a.Core.Query().Imports(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, appendImport)
}

func appendImport(b []byte, i *model.Import) []byte { return wire.AppendImport(b, i.ImportJob) }

func (a *API) getImport(c *call) error {
	i, err := a.Core.Query().Import(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	c.out = appendImport(c.out, i)
	return nil
}

func (a *API) listImportErrors(c *call) error {
	page, err := a.Core.Query().ImportFindings(c.ctx, c.pathID(), c.query.limit, c.query.cursor)
	return list(c, page, err, wire.AppendImportFinding)
}

// keepImport stores the file in the body of POST /imports, before the transaction of its key begins.
func (a *API) keepImport(c *call) *images.Upload {
	if c.row.Path != importsPath {
		return nil
	}
	v, err := c.body.Value()
	if err != nil {
		return nil
	}
	content, ok := v.Get("content")
	if !ok || content.Kind() != wire.StringKind {
		return nil
	}
	return a.Core.KeepImportText(c.ctx, content.Text())
}

func (a *API) createImport(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in := readImport(r)
	in.Upload = c.upload
	done, err := a.Core.Mutation().ImportStart(c.ctx, in)
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusAccepted, Base+importsPath+"/"+done.Import.PublicID()
	c.out = appendImport(c.out, done.Import)
	return nil
}

// readImport reads the body of POST /imports without its content; see [API.keepImport].
func readImport(r *wire.Reader) model.ImportStartInput {
	r.String("content")
	in := model.ImportStartInput{URL: r.String("url"), Source: r.String("source"), FileName: r.String("file_name")}
	if dry := r.Bool("dry_run"); dry != nil {
		in.DryRun = *dry
	}
	kind := r.String("kind")
	rows, _ := r.Array("mapping")
	for _, m := range rows {
		column := m.String("column")
		if column == nil {
			column = new("")
		}
		in.Mapping = append(in.Mapping, &model.ImportColumnInput{Column: *column, Member: m.String("member")})
	}
	faults := present(r.Fields(), "kind", kind != nil)
	faults = choice(faults, "kind", kind, &in.Kind, "The value is products, inventory, customers, discounts or orders.")
	in.Decoded = model.NewDecoded(faults)
	return in
}

// failedRows answers {api_host}/downloads/<import>/failed-rows?expires=…&store=…&signature=… for anyone
// who has the address: the header of the file and its rows that failed.
func (a *API) failedRows(c *call, store, id xid.ID) error {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	file, err := a.Core.FailedRows(ctx, store, id)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", file.ContentType)
	h.Set("Content-Disposition", `attachment; filename="`+file.Name+`"`)
	h.Set("Content-Length", strconv.FormatInt(file.Size, 10))
	h.Set("Cache-Control", "private, no-store")
	h["X-Content-Type-Options"] = noSniff
	if c.r.Method == http.MethodHead {
		return nil
	}
	err = file.Write(ctx, c.w)
	if err != nil && c.ctx.Err() == nil && !errors.Is(err, io.ErrShortWrite) {
		a.Logger.ErrorContext(c.ctx, "failed rows broke off", "request_id", c.id, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// linkedImport reports whether an address of a download leads to the failed rows of an import.
func linkedImport(r *http.Request) (id xid.ID, ok bool) { return linkedID(r, xid.Import) }
