package pixel

import "bytes"

const (
	// maxFrames bounds the frames of an animation, and maxFramePixels the pixels of all of them.
	maxFrames      = 1000
	maxFramePixels = 1_000_000_000
)

// Block types of a GIF, and the labels of its extensions (GIF89a, appendix A).
const (
	gifExtension = 0x21
	gifFrame     = 0x2c
	gifEnd       = 0x3b

	gifControl     = 0xf9
	gifApplication = 0xff
)

// loops are the application extensions that set how often an animation repeats. All browsers
// support them.
var loops = [][]byte{[]byte("\x0bNETSCAPE2.0"), []byte("\x0bANIMEXTS1.0")}

// cleanGIF walks the blocks (GIF89a, sections 17 to 27), counts the frames and copies only what
// they need. It leaves out comments, texts, application data and trailing data.
func cleanGIF(b []byte) (plain []byte, frames int, err error) {
	head := 13
	if len(b) >= head {
		head += table(b[10])
	}
	if len(b) < head {
		return nil, 0, ErrBroken
	}
	plain = append(make([]byte, 0, len(b)), b[:head]...)
	for rest := b[head:]; len(rest) > 1; {
		var size int
		used := true
		switch rest[0] {
		case gifExtension:
			size = 2 + blocks(cut(rest, 2))
			used = needed(rest[1], rest[2:min(size, len(rest))])
		case gifFrame:
			size = frame(rest)
			frames++
		default:
			return nil, 0, ErrBroken
		}
		if size > len(rest)-1 { // at least the trailer follows
			return nil, 0, ErrBroken
		}
		if used {
			plain = append(plain, rest[:size]...)
		}
		if rest = rest[size:]; rest[0] == gifEnd {
			if frames == 0 {
				return nil, 0, ErrBroken
			}
			return append(plain, gifEnd), frames, nil
		}
	}
	return nil, 0, ErrBroken
}

// needed reports whether an extension affects the display and is well-formed.
func needed(label byte, data []byte) bool {
	switch label {
	case gifControl:
		return len(data) == 6 && data[0] == 4
	case gifApplication:
		for _, loop := range loops {
			if times, ok := bytes.CutPrefix(data, loop); ok {
				return len(times) == 5 && times[0] == 3 && times[1] == 1
			}
		}
	}
	return false
}

// table returns the size in bytes of the color table that flags announce.
func table(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// frame returns the length of a frame. If it is cut off, that is more than the length of b.
func frame(b []byte) int {
	if len(b) < 11 {
		return len(b) + 1
	}
	size := 10 + table(b[9]) + 1 // and the code size
	return size + blocks(cut(b, size))
}

// blocks returns the length of a sequence of sub-blocks, each preceded by its size, including the
// empty last one. If it is cut off, that is more than the length of b.
func blocks(b []byte) int {
	for at := 0; at < len(b); at += 1 + int(b[at]) {
		if b[at] == 0 {
			return at + 1
		}
	}
	return len(b) + 1
}
