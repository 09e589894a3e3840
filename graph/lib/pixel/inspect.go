// Package pixel checks, cleans and scales untrusted images. It has no state: the caller bounds how
// many are processed at once, by [Header.Weight].
package pixel

import (
	"bytes"
	"image"
	_ "image/gif"  // registers the format
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format

	_ "golang.org/x/image/webp" // registers the format

	"github.com/storefront-go/storefront/ent/limit"
)

// The formats, by their media types.
const (
	GIF  = "image/gif"
	JPEG = "image/jpeg"
	PNG  = "image/png"
	WebP = "image/webp"
)

// types are the accepted formats, by the names under which their decoders register. Other
// registered formats are refused, and so is SVG, which is a document.
var types = map[string]string{"gif": GIF, "jpeg": JPEG, "png": PNG, "webp": WebP}

// Fault says what is wrong with an image, in a sentence for the sender.
type Fault struct{ Text string }

func (f *Fault) Error() string { return f.Text }

// Reasons for refusing an image.
var (
	ErrNone     = &Fault{"This is not a JPEG, PNG, WebP or GIF image."}
	ErrPhone    = &Fault{"AVIF and HEIC images are not supported. Save it as JPEG or PNG."}
	ErrPixels   = &Fault{"The image has more than 50 million pixels."}
	ErrBroken   = &Fault{"The image is damaged or incomplete."}
	ErrPasses   = &Fault{"The image has too many progressive passes. Save it as a non-progressive image."}
	ErrAnimated = &Fault{"Animated WebP images are not supported. Use a GIF instead."}
	ErrFrames   = &Fault{"The animation has too many frames."}
	ErrSide     = &Fault{"The image is too large. No side may have more than 20,000 pixels."}
	ErrLarge    = &Fault{"The stored image would exceed 20 MiB. Use fewer pixels."}
)

// Header is the information at the beginning of an image.
type Header struct {
	ContentType string
	// Width and Height are in pixels.
	Width, Height int
}

// MaxWeight is the weight of the largest image.
const MaxWeight = 2 * limit.ImagePixels

// Weight is the cost of decoding the image, which callers bound: one unit is about four bytes.
func (h Header) Weight() int64 { return min(2*int64(h.Width)*int64(h.Height), MaxWeight) }

// Inspect reads the type and the size of an image from its bytes, without decoding it. Its error is a
// [Fault].
func Inspect(b []byte) (h Header, err error) {
	defer func() {
		// The decoders are made for hostile input, but a bug in one of them must not crash the
		// caller.
		if recover() != nil {
			h, err = Header{}, ErrNone
		}
	}()
	c, format, err := image.DecodeConfig(bytes.NewReader(b))
	h = Header{types[format], c.Width, c.Height}
	switch {
	case animated(b): // the decoder finds no image, or one of many
		return h, ErrAnimated
	case phone(b):
		return h, ErrPhone
	case err != nil || h.ContentType == "" || c.Width <= 0 || c.Height <= 0:
		return h, ErrNone
	case int64(c.Width)*int64(c.Height) > limit.ImagePixels:
		return h, ErrPixels
	}
	return h, nil
}

// animated reports whether a WebP has the animation flag (RFC 9649, section 2.7).
func animated(b []byte) bool {
	const flag = 0x02
	return len(b) > 20 && string(b[8:16]) == "WEBPVP8X" && b[20]&flag != 0
}

// phone reports whether a file has one of the formats that phones take photos in: AVIF or HEIC
// (ISO/IEC 23008-12, by the brand of its first box).
func phone(b []byte) bool {
	if len(b) < 12 || string(b[4:8]) != "ftyp" {
		return false
	}
	switch string(b[8:12]) {
	case "avif", "avis", "heic", "heix", "hevc", "heim", "heis", "mif1", "msf1":
		return true
	}
	return false
}
