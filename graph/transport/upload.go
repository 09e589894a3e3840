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

// A theme and a picture come in the body of their mutations, which may be larger than any
// other.
const (
	// maxUpload is the largest body with a theme, in bytes: 10 MiB in base64, with room for
	// a backslash before every slash and for the rest of the request. maxPicture is the
	// largest with a picture, of 20 MiB.
	maxUpload  = 14 << 20
	maxPicture = 28 << 20
	// uploadTime is how long a body may take to come. It comes with leastRate bytes
	// a second at least, and may be uploadSlack behind that; what came faster does
	// not count for later.
	uploadTime  = 2 * time.Minute
	uploadSlack = 10 * time.Second
	leastRate   = 64 << 10
	// answerTime is how long it may take then until the answer is sent.
	answerTime = 5 * time.Minute
	// maxUploadValues bounds what a large body parses into: memory goes by values,
	// and a file is one.
	maxUploadValues = 10_000
)

// mostOf is the largest body in bytes that whoever asks may send. Only an upload
// may use what is above the common limit; see [uploadsAlone].
func (h *handler) mostOf(ctx context.Context) int64 {
	most, v := h.MaxBody, viewer.From(ctx)
	if v == nil {
		return most
	}
	if v.Scopes.Has(scope.ThemesWrite) {
		most = max(most, maxUpload)
	}
	if v.Scopes.Has(scope.ProductsWrite) {
		most = max(most, maxPicture)
	}
	return most
}

// body reads the body of a request. A large one takes a slot, which the caller
// gives back, with an error too.
func (h *handler) body(w http.ResponseWriter, r *http.Request, most int64) (body []byte, upload *slot, err error) {
	in := http.MaxBytesReader(w, r.Body, most)
	body, err = io.ReadAll(io.LimitReader(in, h.MaxBody+1))
	if err != nil {
		return nil, nil, endedEarly(err)
	}
	if int64(len(body)) <= h.MaxBody {
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

// paced is a body that has to come at the least rate.
type paced struct {
	in   io.Reader
	conn *http.ResponseController
	// due is when the next byte has to be here, and last when all of them.
	due, last time.Time
}

func newPaced(w http.ResponseWriter, in io.Reader) *paced {
	now := time.Now()
	return &paced{in, http.NewResponseController(w), now.Add(uploadSlack), now.Add(uploadTime)}
}

// Read reads what is here. At the end the connection has no deadline any more: one
// that passed later would end the work on the body.
func (p *paced) Read(b []byte) (int, error) {
	// A writer that cannot move the deadline keeps the server's.
	_ = p.conn.SetReadDeadline(p.due)
	n, err := p.in.Read(b)
	if err == io.EOF {
		_ = p.conn.SetReadDeadline(time.Time{})
		_ = p.conn.SetWriteDeadline(time.Now().Add(answerTime)) // the server's counts from the beginning
	}
	p.due = earliest(p.due.Add(time.Duration(n)*time.Second/leastRate), time.Now().Add(uploadSlack), p.last)
	return n, err
}

func earliest(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }

// endedEarly is the fault for a body that could not be read to its end.
func endedEarly(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &fault.Error{Kind: wire.RequestTimeout, Err: err,
			Detail: "The body came too slowly: send it over a faster line, or a smaller file."}
	}
	return &fault.Error{Kind: fault.MalformedBody, Detail: "The body ended early.", Err: err}
}

// values is a bound of how many values a JSON text has. The file in base64 has
// none of these characters.
func values(body []byte) int {
	return bytes.Count(body, []byte(",")) + bytes.Count(body, []byte("[")) + bytes.Count(body, []byte("{"))
}

// The mutations that bring a file.
const (
	themeImport = "themeImport"
	imageAdd    = "productImageAdd"
)

// uploadsAlone names the mutation of an operation that brings one file and does nothing
// else; it is "" for any other.
func uploadsAlone(o *operation) string {
	if o.op.Operation != ast.Mutation {
		return ""
	}
	fields := mutationFields(o)
	if len(fields) != 1 || fields[0].Name != themeImport && fields[0].Name != imageAdd {
		return ""
	}
	return fields[0].Name
}

// judge judges the file of an upload, which takes too long for a transaction: it does
// so before the one of an idempotency key begins.
func (h *handler) judge(ctx context.Context, o *operation) {
	name := uploadsAlone(o)
	if name == "" {
		return
	}
	in, _ := mutationFields(o)[0].ArgumentMap(o.variables)["input"].(map[string]any)
	switch name {
	case themeImport:
		archive, _ := in["archive"].(string)
		o.judged = h.Core.Judged(ctx, archive)
	case imageAdd:
		content, _ := in["content"].(string)
		o.uploaded = h.Core.Uploaded(ctx, content)
	}
}

// giveJudged makes a file that was judged before part of the upload's input.
func (o *operation) giveJudged(args map[string]any) {
	switch in := args["input"].(type) {
	case model.ThemeImportInput:
		in.Judged = o.judged
		args["input"] = in
	case model.ProductImageAddInput:
		in.Upload = o.uploaded
		args["input"] = in
	}
}
