package export

import (
	"context"
	"fmt"
	"time"

	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/db/exportpart"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
)

// tidyPause is how long other processes leave a job alone that is being cleaned up.
const tidyPause = time.Minute

// tidy cleans up an ended job: its file expires, then its objects are removed, and finally its row.
func (e *Engine) tidy(ctx context.Context, c candidate) error {
	ctx = viewer.Operator(ctx, c.store)
	rows, err := e.Store.DB(ctx).Export.Query().Where(dbexport.ID(c.job)).Load(ctx)
	if err != nil {
		return fmt.Errorf("read export: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	job := rows[0]
	now := micros.Now()
	status := job.Status
	if status == state.ExportCompleted {
		status = state.ExportExpired
	}
	mine := 0 // one process cleans it up
	err = e.Store.InTx(ctx, func(ctx context.Context) (err error) {
		mine, err = e.Store.DB(ctx).Export.Update().Where(dbexport.ID(c.job), dbexport.DueAt(job.DueAt)).
			SetStatus(status).SetDueAt(now.Add(tidyPause)).Save(ctx)
		return err
	})
	if err != nil || mine == 0 {
		return err
	}
	if job.Stored {
		if err := e.Blobs.DeleteAll(ctx, folder(c.store, c.job)); err != nil {
			return fmt.Errorf("remove the objects of an export: %w", err)
		}
	}
	ends := job.ID.Time().Add(keepRow)
	return e.Store.InTx(ctx, func(ctx context.Context) error {
		db := e.Store.DB(ctx)
		if _, err := db.ExportPart.Delete().Where(exportpart.ExportID(c.job)).Exec(ctx); err != nil {
			return err
		}
		if job.DeletedAt != nil || ends <= now {
			_, err := db.Export.Delete().Where(dbexport.ID(c.job), dbexport.StatusEQ(status)).Exec(ctx)
			return err
		}
		_, err := db.Export.Update().Where(dbexport.ID(c.job), dbexport.StatusEQ(status)).SetStored(false).SetParts(0).
			SetDueAt(ends).Save(ctx)
		return err
	})
}
