package picture

import (
	"bytes"
	"image"
	_ "image/gif"  // registers the format
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format

	_ "golang.org/x/image/webp" // registers the format
)

// maxPixels bounds a picture, so that browsers can decode it.
const maxPixels = 50_000_000

// types are the formats that are kept, by the names under which they register. What
// else may have registered is refused; so is SVG, which is a document.
var types = map[string]string{"gif": "image/gif", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp"}

// judged is what the beginning of a picture says.
type judged struct {
	contentType   string
	width, height int
}

// judge reads the type and the size of a picture from its own bytes, and decodes none
// of it.
func judge(b []byte) (j judged, err error) {
	defer func() {
		// The decoders are made for hostile input, but a mistake in one of them must not
		// let the same bytes come again and again.
		if recover() != nil {
			err = errNoPicture
		}
	}()
	c, format, err := image.DecodeConfig(bytes.NewReader(b))
	j = judged{types[format], c.Width, c.Height}
	switch {
	case err != nil || j.contentType == "" || c.Width <= 0 || c.Height <= 0:
		return j, errNoPicture
	case int64(c.Width)*int64(c.Height) > maxPixels:
		return j, &refusal{refused, "the picture has more than 50 million pixels"}
	}
	return j, nil
}

var errNoPicture = &refusal{refused, "this is no picture in JPEG, PNG, WebP or GIF"}
