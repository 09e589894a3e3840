package images

import (
	"context"
	"regexp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/xid"
)

// InLibrary selects the files of the media library, newest first along [ProductIndex]. They are
// images of no product, so that every release serves and keeps them.
var InLibrary = []predicate.ProductImage{productimage.ProductID(xid.Nil), productimage.Position(0)}

// Media returns a file of the media library of the viewer's store, or nil.
func Media(ctx context.Context, c *db.Client, id xid.ID) (*db.ProductImage, error) {
	rows, err := c.ProductImage.Query().Where(productimage.ID(id)).Where(InLibrary...).Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// HasPath reports whether the media library of the viewer's store has a file with this path.
func HasPath(ctx context.Context, c *db.Client, path string) (bool, error) {
	id, name, ok := ParsePath(path)
	if !ok {
		return false, nil
	}
	img, err := Media(ctx, c, id)
	if img == nil || err != nil {
		return false, err
	}
	width, ok := WidthOf(img, name)
	return ok && path == Path(img, width), nil
}

// PathWithin returns the path of an image in the largest of its [Widths] that is not above most, or
// in its smallest one. An animation has only its own.
func PathWithin(img *db.ProductImage, most int) string {
	widths := Widths(img.ContentType, img.Width)
	path := Path(img, widths[0])
	for _, w := range widths {
		if w <= most {
			path = Path(img, w)
		}
	}
	return path
}

// fileName is the form of the names of files in paths.
var fileName = regexp.MustCompile(`^[0-9a-f]{32}(-[0-9]{3,4})?\.(jpg|png|gif)$`)

// IsPath reports whether a text has the form of an uploaded image's path.
func IsPath(text string) bool {
	id, name, ok := ParsePath(text)
	return ok && text == Root+xid.ProductImage.Format(id)+"/"+name && fileName.MatchString(name)
}
