package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

const (
	// Author is the author of the samples.
	Author = "Storefront"
	// FirstVersion is the version of a theme whose author names none.
	FirstVersion = "1.0.0"
	// seedBatch bounds the stores that are read at once.
	seedBatch = 200
)

type prepared struct {
	sample.Sample
	pkg     *theme.Package
	content []byte
	sum     digest.Sum
}

func prepare(samples []sample.Sample) ([]prepared, error) {
	all := make([]prepared, len(samples))
	for i, s := range samples {
		p, err := theme.ReadFS(s.Files)
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", s.Slug, err)
		}
		content := p.Encode()
		all[i] = prepared{Sample: s, pkg: p, content: content, sum: digest.Of(content)}
	}
	return all, nil
}

// Seed ensures that the marketplace has the samples, in the version of this program or a later one,
// and that every store has an active theme. Any number of processes may run it at once.
func (k *Keeper) Seed(ctx context.Context) error {
	if len(k.Samples) == 0 {
		return nil
	}
	there, err := k.complete(viewer.Everywhere(ctx))
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	if there {
		return k.giveFirstThemes(ctx)
	}
	samples, err := prepare(k.Samples) // not kept, unlike those of k.samples
	if err != nil {
		return err
	}
	for _, s := range samples {
		if err := k.keepAssets(ctx, s.pkg); err != nil {
			return fmt.Errorf("seed %s: %w", s.Slug, err)
		}
		err := k.Store.InTx(viewer.Everywhere(ctx), func(ctx context.Context) error {
			listing, err := k.offer(ctx, s)
			if err != nil {
				return err
			}
			return k.renew(ctx, listing, s)
		})
		if err != nil {
			return fmt.Errorf("seed %s: %w", s.Slug, err)
		}
	}
	return k.giveFirstThemes(ctx)
}

// complete reports whether the marketplace has all samples of this program, with their bytes. It
// usually does, and reading the samples takes 150 ms and 40 MB.
func (k *Keeper) complete(ctx context.Context) (bool, error) {
	for _, s := range k.Samples {
		listing, err := k.offered(ctx, s.Slug, ent.NoLock)
		if db.IsNotFound(err) {
			return false, nil
		}
		if err != nil || listing.Checksum != s.Sum {
			return false, err
		}
		p, err := k.Package(ctx, s.Sum)
		if errors.Is(err, ErrNoPackage) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for _, a := range p.Assets {
			o, err := k.Blobs.Stat(ctx, theme.BlobKey(a.Sum, a.ContentType))
			if errors.Is(err, blob.ErrNotFound) {
				return false, nil
			}
			if err != nil || o.Size != a.Size {
				return false, err
			}
		}
	}
	return true, nil
}

func (k *Keeper) offer(ctx context.Context, s prepared) (*db.MarketplaceTheme, error) {
	row, err := k.offered(ctx, s.Slug, ent.NoLock)
	if !db.IsNotFound(err) {
		return row, err
	}
	if err := k.keepPackage(ctx, s.sum, s.content); err != nil {
		return nil, err
	}
	id := xid.New()
	m := s.pkg.Manifest
	row, err = k.Store.DB(ctx).MarketplaceTheme.Create().SetID(id).SetSlug(s.Slug).SetName(m.Name).
		SetTagline(s.Tagline).SetAuthor(Author).SetThemeVersion(version(m)).SetPriceMinor(0).
		SetCurrency("EUR").SetCategories(s.categories()).SetNillablePreview(preview(s.pkg)).
		SetStatus(state.ListingPublished).SetChecksum(s.sum).SetPublishedAt(id.Time()).SetUpdatedAt(id.Time()).Save(ctx)
	if ent.IsDuplicate(err) { // another process was faster
		return k.offered(ctx, s.Slug, ent.ForUpdate)
	}
	return row, fault.Wrap("offer", err)
}

func (s *prepared) categories() string {
	return strings.Join(slices.Sorted(slices.Values(s.Categories)), " ")
}

func (k *Keeper) offered(
	ctx context.Context, slug string, lock func(*sql.Selector),
) (*db.MarketplaceTheme, error) {
	query := k.Store.DB(ctx).MarketplaceTheme.Query().Where(marketplacetheme.Slug(slug))
	query.Modify(lock)
	row, err := only(query.Load(ctx))
	if err != nil && !db.IsNotFound(err) {
		return nil, fmt.Errorf("look for a theme of the marketplace: %w", err)
	}
	return row, err
}

func version(m theme.Manifest) string {
	if m.Version == nil {
		return FirstVersion
	}
	return *m.Version
}

func (k *Keeper) giveFirstThemes(ctx context.Context) error {
	return k.Store.EachShard(viewer.Everywhere(ctx), func(ctx context.Context) error {
		for after, more := xid.Nil, true; more; {
			ids, err := k.Store.Seek(ctx).Store.Query().Where(store.ActiveThemeIDIsNil(), store.IDGT(after)).
				Order(db.Asc(store.FieldID)).Limit(seedBatch).IDs(ctx)
			if err != nil {
				return fmt.Errorf("find stores without a theme: %w", err)
			}
			for _, id := range ids {
				after = id
				err := k.Store.InTx(viewer.Operator(ctx, id), func(ctx context.Context) error {
					_, err := k.First(ctx)
					return err
				})
				if err != nil && !errors.Is(err, errLost) {
					return fmt.Errorf("give a store its first theme: %w", err)
				}
			}
			more = len(ids) == seedBatch
		}
		return nil
	})
}

// Offer ensures that the marketplace has the first sample. Call it before a transaction that calls
// [Keeper.First], because the marketplace belongs to no store.
func (k *Keeper) Offer(ctx context.Context) error {
	samples, err := k.samples()
	if err != nil || len(samples) == 0 {
		return err
	}
	if _, err := k.offered(ctx, samples[0].Slug, ent.NoLock); !db.IsNotFound(err) {
		return err
	}
	return k.Store.InTx(viewer.Everywhere(ctx), func(ctx context.Context) error {
		_, err := k.offer(ctx, samples[0])
		return err
	})
}

// First gives the viewer's store the first sample as its active theme, in the transaction of ctx,
// and returns it. Call [Keeper.Offer] before. It emits no event, and the assets may be missing
// until [Keeper.Seed] has run. Without samples it does nothing. On an error, such as when the store
// already has an active theme, the transaction must roll back.
func (k *Keeper) First(ctx context.Context) (*db.Theme, error) {
	all, err := k.samples()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	a, err := k.first(ctx, all[0])
	if err != nil {
		return nil, err
	}
	id := xid.New()
	n, err := k.Store.DB(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store), store.ActiveThemeIDIsNil()).
		SetActiveThemeID(id).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("activate the first theme: %w", err)
	}
	if n == 0 {
		return nil, errLost
	}
	return k.add(ctx, k.begin(ctx, id, a).SetActivatedAt(id.Time()), a.Package)
}

// first returns the first theme of a store: the marketplace's version of a sample, which may differ
// from this program's. Its files are stored, so both work.
func (k *Keeper) first(ctx context.Context, s prepared) (a Addition, err error) {
	listing, err := k.offered(k.Store.Aside(ctx), s.Slug, ent.NoLock)
	if err != nil {
		return a, err
	}
	a = Addition{Name: listing.Name, Source: state.ThemeMarketplace, Listing: &listing.ID, Package: s.pkg, Sum: s.sum}
	if listing.Checksum != s.sum {
		a.Sum = listing.Checksum
		a.Package, err = k.Package(ctx, a.Sum)
	}
	return a, err
}
