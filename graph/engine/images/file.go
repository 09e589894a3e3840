package images

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/importjob"
	"github.com/storefront-go/storefront/ent/db/productfile"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// fileFolder is the folder of the files that shoppers buy, in the blob store. Only orders lead to
// them.
const fileFolder = "files/"

// KeepFile stores a file that shoppers of the viewer's store buy, as it is.
func (k *Keeper) KeepFile(ctx context.Context, body []byte) *Upload {
	u := &Upload{ObjectID: xid.New(), Size: int64(len(body))}
	key := fileKey(viewer.From(ctx).Store, u.ObjectID)
	if err := k.Blobs.Put(ctx, key, "application/octet-stream", body); err != nil {
		u.Err = fmt.Errorf("keep a file: %w", err)
	}
	return u
}

// OpenFile returns the bytes of a file, which are read within ctx.
func (k *Keeper) OpenFile(ctx context.Context, row *db.ProductFile) (io.ReadSeekCloser, error) {
	f := &file{ctx: ctx, keeper: k, row: row}
	return f, f.reopen() // fails before the answer begins
}

func fileKey(store, object xid.ID) string {
	return fileFolder + hex.EncodeToString(store[:]) + "/" + hex.EncodeToString(object[:])
}

// file reads an object from any offset. After a seek, the next read opens it anew.
type file struct {
	ctx      context.Context //nolint:containedctx // io.ReadSeeker has no context, and a file lives for one request
	keeper   *Keeper
	row      *db.ProductFile
	at, from int64 // the offset, and that of open
	open     io.ReadCloser
}

func (f *file) reopen() (err error) {
	_ = f.Close()
	f.from = f.at
	f.open, err = f.keeper.Blobs.Range(f.ctx, fileKey(f.row.StoreID, f.row.ObjectID), f.at, -1)
	return err
}

// Seek implements io.Seeker.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.row.SizeBytes
	}
	if offset < 0 {
		return 0, errors.New("images: seek before the beginning")
	}
	f.at = offset
	return offset, nil
}

// Read implements io.Reader.
func (f *file) Read(b []byte) (int, error) {
	if f.open == nil || f.from != f.at {
		if err := f.reopen(); err != nil {
			return 0, err
		}
	}
	n, err := f.open.Read(b)
	f.at, f.from = f.at+int64(n), f.from+int64(n)
	return n, err
}

// Close implements io.Closer.
func (f *file) Close() error {
	if f.open == nil {
		return nil
	}
	err := f.open.Close()
	f.open = nil
	return err
}

// files adds the objects of the files of the viewer's store, and of its imports and returns.
func (k *Keeper) files(ctx context.Context, used ids) error {
	for after, more := xid.Nil, true; more; {
		rows, err := k.Store.DB(ctx).ProductFile.Query().Where(productfile.IDGT(after)).
			Order(db.Asc(productfile.FieldID)).Limit(sweepBatch).Load(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			after = row.ID
			used[row.ObjectID] = struct{}{}
		}
		more = len(rows) == sweepBatch
	}
	jobs, err := k.Store.DB(ctx).ImportJob.Query().Where(importjob.ObjectIDNotNil()).Load(ctx) // there are few
	for _, row := range jobs {
		used[*row.ObjectID] = struct{}{}
	}
	if err != nil {
		return err
	}
	return k.returnFiles(ctx, used)
}
