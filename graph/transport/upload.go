package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// Themes and images are uploaded in the body of their mutations, which may be larger than others.
const (
	// maxUpload is the largest body with a theme, in bytes: 10 MiB in base64, with room for a
	// backslash before every slash and for the rest of the request. maxImage is the same for an
	// image or a file of 20 MiB.
	maxUpload = 14 << 20
	maxImage  = 28 << 20
	// maxLabel is the same for the label of a return of 2 MiB.
	maxLabel = 3 << 20
	// uploadTime is the maximum duration of an upload. The body must arrive at leastRate bytes per
	// second, and may lag uploadSlack behind; a faster start earns no credit.
	uploadTime  = 2 * time.Minute
	uploadSlack = 10 * time.Second
	leastRate   = 64 << 10
	// answerTime is the time limit from then on until the answer is sent.
	answerTime = 5 * time.Minute
	// maxUploadValues bounds the JSON values in a large body, because they determine the memory of
	// parsing; a file is one value.
	maxUploadValues = 10_000
)

// bodyLimit returns the largest body in bytes that the viewer may send. Only an upload may exceed the
// common limit; see [uploadsAlone].
func bodyLimit(ctx context.Context) int64 {
	most, v := int64(maxBody), viewer.From(ctx)
	if v == nil {
		return most
	}
	if v.Kind == viewer.Staff && v.Scopes.Has(scope.OrdersWrite) {
		most = max(most, maxLabel)
	}
	if v.Scopes.Has(scope.ThemesWrite) {
		most = max(most, maxUpload)
	}
	if v.Scopes.Has(scope.ProductsWrite) {
		most = max(most, maxImage)
	}
	return most
}

// body reads the body of a request. A large body acquires a slot, which the caller must release
// even after an error.
func (h *handler) body(w http.ResponseWriter, r *http.Request, most int64) (body []byte, upload *slot, err error) {
	in := http.MaxBytesReader(w, r.Body, most)
	body, err = io.ReadAll(io.LimitReader(in, maxBody+1))
	if err != nil {
		return nil, nil, endedEarly(err)
	}
	if len(body) <= maxBody {
		return body, nil, nil
	}
	if upload, err = h.uploads.enter(r.Context(), viewer.From(r.Context()).Store); err != nil {
		return nil, nil, err
	}
	whole := bytes.NewBuffer(make([]byte, 0, max(r.ContentLength, int64(2*len(body)))+bytes.MinRead))
	whole.Write(body)
	if _, err := whole.ReadFrom(newPaced(w, in)); err != nil {
		return nil, upload, endedEarly(err)
	}
	return whole.Bytes(), upload, nil
}

// paced is a body that must arrive at the least rate.
type paced struct {
	in   io.Reader
	conn *http.ResponseController
	// due is the deadline of the next byte, last that of the whole body.
	due, last time.Time
}

func newPaced(w http.ResponseWriter, in io.Reader) *paced {
	now := time.Now()
	return &paced{in, http.NewResponseController(w), now.Add(uploadSlack), now.Add(uploadTime)}
}

// Read reads the available bytes. At the end it removes the connection's read deadline, which would
// otherwise interrupt the processing of the body.
func (p *paced) Read(b []byte) (int, error) {
	// A writer without deadlines keeps the server's.
	_ = p.conn.SetReadDeadline(p.due)
	n, err := p.in.Read(b)
	if err == io.EOF {
		_ = p.conn.SetReadDeadline(time.Time{})
		_ = p.conn.SetWriteDeadline(time.Now().Add(answerTime)) // the server's counts from the start of the request
	}
	p.due = slices.MinFunc([]time.Time{
		p.due.Add(time.Duration(n) * time.Second / leastRate), time.Now().Add(uploadSlack), p.last,
	}, time.Time.Compare)
	return n, err
}

func endedEarly(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &fault.Error{Kind: wire.RequestTimeout, Err: err,
			Detail: "The upload was too slow. Use a faster connection or a smaller file."}
	}
	return &fault.Error{Kind: fault.MalformedBody, Detail: "The body ended early.", Err: err}
}

// values returns an upper bound of the values in a JSON text. A file in base64 contains none of
// these characters.
func values(body []byte) int {
	return bytes.Count(body, []byte(",")) + bytes.Count(body, []byte("[")) + bytes.Count(body, []byte("{"))
}

// The mutations that upload a file.
const (
	themeImport = "themeImport"
	imageAdd    = "productImageAdd"
	mediaUpload = "mediaUpload"
	fileSet     = "productFileSet"
	importStart = "importStart"
	approve     = "orderReturnApprove"
)

// uploadsAlone returns the name of the mutation if it uploads one file and is the only field, else
// "".
func uploadsAlone(o *operation) string {
	if o.op.Operation != ast.Mutation {
		return ""
	}
	fields := mutationFields(o)
	if len(fields) != 1 {
		return ""
	}
	switch name := fields[0].Name; name {
	case themeImport, imageAdd, mediaUpload, fileSet, importStart, approve:
		return name
	}
	return ""
}

// validateUpload validates the file of an upload. It takes too long for a transaction, so it runs
// before the one of an idempotency key begins.
func (h *handler) validateUpload(ctx context.Context, o *operation) {
	name := uploadsAlone(o)
	if name == "" {
		return
	}
	in, _ := mutationFields(o)[0].ArgumentMap(o.variables)["input"].(map[string]any)
	switch name {
	case themeImport:
		archive, _ := in["archive"].(string)
		o.judged = h.Core.ValidateArchive(ctx, archive)
	case imageAdd, mediaUpload:
		content, _ := in["content"].(string)
		o.uploaded = h.Core.DecodeUpload(ctx, content)
	case fileSet:
		if content, ok := in["content"].(string); ok {
			o.uploaded = h.Core.KeepProductFile(ctx, content)
		}
	case importStart:
		if content, ok := in["content"].(string); ok {
			o.uploaded = h.Core.KeepImport(ctx, content)
		}
	case approve:
		if label, ok := in["label"].(string); ok {
			o.uploaded = h.Core.KeepReturnLabel(ctx, label)
		}
	}
}

func (o *operation) passUpload(args map[string]any) {
	switch in := args["input"].(type) {
	case model.ThemeImportInput:
		in.Judged = o.judged
		args["input"] = in
	case model.ProductImageAddInput:
		in.Upload = o.uploaded
		args["input"] = in
	case model.MediaUploadInput:
		in.Upload = o.uploaded
		args["input"] = in
	case model.ImportStartInput:
		in.Upload = o.uploaded
		args["input"] = in
	case model.ReturnApproveInput:
		in.Upload = o.uploaded
		args["input"] = in
	case model.ProductFileInput:
		in.Upload = o.uploaded
		args["input"] = in
	}
}
