package pixel

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// maxProfile bounds the colour profile of a picture: those of cameras and telephones have
// about 600 bytes, or 3,000.
const maxProfile = 8 << 10

// profileMark begins the segment of a JPEG that holds its profile, when one segment does
// (ICC.1:2022, section B.4).
var profileMark = []byte("ICC_PROFILE\x00\x01\x01")

// profile finds the colour profile of a JPEG of three colours: without it, what a telephone
// takes would be shown in duller ones. One that is not of the form of a profile is none.
func profile(b []byte) []byte {
	const app2 = 0xe2
	for marker, data := range segments(b) {
		p, ok := bytes.CutPrefix(data, profileMark)
		if marker == app2 && ok {
			whole := len(p) >= 128 && len(p) <= maxProfile && int(binary.BigEndian.Uint32(p)) == len(p)
			if whole && string(p[16:20]) == "RGB " && string(p[36:40]) == "acsp" {
				return p
			}
			return nil
		}
	}
	return nil
}

// withProfile puts a profile behind the beginning of a JPEG.
func withProfile(b, p []byte) []byte {
	if len(p) == 0 {
		return b
	}
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe2}, uint16(2+len(profileMark)+len(p)))
	return slices.Concat(head, profileMark, p, b[2:])
}
