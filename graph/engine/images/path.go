package images

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// Root is the path under which a store's host serves its images. An uploaded image is under its id,
// as <object>.jpg, and as <object>-800.jpg at one of its [Widths].
const Root = "/pictures/"

// endings are the file extensions of the stored types.
var endings = map[string]string{pixel.JPEG: ".jpg", pixel.PNG: ".png", pixel.GIF: ".gif"}

// Path returns the path of an uploaded image at one of its [Widths].
func Path(img *db.ProductImage, width int) string {
	return Root + img.PublicID() + "/" + File(img, width)
}

// File returns the file name of an uploaded image at one of its [Widths]. The same name always
// stands for the same bytes.
func File(img *db.ProductImage, width int) string {
	name := hex.EncodeToString(img.ObjectID[:])
	if width < img.Width {
		name += "-" + strconv.Itoa(width)
	}
	return name + endings[img.ContentType]
}

// ParsePath splits the path of an uploaded image into its id and its file.
func ParsePath(path string) (id xid.ID, file string, ok bool) {
	text, file, ok := strings.Cut(strings.TrimPrefix(path, Root), "/")
	if !ok {
		return id, "", false
	}
	id, err := xid.ProductImage.Parse(text)
	return id, file, err == nil
}

// WidthOf returns the width of a file of an image, and false if the image has no such file.
func WidthOf(img *db.ProductImage, file string) (width int, ok bool) {
	for _, w := range append(Widths(img.ContentType, img.Width), img.Width) {
		if File(img, w) == file {
			return w, true
		}
	}
	return 0, false
}
