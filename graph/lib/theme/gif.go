package theme

import (
	"bytes"
	"image"
	"image/gif"
	"io"
)

// decodeGIF decodes every frame and returns their common area.
func decodeGIF(r io.Reader) (image.Image, error) {
	g, err := gif.DecodeAll(r)
	if err != nil {
		return nil, err
	}
	return image.Rect(0, 0, g.Config.Width, g.Config.Height), nil
}

// frameGIF walks the blocks (GIF89a, sections 17 to 27) and counts the frames. It accepts only what
// Go's decoder parses in the same way, so that no frame escapes the count.
func frameGIF(b []byte, _ image.Config) (depth, frames int, detail string) {
	rest, ok := b[13:], true
	if b[10]&0x80 != 0 {
		rest, ok = skip(rest, 3<<(b[10]&7+1))
	}
	for ok && len(rest) > 0 {
		kind := rest[0]
		rest = rest[1:]
		switch kind {
		case 0x21:
			rest, ok = skipExtension(rest)
		case 0x2c:
			rest, ok = skipFrame(rest)
			frames++
		case 0x3b:
			return endGIF(rest, frames)
		default:
			ok = false
		}
	}
	return 0, 0, brokenImage
}

func endGIF(rest []byte, frames int) (depth, count int, detail string) {
	switch {
	case len(bytes.Trim(rest, "\x00")) > 0: // some programs pad with zeros
		return 0, 0, trailing
	case frames == 0:
		return 0, 0, brokenImage
	case frames > maxFrames:
		return 0, 0, "The animation has more than 1000 frames."
	}
	return 1, frames, ""
}

// skipExtension skips an extension. The decoder reads the first block of each kind specially, which
// is equivalent only if it has the expected length.
func skipExtension(b []byte) (rest []byte, ok bool) {
	if len(b) < 2 {
		return nil, false
	}
	switch label, size := b[0], b[1]; {
	case label == 0x01 && size == 12: // plain text
	case label == 0xff && size > 0: // application
	case label == 0xfe: // comment
	case label == 0xf9 && size == 4 && len(b) > 6 && b[6] == 0: // graphic control
	default:
		return nil, false
	}
	return skipBlocks(b[1:])
}

func skipFrame(b []byte) (rest []byte, ok bool) {
	if len(b) < 9 {
		return nil, false
	}
	flags := b[8]
	rest, ok = b[9:], true
	if flags&0x80 != 0 {
		rest, ok = skip(rest, 3<<(flags&7+1))
	}
	if rest, ok2 := skip(rest, 1); ok && ok2 {
		return skipBlocks(rest)
	}
	return nil, false
}

// skipBlocks skips sub-blocks, each preceded by its length, up to the empty one.
func skipBlocks(b []byte) (rest []byte, ok bool) {
	for len(b) > 0 {
		size := int(b[0])
		if size == 0 {
			return b[1:], true
		}
		if b, ok = skip(b, 1+size); !ok {
			break
		}
	}
	return nil, false
}

func skip(b []byte, n int) (rest []byte, ok bool) {
	if len(b) < n {
		return nil, false
	}
	return b[n:], true
}
