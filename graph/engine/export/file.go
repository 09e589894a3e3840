package export

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/storefront-go/storefront/ent/db"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/db/exportpart"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/blob"
)

// ErrGone reports that a job has no file, or no longer has one.
var ErrGone = errors.New("export: the file no longer exists")

// File is the file of a completed job: its parts read as one. It must not be used concurrently.
type File struct {
	Name        string
	ContentType string
	Size        int64
	Sha256      string // in hexadecimal

	ctx   context.Context
	blobs *blob.Store
	parts []filePart
	at    int64
	open  io.ReadCloser // reads on from at; nil after a seek
	left  int64         // bytes left of the open part
}

type filePart struct {
	key         string
	begin, size int64 // in the file
}

// Open opens the file of a job for reading within ctx, or returns [ErrGone].
func (e *Engine) Open(ctx context.Context, store, id xid.ID) (*File, error) {
	inside := viewer.Operator(ctx, store)
	c := e.Store.DB(inside)
	rows, err := c.Export.Query().Where(dbexport.ID(id)).Load(inside)
	if err != nil {
		return nil, fmt.Errorf("read export: %w", err)
	}
	if len(rows) == 0 || !Downloadable(rows[0], micros.Now()) {
		return nil, ErrGone
	}
	job := rows[0]
	parts, err := c.ExportPart.Query().Where(exportpart.ExportID(id)).Order(exportpart.ByNumber()).Load(inside)
	if err != nil {
		return nil, fmt.Errorf("read parts of an export: %w", err)
	}
	f := &File{Name: FileName(job), ContentType: contentType(job), Size: job.SizeBytes, Sha256: *job.Sha256, ctx: ctx,
		blobs: e.Blobs}
	var begin int64
	for _, p := range parts {
		f.parts = append(f.parts, filePart{partKey(store, id, p.Number, p.Token), begin, p.SizeBytes})
		begin += p.SizeBytes
	}
	if begin != job.SizeBytes {
		return nil, ErrGone // it is being removed
	}
	return f, nil
}

// Downloadable reports whether a job has a file at the time now.
func Downloadable(job *db.Export, now micros.Time) bool {
	return job.Status == state.ExportCompleted && job.DeletedAt == nil && job.ExpiresAt != nil && now < *job.ExpiresAt
}

// Read implements io.Reader.
func (f *File) Read(b []byte) (int, error) {
	for len(b) > 0 {
		if f.open == nil {
			if err := f.next(); err != nil {
				return 0, err
			}
		}
		n, err := f.open.Read(b[:min(int64(len(b)), f.left)])
		f.at, f.left = f.at+int64(n), f.left-int64(n)
		switch {
		case f.left == 0:
			f.shut() // the end of a part is not the end of the file
			err = nil
		case errors.Is(err, io.EOF):
			err = io.ErrUnexpectedEOF
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

func (f *File) next() error {
	for _, p := range f.parts {
		if f.at < p.begin || f.at >= p.begin+p.size {
			continue
		}
		left := p.begin + p.size - f.at
		r, err := f.blobs.Range(f.ctx, p.key, f.at-p.begin, left)
		if errors.Is(err, blob.ErrNotFound) {
			return ErrGone
		}
		if err != nil {
			return err
		}
		f.open, f.left = r, left
		return nil
	}
	return io.EOF
}

// Seek implements io.Seeker. It opens nothing.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.Size
	}
	if offset < 0 {
		return 0, errors.New("export: seek before the beginning")
	}
	if offset != f.at {
		f.shut()
		f.at = offset
	}
	return offset, nil
}

// Close implements io.Closer.
func (f *File) Close() error {
	f.shut()
	return nil
}

func (f *File) shut() {
	if f.open != nil {
		f.open.Close() // an error matters no more after reading
		f.open = nil
	}
}
