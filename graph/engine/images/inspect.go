package images

import "github.com/storefront-go/storefront/graph/lib/pixel"

// inspect returns the type and the size of a fetched image without decoding it.
func inspect(b []byte) (pixel.Header, error) {
	h, err := pixel.Inspect(b)
	if err != nil {
		return h, &refusal{refused, err.Error()}
	}
	return h, nil
}
