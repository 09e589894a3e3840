// Package variant answers with the representation that a request asks for: plain or compressed,
// whole or in part, or none if the client has it. It is the only place that reads Accept,
// Accept-Encoding, If-None-Match and Range.
//
// Compressing handlers such as gzhttp's cannot serve a stored compressed form or say whether they
// would compress, and their headers for HEAD differ from GET; so Accept-Encoding is read here.
package variant

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"
)

// MinPacked is the size in bytes from which compression pays.
const MinPacked = 1024

// Values of the headers Vary and Content-Encoding; never changed.
var (
	Vary = []string{"Accept-Encoding"}
	// VaryKind is Vary of a resource that also has a form in Markdown.
	VaryKind = []string{"Accept, Accept-Encoding"}
	Gzip     = []string{"gzip"}
)

// Form is a resource in its forms, ready to be sent.
type Form struct {
	Type  string // media type
	Plain []byte
	// Packed is Plain compressed, or nil if that does not pay.
	Packed []byte
	// Tag is the entity tag of Plain; "" for none. A strong tag gets a suffix for Packed, whose
	// bytes differ; a weak one identifies both (RFC 9110, section 8.8.3.3).
	Tag string
	// Vary is the header of that name; nil stands for [Vary] if there is a packed form.
	Vary []string
}

// Send answers with a status and the form that the request asks for: 304 if the client has it, only
// headers for HEAD.
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
	switch {
	case f.Vary != nil:
		h["Vary"] = f.Vary
	case f.Packed != nil:
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

// Matches reports whether If-None-Match contains a tag, compared weakly (RFC 9110, section 13.1.2).
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

// AcceptsGzip reports whether the client asks for gzip by name, without q=0 (RFC 9110, section
// 12.5.3). Wildcards do not count.
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

// PrefersHTML reports whether the client prefers HTML to JSON: Accept names HTML, and JSON with a
// lower weight. Clients that accept anything, as most do, do not prefer it.
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

// PrefersMarkdown reports whether the client names Markdown in Accept, and not HTML with a higher
// weight. Browsers never name it.
func PrefersMarkdown(h http.Header) bool {
	var markdown, html float64
	for _, header := range h["Accept"] {
		for item := range strings.SplitSeq(header, ",") {
			kind, parameters, _ := strings.Cut(item, ";")
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case "text/markdown":
				markdown = max(markdown, quality(parameters))
			case "text/html":
				html = max(html, quality(parameters))
			}
		}
	}
	return markdown > 0 && markdown >= html
}

// quality reads the weight among the parameters of a media type: 1 if there is none, 0 if it is
// invalid.
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

// positive reports whether a weight is above zero; an absent weight is.
func positive(weight string) bool {
	name, value, found := strings.Cut(weight, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil && q > 0 && q <= 1
}

// StrongTag returns an entity tag for the bytes of a body.
func StrongTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// WeakTag returns an entity tag for a body in any encoding. It is faster than [StrongTag].
func WeakTag(body []byte) string { return `W/"` + strconv.FormatUint(xxhash.Sum64(body), 36) + `"` }

// Pack compresses a body, or returns nil if that does not pay.
func Pack(body []byte) []byte {
	if len(body) < MinPacked {
		return nil
	}
	var b bytes.Buffer
	thorough.write(&b, body) // a buffer accepts everything
	return b.Bytes()
}

// Creating a compressor costs more than compressing a page, so they are pooled.
var (
	thorough = compressors(gzip.DefaultCompression)
	quick    = compressors(gzip.BestSpeed)
)

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
	n, _ := z.Write(body) // a client that disconnected needs no answer
	_ = z.Close()
	return n
}

// WriteGzip compresses a body that is sent once, and returns how many bytes the client took.
func WriteGzip(w io.Writer, body []byte) int { return quick.write(w, body) }
