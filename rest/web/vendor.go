package web

import (
	"bytes"
	"fmt"
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

// ship mounts a file below a path and returns its address, which contains a hash: the content of an
// address never changes.
func ship(mux *http.ServeMux, below, name, policy string) (address string, err error) {
	packed, err := files.ReadFile("vendor/" + name + ".gz")
	if err != nil {
		return "", fmt.Errorf("file of others: %w", err)
	}
	tag := variant.StrongTag(packed)
	address = below + strings.Trim(tag, `"`) + "/" + path.Base(name)
	form := variant.Form{Type: mediaTypes[path.Ext(name)], Packed: packed, Tag: tag}
	plain := sync.OnceValue(func() []byte { return unpacked(packed) })
	mux.Handle("GET "+address, shipped{form, plain, policy})
	return address, nil
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
