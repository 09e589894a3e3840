package catalog

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// Uploaded cleans a file, given in base64, for the input of an addition. Who does so
// before they begin a transaction, as for an idempotency key, keeps nobody waiting for it
// meanwhile. It returns nil for what the addition then refuses by its form.
func (r *Resolver) Uploaded(ctx context.Context, text string) *images.Upload {
	c := &core.Check{}
	body := checkContent(c, "content", text)
	if c.Err() != nil {
		return nil
	}
	return r.upload(ctx, body)
}

// upload cleans a picture and keeps it, within the megapixels that the store has in a minute.
func (r *Resolver) upload(ctx context.Context, body []byte) *images.Upload {
	h, err := pixel.Judge(body)
	if err == nil {
		const mega = 1_000_000
		err = r.Megapixels.Spend(ctx, r.Core, max(1, int64(h.Width)*int64(h.Height)/mega))
	}
	if err != nil {
		return &images.Upload{Err: err}
	}
	return r.Pictures.Upload(ctx, body)
}

// checkContent reads the base64 of a file (RFC 4648, section 4).
func checkContent(c *core.Check, name, text string) []byte {
	const tooLong = "The file has more than 20 MiB."
	if len(text) > base64.StdEncoding.EncodedLen(limit.ImageBytes) {
		c.Add(name, fault.TooLong, tooLong)
		return nil
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	switch {
	case err != nil || strings.ContainsAny(text, "\r\n"): // the library skips these
		c.Add(name, fault.InvalidFormat, "The file is not base64 in the standard alphabet, with padding.")
	case len(b) > limit.ImageBytes:
		c.Add(name, fault.TooLong, tooLong)
	case len(b) == 0:
		c.Add(name, fault.TooShort, "The file is empty.")
	}
	return b
}
