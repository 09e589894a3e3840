package images

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/viewer"
)

// Download fetches the file of an image of up to 20 MiB from an https address for the viewer's store,
// without a look into it. It waits for capacity. [Refused] explains an error of the host, and
// [Temporary] says whether to try again.
func (k *Keeper) Download(ctx context.Context, address string) ([]byte, error) {
	leave, err := k.fetching.enter(ctx, viewer.From(ctx).Store, 1)
	if err != nil {
		return nil, err
	}
	defer leave()
	return k.download(ctx, address)
}

// Temporary reports whether a host may yet deliver what it did not deliver now.
func Temporary(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.temporary
}
