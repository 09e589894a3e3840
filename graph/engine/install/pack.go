package install

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// maxArchive bounds the bytes that an archive unpacks to. Valid archives are smaller.
const maxArchive = 16 << 20

// pack compresses an archive for a statement. Most archives are compressed already, but one may
// contain megabytes of zeros, each of which the statement has to escape, and servers accept 16 MiB
// by default.
func pack(archive []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write(archive)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("pack archive: %w", err)
	}
	return b.Bytes(), nil
}

// unpack reverses pack.
func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack archive: %w", err)
	}
	archive, err := io.ReadAll(io.LimitReader(r, maxArchive))
	if err != nil {
		return nil, fmt.Errorf("unpack archive: %w", err)
	}
	return archive, nil
}
