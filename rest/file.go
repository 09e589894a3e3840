package rest

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/cache"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/rest/problem"
	"github.com/storefront-go/storefront/rest/variant"
)

const (
	// fileMemory bounds the files of one kind that are kept in memory, in bytes, and maxKept each
	// of them. Larger files are read from the blob store.
	fileMemory = 32 << 20
	maxKept    = 1 << 20
	// fileLimit bounds how long a file may take to be read into memory.
	fileLimit = 30 * time.Second
)

// Header values of files; never changed.
var (
	immutable    = []string{"public, max-age=31536000, immutable"}
	filePolicy   = []string{"default-src 'none'; sandbox"}
	anyResource  = []string{"cross-origin"}
	acceptRanges = []string{"bytes"}
)

// files serves immutable objects of the blob store.
type files struct {
	*API
	kept  *cache.Cache[stored, *object]
	loads cache.Group[stored, *object]
}

type stored struct {
	key, contentType string
	tag              string // its entity tag
}

// object is an object known to exist.
type object struct {
	form variant.Form // without bytes if it is too large to be kept
	size int64
}

func newFiles(a *API) *files {
	return &files{API: a, kept: cache.NewCache[stored, *object](fileMemory)}
}

// handler answers GET and HEAD with serve, or refuses with its error.
func (s *files) handler(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := readOnly(w, r)
		if err == nil {
			err = serve(w, r)
		}
		if err != nil {
			s.refuse(w, r, err)
		}
	})
}

// answer answers with a file and the given headers; what is the noun in the errors. The error of a
// missing file wraps [blob.ErrNotFound].
func (s *files) answer(w http.ResponseWriter, r *http.Request, what string, name stored, header http.Header) error {
	f, err := s.find(r.Context(), name)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return errors.Join(fault.Missing(what), err)
	case err != nil:
		return &fault.Error{Kind: fault.Unavailable, Detail: "The " + what + " is temporarily unavailable.",
			RetryAfter: time.Second, Err: err}
	}
	name.describe(w.Header())
	maps.Copy(w.Header(), header)
	s.send(w, r, name, f)
	return nil
}

func (n stored) describe(h http.Header) {
	h["Content-Type"] = []string{n.contentType}
	h["Content-Security-Policy"] = filePolicy
	h["Accept-Ranges"] = acceptRanges
	if n.packs() {
		h["Vary"] = variant.Vary
	}
}

// packs reports whether compressing the type pays, which it does for texts.
func (n stored) packs() bool {
	return strings.HasPrefix(n.contentType, "text/") || n.contentType == "image/svg+xml"
}

func (s *files) find(ctx context.Context, name stored) (*object, error) {
	if f, ok := s.kept.Get(name); ok {
		return f, nil
	}
	return s.loads.Do(ctx, name, fileLimit, func(ctx context.Context) (*object, error) {
		f, err := s.load(ctx, name)
		if err == nil {
			s.kept.Put(name, f, int64(len(f.form.Plain)+len(f.form.Packed))+256)
		}
		return f, err
	})
}

func (s *files) load(ctx context.Context, name stored) (*object, error) {
	f := &object{form: variant.Form{Type: name.contentType, Tag: name.tag}}
	var err error
	f.form.Plain, err = s.Blobs.Get(ctx, name.key, maxKept)
	if errors.Is(err, blob.ErrTooLarge) {
		o, err := s.Blobs.Stat(ctx, name.key)
		f.size = o.Size
		return f, err
	}
	f.size = int64(len(f.form.Plain))
	if err == nil && name.packs() {
		f.form.Packed = variant.Pack(f.form.Plain)
	}
	return f, err
}

// send answers with a file; ranges are of the uncompressed form.
func (s *files) send(w http.ResponseWriter, r *http.Request, name stored, f *object) {
	if f.form.Plain != nil && r.Header["Range"] == nil && r.Header["If-Match"] == nil {
		f.form.Send(w, r, http.StatusOK)
		return
	}
	w.Header()["Etag"] = []string{f.form.Tag}
	content := &ranges{ctx: r.Context(), files: s, key: name.key, object: f}
	defer content.release()
	variant.Content(w, r, content)
}

func (s *files) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f, status := problem.Of(err)
	if status >= http.StatusInternalServerError {
		s.Logger.ErrorContext(r.Context(), "file failed", slog.String("request_id", viewer.Request(r.Context())),
			slog.Any("error", err))
	}
	h := w.Header()
	h["Content-Type"], h["Cache-Control"] = []string{problem.ContentType}, noStore
	if f.RetryAfter > 0 {
		h["Retry-After"] = []string{ratelimit.Seconds(f.RetryAfter)}
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(problem.Append(nil, s.APIHost, f, viewer.Request(r.Context())))
	}
}
