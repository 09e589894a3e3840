package images

import "github.com/storefront-go/storefront/graph/lib/pixel"

// judge reads the type and the size of a picture that was fetched, and decodes none of it.
func judge(b []byte) (pixel.Header, error) {
	h, err := pixel.Judge(b)
	if err != nil {
		return h, &refusal{refused, err.Error()}
	}
	return h, nil
}
