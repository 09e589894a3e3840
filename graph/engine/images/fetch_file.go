package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// fileTime bounds the fetch of a file, and idleTime how long nothing may arrive.
	fileTime = 30 * time.Minute
	idleTime = 30 * time.Second
)

// ReadFile opens a file of the viewer's store that [Keeper.KeepFile] or [Keeper.FetchFile] stored,
// from an offset. The caller closes it.
func (k *Keeper) ReadFile(ctx context.Context, object xid.ID, offset int64) (io.ReadCloser, error) {
	return k.Blobs.Range(ctx, fileKey(viewer.From(ctx).Store, object), offset, -1)
}

// FetchFile fetches a file of up to most bytes from an https address, and stores it for the viewer's
// store. It calls progress whenever bytes have arrived. [Refused] explains an error of the host.
func (k *Keeper) FetchFile(ctx context.Context, address string, most int64, progress func()) *Upload {
	u := &Upload{ObjectID: xid.New()}
	u.Size, u.Err = k.fetchFile(ctx, address, u.ObjectID, most, progress)
	return u
}

// Refused returns why a host, or this service, did not let a file be fetched. The text has no address.
func Refused(err error) (why string, ok bool) {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return "", false
	}
	return r.why, true
}

func (k *Keeper) fetchFile(
	ctx context.Context, address string, object xid.ID, most int64, progress func(),
) (size int64, err error) {
	target, err := k.target(address)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	idle := time.AfterFunc(idleTime, cancel)
	defer idle.Stop()
	r := (&http.Request{Method: http.MethodGet, URL: target, Header: http.Header{
		"User-Agent": {"Storefront-Imports/1"}, "Accept": {"text/csv, application/x-ndjson, */*"},
	}}).WithContext(ctx)
	res, err := k.client.Do(r)
	if err != nil {
		return 0, explain(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, answered(res.StatusCode)
	}
	body := &arriving{r: res.Body, then: func() { idle.Reset(idleTime); progress() }}
	size, err = k.stream(ctx, object, body, most)
	if body.err != nil {
		return 0, explain(body.err)
	}
	return size, err
}

// KeepStream stores a file of up to most bytes for the viewer's store, as it is.
func (k *Keeper) KeepStream(ctx context.Context, body io.Reader, most int64) *Upload {
	u := &Upload{ObjectID: xid.New()}
	u.Size, u.Err = k.stream(ctx, u.ObjectID, body, most)
	return u
}

func (k *Keeper) stream(ctx context.Context, object xid.ID, body io.Reader, most int64) (int64, error) {
	w, err := k.Blobs.Create(ctx, fileKey(viewer.From(ctx).Store, object), "application/octet-stream")
	if err != nil {
		return 0, fmt.Errorf("keep a file: %w", err)
	}
	defer w.Abort()
	size, err := io.Copy(w, io.LimitReader(body, most+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("keep a file: %w", err)
	case size > most:
		return 0, &refusal{outcome: refused, why: "the file is too large"}
	}
	return size, w.Close()
}

// arriving calls then after each read, and keeps the error of reading apart from one of writing.
type arriving struct {
	r    io.Reader
	then func()
	err  error
}

func (a *arriving) Read(b []byte) (int, error) {
	n, err := a.r.Read(b)
	a.then()
	if err != nil && !errors.Is(err, io.EOF) {
		a.err = err
	}
	return n, err
}
