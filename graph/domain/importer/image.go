package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"
	"golang.org/x/sync/errgroup"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/importimage"
	"github.com/storefront-go/storefront/ent/db/importjob"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/lib/intake"
	"github.com/storefront-go/storefront/graph/lib/pixel"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

const (
	// maxWaiting is how many images of an import may wait.
	maxWaiting = 100_000
	// imageStores is how many stores have their images fetched at once, and imagesOfStore how many of a
	// store's images.
	imageStores   = 4
	imagesOfStore = 2
	// imageClaim is longer than the fetch, the wait for capacity and the writing of an image take.
	imageClaim = 5 * time.Minute
	// imageTries is how often an image is tried that a host does not deliver, and imagePause the first
	// pause. Each is four times as long as the one before.
	imageTries = 5
	imagePause = 15 * time.Second
	imageBatch = 500 // rows of a statement
)

// readImages reads the images of a product: addresses, or images in the form of an export. shows are the
// ids of the images that the variants show.
func readImages(r *wire.Reader, shows []*string) (list []*catalog.ImportedImage, notes []string) {
	add := func(address, alt string, shown []int) {
		in := &catalog.ImportedImage{URL: address, Alt: intake.Clip(alt, limit.ImageAlt), Position: len(list) + 1,
			Shown: shown}
		u, err := url.Parse(address)
		switch {
		case err != nil, u.Scheme != "https", u.Host == "", len(address) > limit.URL:
			notes = append(notes, fmt.Sprintf("The image %q has no https address and is not imported.",
				intake.Clip(address, 80)))
		case len(list) == limit.Images:
			notes = append(notes, fmt.Sprintf("Images above %d are not imported.", limit.Images))
		case !slices.ContainsFunc(list, func(o *catalog.ImportedImage) bool { return o.URL == address }):
			list = append(list, in)
		}
	}
	if r.HasStrings("images") {
		for _, address := range r.Strings("images") {
			add(address, "", nil)
		}
		return list, notes
	}
	for _, image := range array(r, "images") {
		address, alt, id := image.String("url"), core.Deref(image.String("alt")), image.String("id")
		image.Skip() // its size, and its place
		var shown []int
		for i, of := range shows {
			if of != nil && id != nil && *of == *id {
				shown = append(shown, i)
			}
		}
		add(core.Deref(address), alt, shown)
	}
	return list, notes
}

func (r *Resolver) imageQueue() lease.Queue {
	return lease.Queue{Store: r.Store, Table: importimage.Table, Owner: importimage.FieldStoreID,
		Tries: importimage.FieldTries}
}

// queueImages writes rows for the images of a chunk, and returns their number. Images above the limit
// of an import are among what failed.
func (r *Resolver) queueImages(ctx context.Context, job *db.ImportJob, chunk []*entry, t *tally) (int64, error) {
	var rows []*db.ImportImageCreate
	due := micros.Now()
	for _, e := range chunk {
		if e.Problem != "" || e.owner == nil {
			continue
		}
		room := max(0, maxWaiting-int(job.ImagesPending)-len(rows))
		if over := len(e.images) - room; over > 0 {
			t.lostImages += int64(over)
			t.add(e.Record, fmt.Sprintf("%d images are not imported: %d images of this import are waiting already.",
				over, maxWaiting), false)
		}
		for _, in := range e.images[:min(len(e.images), room)] {
			var ids []byte
			for _, id := range in.Variants {
				ids = append(ids, id[:]...)
			}
			rows = append(rows, r.Client(ctx).ImportImage.Create().SetID(xid.New()).SetImportID(job.ID).
				SetProductID(e.owner.ID).SetPosition(in.Position).SetURL(in.URL).SetAlt(in.Alt).SetVariants(ids).
				SetRecord(cmp.Or(e.Name, intake.Clip(e.owner.Handle, limit.Line))).SetLine(e.Line).SetStart(e.Start).
				SetSize(e.End-e.Start).SetDueAt(due+micros.Time(len(rows))))
		}
	}
	for part := range slices.Chunk(rows, imageBatch) {
		if err := r.Client(ctx).ImportImage.CreateBulk(part...).Exec(ctx); err != nil {
			return 0, fmt.Errorf("queue the images of an import: %w", err)
		}
	}
	return int64(len(rows)), nil
}

// RunImportImages fetches the images that imports have queued, and returns how many it settled. The stores
// take turns. It is safe to run in several processes; if one is killed, another fetches its images anew.
func (r *Resolver) RunImportImages(ctx context.Context) (int, error) {
	return r.Store.SumShards(ctx, func(ctx context.Context) (total int, err error) {
		for ctx.Err() == nil {
			n, err := r.imageRound(ctx)
			if total += n; err != nil || n == 0 {
				return total, err
			}
		}
		return total, nil
	})
}

// imageRound gives each store that has images in the queue a turn.
func (r *Resolver) imageRound(ctx context.Context) (int, error) {
	var turns errgroup.Group
	turns.SetLimit(imageStores)
	var settled []*int
	after, err := xid.Nil, error(nil)
	for ctx.Err() == nil {
		q := r.Store.Seek(ctx).ImportImage.Query().Where(importimage.StoreIDGT(after))
		q.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) { s.OrderBy(s.C(importimage.FieldStoreID)) })
		row, failed := core.Only(q.Limit(1).Load(viewer.Everywhere(ctx)))
		if row == nil {
			err = unlessMissing(failed)
			break
		}
		after = row.StoreID
		n := new(int)
		settled = append(settled, n)
		turns.Go(func() (err error) {
			*n, err = r.imageTurn(viewer.Operator(ctx, row.StoreID))
			return err
		})
	}
	err = errors.Join(turns.Wait(), err)
	total := 0
	for _, n := range settled {
		total += *n
	}
	return total, err
}

// imageTurn fetches images of the viewer's store that are due, for a while.
func (r *Resolver) imageTurn(ctx context.Context) (settled int, err error) {
	for began := time.Now(); ctx.Err() == nil && time.Since(began) < turnTime; {
		q := r.Client(ctx).ImportImage.Query()
		q.Modify(ent.ForceIndex("importimage_store_id_due_at"), lease.Due(imagesOfStore))
		rows, err := q.Load(ctx)
		if err != nil || len(rows) == 0 {
			return settled, err
		}
		var pair errgroup.Group
		for _, row := range rows {
			pair.Go(func() error { return r.claimImage(ctx, row) })
		}
		if err := pair.Wait(); err != nil {
			return settled, err
		}
		settled += len(rows)
	}
	return settled, nil
}

// claimImage fetches an image unless another process was first.
func (r *Resolver) claimImage(ctx context.Context, row *db.ImportImage) error {
	mine, err := r.imageQueue().Claim(ctx, row.StoreID, row.ID, row.Tries, imageClaim)
	if err != nil || !mine {
		return err
	}
	row.Tries++
	err = r.importImage(ctx, row)
	settling := context.WithoutCancel(ctx)
	f, _ := errors.AsType[*fault.Error](err)
	why, lasting := lastingReason(err)
	switch {
	case err == nil, errors.Is(err, lease.ErrLost):
		return nil
	case ctx.Err() != nil:
		return r.imageQueue().Return(settling, row.StoreID, row.ID, row.Tries)
	case f != nil && f.RetryAfter > 0:
		return r.imageQueue().Delay(settling, row.StoreID, row.ID, row.Tries, f.RetryAfter)
	case lasting, row.Failures+1 >= imageTries:
		err = r.settleImage(settling, row, why)
	default:
		err = r.delayImage(settling, row)
	}
	if errors.Is(err, lease.ErrLost) {
		return nil
	}
	return err
}

// lastingReason returns why an image could not be imported, and whether trying again is in vain.
func lastingReason(err error) (why string, lasting bool) {
	if why, ok := images.Refused(err); ok {
		return strings.TrimSuffix(why, ".") + ".", !images.Temporary(err)
	}
	if p, ok := errors.AsType[*pixel.Fault](err); ok {
		return p.Text, true
	}
	if s, ok := errors.AsType[*stopped](err); ok {
		return s.text, true
	}
	f, ok := errors.AsType[*fault.Error](err)
	if ok && (f.Kind == fault.LimitReached || f.Kind == fault.ValidationFailed || f.Kind == fault.Conflict) {
		return reason(err), true
	}
	return "The service could not store the image.", false
}

// importImage fetches an image, unless the product has it, and settles its row.
func (r *Resolver) importImage(ctx context.Context, row *db.ImportImage) error {
	job, err := core.Only(r.Client(ctx).ImportJob.Query().Where(importjob.ID(row.ImportID)).Load(ctx))
	if errors.Is(err, core.ErrNoRow) || err == nil && job.Status == state.ImportCancelled {
		return r.settleImage(ctx, row, "")
	}
	if err != nil {
		return err
	}
	ctx, err = r.asRequester(ctx, job)
	if err != nil {
		return err
	}
	found, err := r.keepImage(ctx, row, nil)
	if err != nil || found {
		return err
	}
	m := catalog.Mutation{Resolver: r.products}
	up, err := m.FetchImage(ctx, row.URL)
	if err != nil {
		return err
	}
	_, err = r.keepImage(ctx, row, up) // unused bytes are swept
	return err
}

// keepImage writes the image of a row with the end of the row. Without up it changes an image that the
// product has; found is false if it has none. A product that is gone needs no image.
func (r *Resolver) keepImage(ctx context.Context, row *db.ImportImage, up *images.Upload) (found bool, err error) {
	in := &catalog.ImportedImage{URL: row.URL, Alt: row.Alt, Position: row.Position}
	for id := range slices.Chunk(row.Variants, len(xid.Nil)) {
		in.Variants = append(in.Variants, xid.ID(id))
	}
	err = r.commit(ctx, func(ctx context.Context) error {
		found, err = catalog.Mutation{Resolver: r.products}.ImportImage(ctx, row.ProductID, in, up)
		if err != nil || !found {
			return err
		}
		return r.endImage(ctx, row, "")
	})
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.NotFound {
		return true, r.settleImage(ctx, row, "")
	}
	return found, err
}

// settleImage ends a row in a transaction of its own.
func (r *Resolver) settleImage(ctx context.Context, row *db.ImportImage, why string) error {
	return r.commit(ctx, func(ctx context.Context) error { return r.endImage(ctx, row, why) })
}

// endImage deletes a claimed row and counts it. why says why the image failed, if it did. It returns
// [lease.ErrLost] if another process has claimed the row.
func (r *Resolver) endImage(ctx context.Context, row *db.ImportImage, why string) error {
	n, err := r.Client(ctx).ImportImage.Delete().Where(importimage.ID(row.ID), importimage.Tries(row.Tries)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("end the image of an import: %w", err)
	}
	if n == 0 {
		return lease.ErrLost
	}
	job := func() *db.ImportJobUpdate {
		return r.Client(ctx).ImportJob.Update().Where(importjob.ID(row.ImportID)).AddImagesPending(-1)
	}
	if why == "" {
		return fault.Wrap("count an image", job().Exec(ctx))
	}
	n, err = job().AddImagesFailed(1).Where(importjob.ImagesFailedLT(maxFindings)).Save(ctx)
	if err == nil && n == 0 { // as many are listed already, or the job was deleted
		return fault.Wrap("count an image", job().AddImagesFailed(1).Exec(ctx))
	}
	if err != nil {
		return fmt.Errorf("count an image: %w", err)
	}
	detail := fmt.Sprintf("Image %d (%s): %s", row.Position, shortAddress(row.URL), why)
	return fault.Wrap("write the findings of an import", r.Client(ctx).ImportFinding.Create().SetID(xid.New()).
		SetImportID(row.ImportID).SetLine(row.Line).SetWarning(false).SetRecord(row.Record).
		SetDetail(intake.Clip(detail, maxDetail)).SetStart(row.Start).SetSize(row.Size).Exec(ctx))
}

// shortAddress returns an address without its query, which may hold a secret.
func shortAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return intake.Clip(u.Host+u.Path, 300)
}

// delayImage counts a failure and makes the row due later.
func (r *Resolver) delayImage(ctx context.Context, row *db.ImportImage) error {
	return r.commit(ctx, func(ctx context.Context) error {
		err := r.Client(ctx).ImportImage.Update().Where(importimage.ID(row.ID), importimage.Tries(row.Tries)).
			AddFailures(1).Exec(ctx)
		if err != nil {
			return fmt.Errorf("count a failure: %w", err)
		}
		return r.imageQueue().Delay(ctx, row.StoreID, row.ID, row.Tries, imagePause<<(2*row.Failures))
	})
}
