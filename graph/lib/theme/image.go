package theme

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

const (
	maxSide   = 8192
	maxPixels = 25_000_000
	maxFrames = 1000
	// maxWork is how many pixels all images of a theme may have together, counting each frame of an
	// animation. It bounds the time of checking a theme.
	maxWork = 200_000_000
	// maxMemory bounds the memory for decoding one image, in bytes.
	maxMemory = 256 << 20
	// maxScans bounds the passes of a JPEG. Each pass goes over all pixels, but may be a few bytes
	// long.
	maxScans = 100
)

const (
	brokenImage = "The image is damaged or truncated."
	trailing    = "The image has data after its end."
)

type decoder struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	// frame checks the file's structure before decoding. It returns how many bytes per pixel
	// decoding takes, and the number of frames.
	frame func(b []byte, c image.Config) (depth, frames int, detail string)
}

var decoders = map[string]decoder{
	"png":  {png.DecodeConfig, png.Decode, framePNG},
	"jpg":  {jpeg.DecodeConfig, jpeg.Decode, frameJPEG},
	"gif":  {gif.DecodeConfig, decodeGIF, frameGIF},
	"webp": {webp.DecodeConfig, webp.Decode, frameWebP},
}

// checkImage decodes an image completely, after checking what that takes. It subtracts the pixels
// from work, the number that may still be decoded.
func checkImage(ext string, b []byte, work *int64) (width, height int, detail string) {
	defer func() {
		// The decoders are made for hostile input, but a bug in one of them must not crash the
		// program.
		if recover() != nil {
			width, height, detail = 0, 0, brokenImage
		}
	}()
	d := decoders[ext]
	c, err := d.config(bytes.NewReader(b))
	if err != nil || c.Width <= 0 || c.Height <= 0 {
		return 0, 0, brokenImage
	}
	pixels := int64(c.Width) * int64(c.Height)
	if c.Width > maxSide || c.Height > maxSide || pixels > maxPixels {
		return 0, 0, "The image is larger than 8192 by 8192 or 25 million pixels."
	}
	depth, frames, detail := d.frame(b, c)
	if detail != "" {
		return 0, 0, detail
	}
	if pixels*int64(frames)*int64(depth) > maxMemory {
		return 0, 0, "The image takes too much memory to decode. Reduce its pixels or frames, or save it with 8 " +
			"bits per channel and not progressive."
	}
	if *work -= pixels * int64(frames); *work < 0 {
		return 0, 0, "The images of the theme have more than 200 million pixels in total."
	}
	if m, err := d.decode(bytes.NewReader(b)); err != nil || m.Bounds().Dx() != c.Width || m.Bounds().Dy() != c.Height {
		return 0, 0, brokenImage
	}
	return c.Width, c.Height, ""
}

// framePNG walks the chunks (ISO/IEC 15948, section 5). Go's decoder ignores animations, so their
// frames would not be checked.
func framePNG(b []byte, _ image.Config) (depth, frames int, detail string) {
	const ihdr = 8 + 8 // the signature, a length, a type
	for rest := b[8:]; ; {
		if len(rest) < 12 || int(big32(rest, 0)) > len(rest)-12 {
			return 0, 0, brokenImage
		}
		kind := string(rest[4:8])
		rest = rest[12+int(big32(rest, 0)):]
		if kind == "acTL" {
			return 0, 0, "Animated PNG images are not supported."
		}
		if kind == "IEND" && len(rest) > 0 {
			return 0, 0, trailing
		}
		if kind == "IEND" {
			break
		}
	}
	depth = 4
	if b[ihdr+8] == 16 { // bits per channel
		depth = 8
	}
	if b[ihdr+12] != 0 { // interlaced: each pass is a separate image
		depth *= 2
	}
	return depth, 1, ""
}

// frameJPEG counts passes. The count is never too low, whatever the decoder considers a marker.
func frameJPEG(b []byte, c image.Config) (depth, frames int, detail string) {
	channels := 3
	switch c.ColorModel {
	case color.GrayModel:
		channels = 1
	case color.CMYKModel:
		channels = 4
	}
	depth = channels + 4 // and a copy in another color model
	if bytes.Contains(b, []byte{0xff, 0xc2}) {
		depth += 4 * channels // progressive: coefficients of four bytes
	}
	if bytes.Count(b, []byte{0xff, 0xda}) > maxScans {
		return 0, 0, "The image has more than 100 scans."
	}
	return depth, 1, ""
}

// frameWebP walks the chunks (RFC 9649, section 2).
func frameWebP(b []byte, _ image.Config) (depth, frames int, detail string) {
	if size := int(u32(b, 4)) + 8; size > len(b) {
		return 0, 0, brokenImage
	} else if size < len(b) {
		return 0, 0, trailing
	}
	for rest := b[12:]; len(rest) >= 8; {
		kind, size := string(rest[:4]), int(u32(rest, 4))
		size += size & 1
		if size > len(rest)-8 {
			return 0, 0, brokenImage
		}
		if kind == "ANIM" || kind == "ANMF" {
			return 0, 0, "Animated WebP images are not supported."
		}
		rest = rest[8+size:]
	}
	return 8, 1, ""
}
