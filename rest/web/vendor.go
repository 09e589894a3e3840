package web

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/storefront-go/storefront/rest/variant"
)

// shipped is a third-party file, embedded in compressed form.
type shipped struct {
	form variant.Form
	// plain decompresses it on first use and keeps the result, so that clients cannot cause that
	// work repeatedly.
	plain func() []byte
	// policy is the policy of the page that loads it, in case it is opened as a page itself.
	policy string
}

// ship mounts a file and returns its address, which contains a hash: the content of an address never
// changes.
func (d *site) ship(name, policy string) (address string) {
	packed, err := files.ReadFile("vendor/" + name + ".gz")
	d.note(err)
	tag := variant.StrongTag(packed)
	address = d.root + "/static/" + strings.Trim(tag, `"`) + "/" + path.Base(name)
	form := variant.Form{Type: mediaTypes[path.Ext(name)], Packed: packed, Tag: tag}
	plain := sync.OnceValue(func() []byte { return unpacked(packed) })
	d.mux.Handle("GET "+address, shipped{form, plain, policy})
	return address
}

// ServeHTTP answers GET and HEAD. It decompresses for the few clients without gzip.
func (s shipped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header(), s.policy)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	form := s.form
	if !variant.AcceptsGzip(r.Header) {
		form.Plain = s.plain()
	}
	form.Send(w, r, http.StatusOK)
}

// unpacked decompresses an embedded file, which is intact.
func unpacked(packed []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	b, _ := io.ReadAll(z)
	return b
}
