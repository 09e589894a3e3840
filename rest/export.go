package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/state"
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
		}
	}
	faults := present(r.Fields(), "kind", kind != nil)
	faults = choice(faults, "kind", kind, &in.Kind, "The value is orders, products, customers or webhook_attempts.")
	faults = choice(faults, "format", format, &in.Format, "The value is csv, jsonl or spreadsheet.")
	faults = choice(faults, "compression", compression, &in.Compression, "The value is none or gzip.")
	in.Decoded = model.NewDecoded(faults)
	return in
}
