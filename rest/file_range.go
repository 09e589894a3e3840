package rest

import (
	"context"
	"errors"
	"io"
)

// ranges reads a file from any offset, from memory or from the blob store.
type ranges struct {
	*object
	ctx   context.Context //nolint:containedctx // io.ReadSeeker has no context, and ranges lives for one request
	files *files
	key   string
	at    int64
	open  io.ReadCloser // positioned at "at"; nil before the first read
}

// Seek implements io.Seeker.
func (c *ranges) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += c.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning")
	}
	if offset != c.at {
		c.release()
	}
	c.at = offset
	return offset, nil
}

// Read implements io.Reader.
func (c *ranges) Read(b []byte) (int, error) {
	if c.form.Plain != nil {
		if c.at >= c.size {
			return 0, io.EOF
		}
		n := copy(b, c.form.Plain[c.at:])
		c.at += int64(n)
		return n, nil
	}
	if c.open == nil {
		var err error
		if c.open, err = c.files.Blobs.Range(c.ctx, c.key, c.at, -1); err != nil {
			return 0, err
		}
	}
	n, err := c.open.Read(b)
	c.at += int64(n)
	return n, err
}

func (c *ranges) release() {
	if c.open != nil {
		_ = c.open.Close()
		c.open = nil
	}
}
