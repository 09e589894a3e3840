package theme

import (
	"encoding/binary"
	"strings"
)

func hostileImages() []hostile {
	image := func(name, body string) []byte { return good().with("assets/"+name, body).zip() }
	png, jpeg, gif, webp := somePNG(40, 40), someJPEG(40, 40), someGIF(4, 4, 2), someWebP()
	const size = "The image is larger than 8192 by 8192 or 25 million pixels."
	scans := jpeg[:len(jpeg)-2] + strings.Repeat("\xff\xda", maxScans) + "\xff\xd9"
	return []hostile{
		{"PNG cut off", image("a.png", png[:len(png)-20]), "assets/a.png: " + brokenImage},
		{"PNG's header alone", image("a.png", png[:33]), "assets/a.png: " + brokenImage},
		{"PNG's signature alone", image("a.png", png[:8]), "assets/a.png: " + brokenImage},
		{"PNG with another checksum", image("a.png", strings.Replace(png, "IDAT", "IDAU", 1)),
			"assets/a.png: " + brokenImage},
		{"PNG with data behind it", image("a.png", png+"<script>"), "assets/a.png: " + trailing},
		{"animated PNG", image("a.png", chunkPNG(png, "acTL", "\x00\x00\x00\x02\x00\x00\x00\x00")),
			"assets/a.png: Animated PNG images are not supported."},
		{"PNG that is wide", image("a.png", sizedPNG(8193, 1)), "assets/a.png: " + size},
		{"PNG that is high", image("a.png", sizedPNG(1, 1<<30)), "assets/a.png: " + size},
		{"PNG of many pixels", image("a.png", sizedPNG(8192, 8192)), "assets/a.png: " + size},
		{"PNG with fewer pixels than it says", image("a.png", sizedPNG(4000, 4000)), "assets/a.png: " + brokenImage},
		{"PNG that takes memory", image("a.png", deepPNG(5000, 5000)),
			"assets/a.png: The image takes too much memory to decode. Reduce its pixels or frames, or save it " +
				"with 8 bits per channel and not progressive."},
		{"JPEG cut off", image("a.jpg", jpeg[:len(jpeg)-10]), "assets/a.jpg: " + brokenImage},
		{"JPEG's start alone", image("a.jpeg", jpeg[:3]), "assets/a.jpeg: " + brokenImage},
		{"JPEG in many passes", image("a.jpg", scans), "assets/a.jpg: The image has more than 100 scans."},
		{"GIF cut off", image("a.gif", gif[:len(gif)-1]), "assets/a.gif: " + brokenImage},
		{"GIF's header alone", image("a.gif", gif[:13]), "assets/a.gif: " + brokenImage},
		{"GIF with data behind it", image("a.gif", gif+"<script>"), "assets/a.gif: " + trailing},
		{"GIF without frames", image("a.gif", "GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "assets/a.gif: " + brokenImage},
		{"GIF of many frames", image("a.gif", someGIF(1, 1, maxFrames+1)),
			"assets/a.gif: The animation has more than 1000 frames."},
		{"GIF of many pixels in all", image("a.gif", tallGIF(5000, 5000, 20)),
			"assets/a.gif: The image takes too much memory to decode. Reduce its pixels or frames, or save it " +
				"with 8 bits per channel and not progressive."},
		{"WebP cut off", image("a.webp", webp[:len(webp)-6]), "assets/a.webp: " + brokenImage},
		{"WebP with data behind it", image("a.webp", webp+"<script>"), "assets/a.webp: " + trailing},
		{"WebP without an image", image("a.webp", "RIFF\x04\x00\x00\x00WEBP"), "assets/a.webp: " + brokenImage},
		{"animated WebP", image("a.webp", animatedWebP()), "assets/a.webp: Animated WebP images are not supported."},
		{"SVG with script", image("a.svg", strings.Replace(goodSVG, "<style>", "<script>alert(1)</script><style>", 1)),
			"assets/a.svg: The image has a script."},
	}
}

// deepPNG returns a header with sixteen bits and interlacing.
func deepPNG(w, h int) string {
	b := []byte(sizedPNG(w, h))
	b[24], b[25], b[28] = 16, 6, 1
	binary.BigEndian.PutUint32(b[29:], crc(b[12:29]))
	return string(b)
}

// tallGIF returns a GIF with a large screen and small frames.
func tallGIF(w, h, frames int) string {
	b := []byte(someGIF(1, 1, frames))
	binary.LittleEndian.PutUint16(b[6:], uint16(w))
	binary.LittleEndian.PutUint16(b[8:], uint16(h))
	return string(b)
}

func animatedWebP() string {
	chunks := "WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"ANIM\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	return "RIFF" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(chunks)))) + chunks
}

func hostileFonts() []hostile {
	font := func(name, body string) []byte { return good().with("assets/"+name, body).zip() }
	ttf, woff, woff2 := someFont("\x00\x01\x00\x00"), someWOFF(), someWOFF2()
	set := func(text string, at int, b ...byte) string { return text[:at] + string(b) + text[at+len(b):] }
	return []hostile{
		{"TrueType cut off", font("b.ttf", ttf[:len(ttf)-1]), "assets/b.ttf: " + brokenFont},
		{"TrueType's version alone", font("b.ttf", ttf[:4]), "assets/b.ttf: " + brokenFont},
		{"TrueType without tables", font("b.ttf", set(ttf, 4, 0, 0)), "assets/b.ttf: " + brokenFont},
		{"TrueType with 65535 tables", font("b.ttf", set(ttf, 4, 255, 255)), "assets/b.ttf: " + brokenFont},
		{"TrueType with a table outside", font("b.ttf", set(ttf, 12+8, 255, 255, 255, 255)),
			"assets/b.ttf: " + brokenFont},
		{"TrueType with a table in its header", font("b.ttf", set(ttf, 12+8, 0, 0, 0, 0)),
			"assets/b.ttf: " + brokenFont},
		{"TrueType with a table twice", font("b.ttf", strings.Replace(ttf, "cmap", "maxp", 1)),
			"assets/b.ttf: " + brokenFont},
		{"TrueType with another head", font("b.ttf", strings.Replace(ttf, "\x5f\x0f\x3c\xf5", "\x5f\x0f\x3c\xf6", 1)),
			"assets/b.ttf: " + brokenFont},
		{"TrueType without cmap", font("b.ttf", strings.Replace(ttf, "cmap", "XXXX", 1)), "assets/b.ttf: " + poorFont},
		{"OpenType as TrueType", font("b.ttf", someFont("OTTO")),
			"assets/b.ttf: The file is an OpenType font, but its name suggests a TrueType font."},
		{"collection", font("b.ttf", "ttcf"+ttf),
			"assets/b.ttf: The file is not a TrueType font, as its name suggests."},
		{"WOFF cut off", font("b.woff", woff[:len(woff)-1]), "assets/b.woff: " + brokenFont},
		{"WOFF's header alone", font("b.woff", woff[:20]), "assets/b.woff: " + brokenFont},
		{"WOFF with a table outside", font("b.woff", set(woff, 44+4, 255, 0, 0, 0)), "assets/b.woff: " + brokenFont},
		{"WOFF with a table that grows when packed", font("b.woff", set(woff, 44+12, 0, 0, 0, 1)),
			"assets/b.woff: " + brokenFont},
		{"WOFF that is huge unpacked", font("b.woff", set(woff, 44+12, 255, 0, 0, 0)),
			"assets/b.woff: The font is larger than 40 MiB when unpacked."},
		{"WOFF without cmap", font("b.woff", strings.Replace(woff, "cmap", "XXXX", 1)), "assets/b.woff: " + poorFont},
		{"WOFF2 cut off", font("b.woff2", woff2[:len(woff2)-1]), "assets/b.woff2: " + brokenFont},
		{"WOFF2's header alone", font("b.woff2", woff2[:47]), "assets/b.woff2: " + brokenFont},
		{"WOFF2 with a table twice", font("b.woff2", set(woff2, 48, 1)), "assets/b.woff2: " + brokenFont},
		{"WOFF2 with a number that does not end", font("b.woff2", set(woff2, 49, 255, 255, 255, 255, 255)),
			"assets/b.woff2: " + brokenFont},
		{"WOFF2 without data", font("b.woff2", set(woff2, 20, 0, 0, 0, 0)), "assets/b.woff2: " + brokenFont},
		{"WOFF2 with metadata outside", font("b.woff2", set(woff2, 28, 0, 0, 255, 0)), "assets/b.woff2: " + brokenFont},
		{"WOFF2 that is huge unpacked", font("b.woff2", set(woff2, 16, 255, 0, 0, 0)),
			"assets/b.woff2: The font is larger than 40 MiB when unpacked."},
		{"WOFF2 without cmap", font("b.woff2", set(woff2, 48, 5)), "assets/b.woff2: " + poorFont},
		{"WOFF2 collection", font("b.woff2", set(woff2, 4, 't', 't', 'c', 'f')), "assets/b.woff2: " + brokenFont},
	}
}
