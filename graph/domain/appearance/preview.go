package appearance

import (
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// The parameters of a preview's address, which is signed for the path "/" and
// serves every page.
const (
	// PreviewTheme names the theme, PreviewStore the store whose theme it is.
	PreviewTheme = "preview"
	PreviewStore = "store"
)

// PreviewURL is the address at which a theme of the store can be looked at by
// whoever holds it, until the end of tomorrow, UTC. It is the same all day, and so
// are the representations that hold it, and their ETags.
func (r *Resolver) PreviewURL(s *db.Store, theme xid.ID) string {
	today := micros.Now().Time().Truncate(24 * time.Hour)
	return r.StoreOrigin(s.Handle) + r.Links.Sign("/", micros.Of(today.AddDate(0, 0, 2)),
		PreviewTheme, xid.Theme.Format(theme), PreviewStore, xid.Store.Format(s.ID))
}
