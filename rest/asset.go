package rest

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/blob"
	"github.com/storefront-go/storefront/graph/gcra"
	"github.com/storefront-go/storefront/graph/memo"
	"github.com/storefront-go/storefront/graph/theme"
	"github.com/storefront-go/storefront/rest/problem"
	"github.com/storefront-go/storefront/rest/variant"
)

// assetRoot is where every host serves the assets of themes, each under the
// SHA-256 of its bytes: /assets/<sha256>/<name>.
const assetRoot = "/assets/"

const (
	// maxAssetName is the longest name in an asset's address, in bytes.
	maxAssetName = 200
	// assetMemory bounds the assets that are kept in memory, in bytes, and maxKept
	// each of them; larger ones are read where they lie.
	assetMemory = 32 << 20
	maxKept     = 1 << 20
	// assetLimit bounds the reading of an asset into memory.
	assetLimit = 30 * time.Second
)

// Header values of assets; they are never changed.
var (
	immutable    = []string{"public, max-age=31536000, immutable"}
	assetPolicy  = []string{"default-src 'none'; sandbox"}
	anyResource  = []string{"cross-origin"}
	acceptRanges = []string{"bytes"}
)

// assets serves the stylesheets, fonts and images of all themes. What an address
// stands for never changes, so no database is asked.
type assets struct {
	*API
	kept  *memo.Cache[assetName, *asset]
	loads memo.Group[assetName, *asset]
}

// assetName is what an address says of an asset.
type assetName struct {
	sum         digest.Sum
	contentType string
}

// asset is one that is known to exist.
type asset struct {
	form variant.Form // without bytes where it is too large to be kept
	size int64
}

func newAssets(a *API) *assets {
	return &assets{API: a, kept: memo.NewCache[assetName, *asset](assetMemory)}
}

// ServeHTTP answers GET and HEAD, with ranges and conditions.
func (s *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.refuse(w, r, wrongMethod(w.Header(), "GET, HEAD"))
		return
	}
	name, ok := parseAsset(r.URL.EscapedPath())
	if !ok {
		s.refuse(w, r, fault.Missing("asset"))
		return
	}
	f, err := s.find(r.Context(), name)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		s.refuse(w, r, fault.Missing("asset"))
		return
	case err != nil:
		s.refuse(w, r, &fault.Error{Kind: fault.Unavailable, Detail: "The asset cannot be read for a moment.",
			RetryAfter: time.Second, Err: err})
		return
	}
	name.describe(w.Header())
	s.send(w, r, name, f)
}

// parseAsset reads an address as it is written: none has anything escaped in it.
func parseAsset(path string) (name assetName, ok bool) {
	sum, file, ok := strings.Cut(strings.TrimPrefix(path, assetRoot), "/")
	if !ok || len(sum) != 2*len(name.sum) || strings.Trim(sum, "0123456789abcdef") != "" || !isFileName(file) {
		return name, false
	}
	if _, err := hex.Decode(name.sum[:], []byte(sum)); err != nil {
		return name, false
	}
	name.contentType, ok = theme.ContentTypeOf(file)
	return name, ok
}

func isFileName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return s != "" && len(s) <= maxAssetName && strings.Trim(s, letters) == ""
}

// describe sets what every answer with the asset says of it.
func (n assetName) describe(h http.Header) {
	h["Content-Type"] = []string{n.contentType}
	h["Cache-Control"] = immutable
	h["Content-Security-Policy"] = assetPolicy
	h["Cross-Origin-Resource-Policy"] = anyResource
	h["Accept-Ranges"] = acceptRanges
	if strings.HasPrefix(n.contentType, "font/") {
		// Browsers ask for fonts of another origin with CORS alone; the dashboard
		// shows themes at {api_host}.
		h["Access-Control-Allow-Origin"] = anyOrigin
	}
	if n.packs() {
		h["Vary"] = variant.Vary
	}
}

// packs reports whether compressing the type pays: that of texts.
func (n assetName) packs() bool {
	return strings.HasPrefix(n.contentType, "text/") || n.contentType == "image/svg+xml"
}

// find returns the asset from memory, or reads it.
func (s *assets) find(ctx context.Context, name assetName) (*asset, error) {
	if f, ok := s.kept.Get(name); ok {
		return f, nil
	}
	return s.loads.Do(ctx, name, assetLimit, func(ctx context.Context) (*asset, error) {
		f, err := s.load(ctx, name)
		if err == nil {
			s.kept.Put(name, f, int64(len(f.form.Plain)+len(f.form.Packed))+256)
		}
		return f, err
	})
}

func (s *assets) load(ctx context.Context, name assetName) (*asset, error) {
	f := &asset{form: variant.Form{Type: name.contentType, Tag: `"` + hex.EncodeToString(name.sum[:]) + `"`}}
	var err error
	f.form.Plain, err = s.Blobs.Get(ctx, name.key(), maxKept)
	if errors.Is(err, blob.ErrTooLarge) {
		o, err := s.Blobs.Stat(ctx, name.key())
		f.size = o.Size
		return f, err
	}
	f.size = int64(len(f.form.Plain))
	if err == nil && name.packs() {
		f.form.Packed = variant.Pack(f.form.Plain)
	}
	return f, err
}

func (n assetName) key() string { return theme.BlobKey(n.sum, n.contentType) }

// send answers with an asset; ranges are of the plain form.
func (s *assets) send(w http.ResponseWriter, r *http.Request, name assetName, f *asset) {
	if f.form.Plain != nil && r.Header["Range"] == nil && r.Header["If-Match"] == nil {
		f.form.Send(w, r, http.StatusOK)
		return
	}
	w.Header()["Etag"] = []string{f.form.Tag}
	content := &ranges{ctx: r.Context(), assets: s, key: name.key(), asset: f}
	defer content.release()
	variant.Content(w, r, content)
}

// refuse answers with a problem.
func (s *assets) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f, status := problem.Of(err)
	if status >= http.StatusInternalServerError {
		s.Logger.ErrorContext(r.Context(), "asset failed", slog.String("request_id", viewer.Request(r.Context())),
			slog.Any("error", err))
	}
	h := w.Header()
	h["Content-Type"], h["Cache-Control"] = []string{problem.ContentType}, noStore
	if f.RetryAfter > 0 {
		h["Retry-After"] = []string{gcra.Seconds(f.RetryAfter)}
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(problem.Append(nil, s.APIHost, f, viewer.Request(r.Context())))
	}
}
