// Package variant answers with one of the forms that a resource has: plain or
// compressed, whole or a part of it, or none where the client has it already. It
// is the one place that reads Accept, Accept-Encoding, If-None-Match and Range.
//
// Handlers that compress on the way, such as gzhttp's, neither serve what was
// compressed once and kept nor say whether they would compress, and HEAD gets
// other headers from them than GET; so the reading of Accept-Encoding is here.
package variant

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// MinPacked is the size in bytes from which compressing pays.
const MinPacked = 1024

// Values of the headers Vary and Content-Encoding; they are never changed.
var (
	Vary = []string{"Accept-Encoding"}
	Gzip = []string{"gzip"}
)

// Form is a resource in its forms, ready to be sent.
type Form struct {
	Type  string // its media type
	Plain []byte
	// Packed is Plain compressed, or nil where that does not pay.
	Packed []byte
	// Tag is the entity tag of Plain; "" for what has none. A strong tag gets an
	// ending for Packed, which has other bytes; a weak one names both (RFC 9110,
	// section 8.8.3.3).
	Tag string
}

// Send answers with a status and the form that the request asks for: 304 where
// the client has it, its headers alone for HEAD.
func (f *Form) Send(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	body, tag := f.Plain, f.Tag
	packed := f.Packed != nil && AcceptsGzip(r.Header)
	if packed {
		body = f.Packed
		if strong, ok := strings.CutSuffix(tag, `"`); ok && !strings.HasPrefix(tag, "W/") {
			tag = strong + `-gzip"`
		}
	}
	if f.Packed != nil {
		h["Vary"] = Vary
	}
	if tag != "" {
		h["Etag"] = []string{tag}
		if Matches(r.Header, tag) {
			delete(h, "Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if packed {
		h["Content-Encoding"] = Gzip
	}
	h["Content-Type"], h["Content-Length"] = []string{f.Type}, []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// Matches reports whether If-None-Match names a tag, compared weakly (RFC 9110,
// section 13.1.2).
func Matches(h http.Header, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, header := range h["If-None-Match"] {
		for candidate := range strings.SplitSeq(header, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == opaque {
				return true
			}
		}
	}
	return false
}

// AcceptsGzip reports whether gzip is asked for: named, and not with q=0 (RFC
// 9110, section 12.5.3). Wildcards do not name it.
func AcceptsGzip(h http.Header) bool {
	for _, header := range h["Accept-Encoding"] {
		for item := range strings.SplitSeq(header, ",") {
			coding, weight, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				return positive(weight)
			}
		}
	}
	return false
}

// PrefersHTML reports whether an answer is to be HTML rather than JSON: it is named, and
// no JSON as welcome. What asks for anything, as most clients do, does not prefer it.
func PrefersHTML(h http.Header) bool {
	var html, other float64
	for _, header := range h["Accept"] {
		for item := range strings.SplitSeq(header, ",") {
			kind, parameters, _ := strings.Cut(item, ";")
			switch kind = strings.ToLower(strings.TrimSpace(kind)); {
			case kind == "text/html":
				html = max(html, quality(parameters))
			case kind == "application/json", strings.HasSuffix(kind, "+json"):
				other = max(other, quality(parameters))
			}
		}
	}
	return html > other
}

// quality reads the weight among the parameters of a media type: 1 where none is given, 0
// where it cannot be read.
func quality(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || q < 0 || q > 1 {
				return 0
			}
			return q
		}
	}
	return 1
}

// positive reports whether a weight is above zero, as it is where none is given.
func positive(weight string) bool {
	name, value, found := strings.Cut(weight, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil && q > 0 && q <= 1
}

// Pack compresses a body, or returns nil where that does not pay.
func Pack(body []byte) []byte {
	if len(body) < MinPacked {
		return nil
	}
	var b bytes.Buffer
	thorough.write(&b, body) // a buffer takes everything
	return b.Bytes()
}

// A compressor is dearer to make than to use for a page, so they are kept.
var (
	thorough = compressors(gzip.DefaultCompression)
	quick    = compressors(gzip.BestSpeed)
)

// pool keeps compressors of one level.
type pool struct{ sync.Pool }

func compressors(level int) *pool {
	return &pool{sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(io.Discard, level) // the level is valid
		return z
	}}}
}

func (p *pool) write(w io.Writer, body []byte) int {
	z := p.Get().(*gzip.Writer)
	defer p.Put(z)
	z.Reset(w)
	n, _ := z.Write(body) // who has gone away needs no answer
	_ = z.Close()
	return n
}

// WriteGzip compresses a body that is sent once, and returns how much of it was
// taken.
func WriteGzip(w io.Writer, body []byte) int { return quick.write(w, body) }
