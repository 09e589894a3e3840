package web

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/storefront-go/storefront/rest/variant"
)

// shipped is a file of others, compressed as it lies in the program.
type shipped struct {
	form variant.Form
	// plain unpacks it when the first client wants that, and keeps it: to do it each time
	// would be work that anybody can ask for.
	plain func() []byte
	// policy is that of the page that loads it: what it may do as a page of its own.
	policy string
}

// ship mounts a file below a path, and returns its address, which names the content: what
// an address serves never changes.
func ship(mux *http.ServeMux, below, name, policy string) (address string, err error) {
	packed, err := files.ReadFile("vendor/" + name + ".gz")
	if err != nil {
		return "", fmt.Errorf("file of others: %w", err)
	}
	tag := digest(packed)
	address = below + tag + "/" + path.Base(name)
	form := variant.Form{Type: mediaTypes[path.Ext(name)], Packed: packed, Tag: `"` + tag + `"`}
	plain := sync.OnceValue(func() []byte { return unpacked(packed) })
	mux.Handle("GET "+address, shipped{form, plain, policy})
	return address, nil
}

// ServeHTTP answers GET and HEAD. Few clients read no gzip; for them it is unpacked.
func (s shipped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header(), s.policy)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	form := s.form
	if !variant.AcceptsGzip(r.Header) {
		form.Plain = s.plain()
	}
	form.Send(w, r, http.StatusOK)
}

// unpacked reads what the program holds compressed, which is whole.
func unpacked(packed []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	b, _ := io.ReadAll(z)
	return b
}
