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

// DecodeUpload decodes and sanitizes a base64 file for the input of [Mutation.ProductImageAdd]. Callers
// use it before a transaction, such as that of an idempotency key, which should not last as long.
// It returns nil if the file is malformed; the mutation then reports it.
func (r *Resolver) DecodeUpload(ctx context.Context, text string) *images.Upload {
	c := &core.Check{}
	body := checkContent(c, "content", text)
	if c.Err() != nil {
		return nil
	}
	return r.upload(ctx, body)
}

// upload sanitizes an image and stores it, within the store's megapixels per minute.
func (r *Resolver) upload(ctx context.Context, body []byte) *images.Upload {
	h, err := pixel.Inspect(body)
	if err == nil {
		const mega = 1_000_000
		err = r.megapixels.Spend(ctx, r.Core, max(1, int64(h.Width)*int64(h.Height)/mega))
	}
	if err != nil {
		return &images.Upload{Err: err}
	}
	return r.Images.Upload(ctx, body)
}

// checkContent decodes the base64 of a file (RFC 4648, section 4).
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
