package install

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/storefront-go/storefront/ent/fault"
)

// maxArchive bounds the bytes that an archive unpacks to. Valid archives are smaller.
const maxArchive = 16 << 20

// pack compresses an archive for a statement. Most archives are compressed already, but one may
// contain megabytes of zeros, each of which the statement has to escape, and servers accept 16 MiB
// by default.
func pack(archive []byte) ([]byte, error) {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is valid
	_, err := w.Write(archive)
	err = cmp.Or(err, w.Close())
	return b.Bytes(), fault.Wrap("pack archive", err)
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack archive: %w", err)
	}
	archive, err := io.ReadAll(io.LimitReader(r, maxArchive))
	return archive, fault.Wrap("unpack archive", err)
}
