package export

import (
	"context"
	"crypto/sha256"
	"encoding"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/blob"
)

// partSize is the minimum size of a part in bytes before compression: a part ends with the batch
// that reaches it. Only the rows decide where a part ends, never the time, so that a job that is
// taken over writes the same bytes.
const partSize = 8 << 20

func folder(store, job xid.ID) string { return "exports/" + store.String() + "/" + job.String() + "/" }

// partKey returns the key of a part. It contains the writer's token, so that a writer that has lost
// the job never touches what the new owner writes.
func partKey(store, job xid.ID, number int, token int64) string {
	return fmt.Sprintf("%s%06d-%d", folder(store, job), number, token)
}

type output struct {
	blobs *blob.Store
	job   *db.Export
	token int64
	least int64 // minimum bytes of a part
	hash  hash.Hash
	zip   *gzip.Writer // nil for a plain file

	number int
	part   *blob.Writer // nil between parts
	plain  int64        // bytes of the part before compression
	size   int64        // bytes of the part
}

// newOutput continues after the last checkpoint.
func (e *Engine) newOutput(job *db.Export) (*output, error) {
	o := &output{blobs: e.Blobs, job: job, token: job.LeaseToken, least: e.partSize, hash: sha256.New(),
		number: job.Parts}
	if len(job.HashState) > 0 {
		if err := o.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(job.HashState); err != nil {
			return nil, fmt.Errorf("restore hash: %w", err)
		}
	}
	if job.Compression == state.ExportGzip {
		o.zip, _ = gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is valid
	}
	return o, nil
}

// counted passes the bytes of a part on to the object, the hash and the count.
type counted struct{ *output }

// Write implements io.Writer.
func (c counted) Write(b []byte) (int, error) {
	n, err := c.part.Write(b)
	c.hash.Write(b[:n])
	c.size += int64(n)
	return n, err
}

// write appends rows to the part, and begins one if there is none.
func (o *output) write(ctx context.Context, b []byte) error {
	if o.part == nil {
		if err := o.begin(ctx); err != nil {
			return err
		}
	}
	o.plain += int64(len(b))
	w := io.Writer(counted{o})
	if o.zip != nil {
		w = o.zip
	}
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("write part %d: %w", o.number, err)
	}
	return nil
}

// begin begins the next part, a gzip member if the file is compressed (RFC 1952, section 2.2).
func (o *output) begin(ctx context.Context) (err error) {
	o.number++
	o.plain, o.size = 0, 0
	o.part, err = o.blobs.Create(ctx, partKey(o.job.StoreID, o.job.ID, o.number, o.token), contentType(o.job))
	if err != nil {
		return fmt.Errorf("begin part %d: %w", o.number, err)
	}
	if o.zip != nil {
		o.zip.Reset(counted{o})
	}
	return nil
}

func (o *output) finish() error {
	if o.zip != nil {
		if err := o.zip.Close(); err != nil {
			return fmt.Errorf("end part %d: %w", o.number, err)
		}
	}
	part := o.part
	o.part = nil
	if err := part.Close(); err != nil {
		return fmt.Errorf("end part %d: %w", o.number, err)
	}
	return nil
}

func (o *output) abort() {
	if o.part != nil {
		o.part.Abort()
		o.part = nil
	}
}

// state returns the hash over all parts so far, in a form that newOutput can restore.
func (o *output) state() ([]byte, error) {
	b, err := o.hash.(encoding.BinaryMarshaler).MarshalBinary()
	return b, fault.Wrap("save hash", err)
}

func contentType(job *db.Export) string {
	switch {
	case job.Compression == state.ExportGzip:
		return "application/gzip"
	case job.Format == state.ExportCSV, job.Format == state.ExportSpreadsheet:
		return "text/csv; charset=utf-8"
	}
	return "application/x-ndjson"
}

// FileName returns the name of a job's file: its kind and the time the job was created.
func FileName(job *db.Export) string {
	ending := job.Format
	if ending == state.ExportSpreadsheet {
		ending = state.ExportCSV
	}
	name := string(job.Kind) + "-" + job.ID.Time().Time().Format("20060102T150405Z") + "." + string(ending)
	if job.Compression == state.ExportGzip {
		name += ".gz"
	}
	return name
}
