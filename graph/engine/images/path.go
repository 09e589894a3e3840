package images

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// Root is where the host of a store serves its pictures. One that was uploaded is
// under its id, as <object>.jpg, and <object>-800.jpg at one of its [Widths].
const Root = "/pictures/"

// endings are those of the types that are kept.
var endings = map[string]string{pixel.JPEG: ".jpg", pixel.PNG: ".png", pixel.GIF: ".gif"}

// Path is where the host of a store serves an uploaded picture at one of its [Widths].
func Path(img *db.ProductImage, width int) string {
	return Root + img.PublicID() + "/" + File(img, width)
}

// File is the name of an uploaded picture at one of its [Widths], which always stands for the same
// bytes.
func File(img *db.ProductImage, width int) string {
	name := hex.EncodeToString(img.ObjectID[:])
	if width < img.Width {
		name += "-" + strconv.Itoa(width)
	}
	return name + endings[img.ContentType]
}

// ParsePath reads the path of an uploaded picture: its id and its file.
func ParsePath(path string) (id xid.ID, file string, ok bool) {
	text, file, ok := strings.Cut(strings.TrimPrefix(path, Root), "/")
	if !ok {
		return id, "", false
	}
	id, err := xid.ProductImage.Parse(text)
	return id, file, err == nil
}

// WidthOf is the width at which a file shows a picture; false for no file of it.
func WidthOf(img *db.ProductImage, file string) (width int, ok bool) {
	for _, w := range append(Widths(img.ContentType, img.Width), img.Width) {
		if File(img, w) == file {
			return w, true
		}
	}
	return 0, false
}
