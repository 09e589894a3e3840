package install

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
)

// renew updates a marketplace listing to the version of this program if that is newer. Stores
// update to it when they choose. An older program, or one whose listing was updated meanwhile,
// changes nothing, so the order in which programs start does not matter.
func (k *Keeper) renew(ctx context.Context, listing *db.MarketplaceTheme, s prepared) error {
	m := s.pkg.Manifest
	if listing.SubmitterID != nil || !later(version(m), listing.ThemeVersion) {
		return nil
	}
	if err := k.keepPackage(ctx, s.sum, s.content); err != nil {
		return err
	}
	update := k.Store.DB(ctx).MarketplaceTheme.Update().
		Where(marketplacetheme.ID(listing.ID), marketplacetheme.Checksum(listing.Checksum),
			marketplacetheme.ThemeVersion(listing.ThemeVersion)).
		SetName(m.Name).SetTagline(s.Tagline).SetThemeVersion(version(m)).SetCategories(s.categories()).
		SetChecksum(s.sum).SetUpdatedAt(max(micros.Now(), listing.UpdatedAt+1))
	if picture := preview(s.pkg); picture != nil {
		update.SetPreview(*picture)
	} else {
		update.ClearPreview()
	}
	return fault.Wrap("renew", update.Exec(ctx))
}

// later reports whether version a, such as 1.10.0, is newer than b.
func later(a, b string) bool {
	return slices.Compare(numbers(a), numbers(b)) > 0
}

// numbers returns the parts of a version. A part that is not a number counts as 0.
func numbers(version string) []int {
	parts := strings.Split(version, ".")
	list := make([]int, len(parts))
	for i, p := range parts {
		list[i], _ = strconv.Atoi(p)
	}
	return list
}
