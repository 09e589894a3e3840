package access

import (
	"context"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/model"
)

// Exported for the tests, which are in another package.
const MaxEnded = maxEnded
const MaxInstalled = maxInstalled
const MaxRedirects = limit.RedirectURIs

var Stands = isStanding

// Register adds a credential to the directory.
func Register(ctx context.Context, c *core.Core, secret apikey.Secret, id xid.ID) error {
	return New(c, Engines{}, nil, nil).register(ctx, secret, id)
}

// Installs reads the standing grants of apps.
func Installs(ctx context.Context, c *core.Core, found []xid.ID, now micros.Time) ([]*model.InstalledApp, error) {
	return New(c, Engines{}, nil, nil).installs(ctx, found, now)
}
