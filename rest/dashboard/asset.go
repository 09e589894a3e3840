package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"path"
	"strconv"
	"strings"
)

var mediaTypes = map[string]string{
	"":      "text/plain; charset=utf-8", // licences
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
}

// asset is a whole answer in both its forms, made once at start-up.
type asset struct {
	mediaType, caching string
	plain, packed      form
}

// form is one encoding of an asset.
type form struct {
	content []byte
	etag    string
}

func newAsset(name, caching string, content []byte) asset {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a known one
	_, _ = z.Write(content)                               // and a buffer takes everything
	z.Close()
	sum := sha256.Sum256(content)
	tag := base64.RawURLEncoding.EncodeToString(sum[:12])
	return asset{mediaTypes[path.Ext(name)], caching,
		form{content, `"` + tag + `"`}, form{b.Bytes(), `"` + tag + `-gzip"`}}
}

// ServeHTTP answers GET and HEAD, with 304 for a known tag.
func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, f := w.Header(), a.plain
	packed := takesGzip(r.Header.Values("Accept-Encoding"))
	if packed {
		f = a.packed
	}
	h.Set("ETag", f.etag)
	h.Set("Cache-Control", a.caching)
	h.Set("Vary", "Accept-Encoding")
	if known(r.Header.Values("If-None-Match"), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if packed {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", a.mediaType)
	h.Set("Content-Length", strconv.Itoa(len(f.content)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(f.content)
	}
}

// takesGzip reads Accept-Encoding (RFC 9110, section 12.5.3). A quality of zero
// refuses; wildcards are not worth a rule, since a browser names gzip.
func takesGzip(values []string) bool {
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			name, weight, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				_, q, _ := strings.Cut(weight, "=")
				return strings.Trim(strings.TrimSpace(q), "0.") != "" || strings.TrimSpace(q) == ""
			}
		}
	}
	return false
}

// known tells whether a tag is among those of If-None-Match, compared weakly
// (RFC 9110, section 13.1.2).
func known(values []string, tag string) bool {
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			part = strings.TrimSpace(part)
			if part == "*" || strings.TrimPrefix(part, "W/") == tag {
				return true
			}
		}
	}
	return false
}
