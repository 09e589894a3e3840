package transport

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/model"
)

// A theme comes in the body of its mutation, which may be larger than any other.
const (
	// maxUpload is the largest body in bytes: 10 MiB in base64, with room for a
	// backslash before every slash and for the rest of the request.
	maxUpload = 14 << 20
	// maxUploads is how many such bodies are read and worked on at a time.
	maxUploads = 2
	// uploadWait is how long a body waits for its turn, and uploadTime how long it
	// may then take to come.
	uploadWait = 10 * time.Second
	uploadTime = time.Minute
	// maxUploadValues bounds what a large body parses into: memory goes by values,
	// and an archive is one.
	maxUploadValues = 10_000
)

// uploads are the places for large bodies.
type uploads chan struct{}

func newUploads() uploads { return make(uploads, maxUploads) }

// enter takes a place, or gives up after a while.
func (u uploads) enter(ctx context.Context) error {
	timer := time.NewTimer(uploadWait)
	defer timer.Stop()
	select {
	case u <- struct{}{}:
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return &fault.Error{Kind: fault.Unavailable, Detail: "Other themes are being imported: try again in a moment.", RetryAfter: uploadWait}
}

// leave gives a place back, if one was taken.
func (u uploads) leave(taken bool) {
	if taken {
		<-u
	}
}

// mostOf is the largest body in bytes that whoever asks may send. Only an import
// may use what is above the common limit; see [importsAlone].
func (h *handler) mostOf(ctx context.Context) int64 {
	if v := viewer.From(ctx); v != nil && v.Scopes.Has(scope.ThemesWrite) {
		return max(h.MaxBody, maxUpload)
	}
	return h.MaxBody
}

// body reads the body of a request. A large one takes a place, which the caller
// gives back when upload is true, with an error too.
func (h *handler) body(w http.ResponseWriter, r *http.Request, most int64) (body []byte, upload bool, err error) {
	in := http.MaxBytesReader(w, r.Body, most)
	body, err = io.ReadAll(io.LimitReader(in, h.MaxBody+1))
	if err != nil {
		return nil, false, endedEarly(err)
	}
	if int64(len(body)) <= h.MaxBody {
		return body, false, nil
	}
	if err := h.uploads.enter(r.Context()); err != nil {
		return nil, false, err
	}
	// A writer that cannot move the deadline keeps the server's.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(uploadTime))
	whole := bytes.NewBuffer(make([]byte, 0, max(r.ContentLength, int64(2*len(body)))+bytes.MinRead))
	whole.Write(body)
	if _, err := whole.ReadFrom(in); err != nil {
		return nil, true, endedEarly(err)
	}
	return whole.Bytes(), true, nil
}

// endedEarly is the fault for a body that could not be read to its end.
func endedEarly(err error) error {
	return &fault.Error{Kind: fault.MalformedBody, Detail: "The body ended early.", Err: err}
}

// values is a bound of how many values a JSON text has. The archive in base64 has
// none of these characters.
func values(body []byte) int {
	return bytes.Count(body, []byte(",")) + bytes.Count(body, []byte("[")) + bytes.Count(body, []byte("{"))
}

// importsAlone reports whether an operation imports one theme and does nothing else.
func importsAlone(o *operation) bool {
	if o.op.Operation != ast.Mutation {
		return false
	}
	fields := mutationFields(o)
	return len(fields) == 1 && fields[0].Name == "themeImport"
}

// judge judges the archive of an import, which takes too long for a transaction:
// it does so before the one of an idempotency key begins.
func (h *handler) judge(ctx context.Context, o *operation) {
	if !importsAlone(o) {
		return
	}
	args := mutationFields(o)[0].ArgumentMap(o.variables)
	in, _ := args["input"].(map[string]any)
	archive, _ := in["archive"].(string)
	o.judged = h.Core.Judged(ctx, archive)
}

// giveJudged makes an archive that was judged before part of the import's input.
func (o *operation) giveJudged(args map[string]any) {
	if in, ok := args["input"].(model.ThemeImportInput); ok {
		in.Judged = o.judged
		args["input"] = in
	}
}
