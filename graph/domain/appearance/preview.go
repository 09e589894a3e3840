package appearance

import (
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// The parameters of a preview URL. It is signed for the path "/" and valid for every page.
const (
	// PreviewTheme names the theme, PreviewStore its store.
	PreviewTheme = "preview"
	PreviewStore = "store"
)

// PreviewURL returns the URL at which anyone who has it can preview a theme of the store, until the
// end of tomorrow, UTC. It is constant for a day, so representations that contain it, and their
// ETags, are too.
func (r *Resolver) PreviewURL(s *db.Store, theme xid.ID) string {
	today := micros.Now().Time().Truncate(24 * time.Hour)
	return r.StoreOrigin(s.Handle) + r.Links.Sign("/", micros.Of(today.AddDate(0, 0, 2)),
		PreviewTheme, xid.Theme.Format(theme), PreviewStore, xid.Store.Format(s.ID))
}
