package rest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/rest/variant"
)

// downloadRoot is the start of every download address.
const downloadRoot = "/downloads/"

type file struct {
	name        string // made of letters, digits, -, _ and .
	contentType string
	sha256      string // hexadecimal
	content     io.ReadSeekCloser
}

// opener opens the file of an export for reading within ctx. An expired file is [export.ErrGone],
// from the opener or from the first read.
type opener func(ctx context.Context, store, id xid.ID) (*file, error)

func (a *API) openExport(ctx context.Context, store, id xid.ID) (*file, error) {
	f, err := a.Exports.Open(ctx, store, id)
	if err != nil {
		return nil, err
	}
	return &file{name: f.Name, contentType: f.ContentType, sha256: f.Sha256, content: f}, nil
}

// downloads answers {api_host}/downloads/<export>/<file name>?expires=…&store=…&signature=… for
// anyone who has the address (contract, section 9). The query is neither logged nor counted.
func (a *API) downloads(open opener) http.Handler {
	row := &served{meter: a.metrics.route("*", strings.TrimSuffix(downloadRoot, "/"))}
	return a.handler(row, func(c *call) error { return a.download(c, open) })
}

// download checks the link before anything else, then serves the file.
func (a *API) download(c *call, open opener) error {
	if err := readOnly(c.w, c.r); err != nil {
		return err
	}
	store, id, err := a.linked(c.r)
	if err != nil {
		return err
	}
	if _, ok := linkedImport(c.r); ok {
		return a.failedRows(c, store, id)
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	f, err := open(ctx, store, id)
	if err != nil {
		return gone(err)
	}
	content := &content{from: f.content}
	// Cancel first, so that closing does not wait for a read.
	defer func() { cancel(); content.close() }()
	h := c.w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Disposition", `attachment; filename="`+f.name+`"`)
	h.Set("Etag", `"sha256-`+f.sha256+`"`)
	h.Set("Cache-Control", "private, no-store")
	h["X-Content-Type-Options"] = noSniff
	d := newDelivery(c)
	variant.Content(d, c.r, content)
	return a.ended(c, d, content.failed())
}

// ended finishes a delivery: it sends what is still to be sent. A failure after the headers aborts
// the connection, so that it does not look like the end of the file.
func (a *API) ended(c *call, d *delivery, failure error) error {
	switch {
	case d.sent && failure != nil && c.ctx.Err() == nil:
		a.Logger.ErrorContext(c.ctx, "download broke off", slog.String("request_id", c.id),
			slog.Int64("bytes", c.written), slog.Any("error", failure))
		panic(http.ErrAbortHandler)
	case d.sent: // sent completely, or until the client disconnected
		return nil
	case failure != nil:
		d.clear("Content-Range")
		return gone(failure)
	case d.status == http.StatusRequestedRangeNotSatisfiable:
		d.clear() // the Content-Range has the size
		return fault.New(wire.RangeNotSatisfiable, "The range is outside the file.")
	}
	d.send()
	return nil
}

// linked returns the store and export that an address names, after checking its signature over the
// bytes as they came. A link that was signed for something else, such as a preview, has other
// parameters.
func (a *API) linked(r *http.Request) (store, id xid.ID, err error) {
	params, err := a.Links.Verify(r.URL.EscapedPath(), r.URL.RawQuery, micros.Now())
	switch {
	case errors.Is(err, link.ErrExpired):
		return xid.Nil, xid.Nil, fault.New(fault.LinkExpired,
			"The address has expired: read the export again for a new one.")
	case err != nil || len(params) != 1:
		return xid.Nil, xid.Nil, forged()
	}
	id, ok := wantedExport(r)
	if !ok {
		id, ok = linkedImport(r)
	}
	if store, err = xid.Store.Parse(params["store"]); err != nil || !ok {
		return xid.Nil, xid.Nil, forged()
	}
	return store, id, nil
}

func forged() error {
	return fault.New(fault.LinkInvalid,
		"The address is not one that was given out: take it as it is, to the last character.")
}

// gone turns the error of an expired file into its fault; other errors stay.
func gone(err error) error {
	if errors.Is(err, export.ErrGone) {
		return &fault.Error{
			Kind: fault.FileGone, Detail: "The file has expired or was deleted: start a new export.", Err: err,
		}
	}
	return err
}
