package rest

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/rest/dashboard"
	"github.com/storefront-go/storefront/rest/shop"
)

// picturePath serves the copy of a product's external image on the dashboard. The query ?v= makes
// addresses differ, so that browsers can cache them.
const picturePath = dashboard.Root + "/pictures/{store}/{product}"

// imagePath serves an uploaded image on the dashboard, as the host of its store does.
const imagePath = dashboard.Root + "/pictures/{store}/{image}/{file}"

// returnFilePath serves the label or a photo of a return on the dashboard.
const returnFilePath = dashboard.Root + "/returns/{store}/{return}/{position:[0-9]}"

// Headers of images; never changed. At the host of a store an image is public, like the page that
// shows it; on the dashboard it is private to the person.
var (
	shopPicture = http.Header{"Cache-Control": immutable, "Cross-Origin-Resource-Policy": anyResource}
	ownPicture  = http.Header{"Cache-Control": {"private, max-age=86400"},
		"Cross-Origin-Resource-Policy": {"same-origin"}}
	ownImage = http.Header{"Cache-Control": {"private, max-age=31536000, immutable"},
		"Cross-Origin-Resource-Policy": {"same-origin"}}
)

type pictures struct{ *files }

// ofStore answers a request that [shop.Shop.Take] prepared, to the host of an open store.
func (s *pictures) ofStore(w http.ResponseWriter, r *http.Request) error {
	store, _ := shop.StoreOf(r)
	ctx := viewer.Visitor(r.Context(), store)
	if image, file, ok := images.ParsePath(r.URL.Path); ok {
		img, err := s.Core.Storefront().Image(ctx, image)
		if err != nil {
			return err
		}
		return s.serveImage(w, r, file, shopPicture, img)
	}
	digits, handle, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, storefront.ExternalImageRoot), "/")
	var id xid.ID
	unhex(id[:], digits) // another text finds nothing
	p, err := s.Core.Storefront().ExternalImage(ctx, id, handle)
	if err != nil {
		return err
	}
	return s.serve(w, r, shopPicture, p)
}

func (s *pictures) ofPerson(w http.ResponseWriter, r *http.Request) error {
	names := mux.Vars(r)
	ctx, err := s.person(r, names["store"], "product")
	if err != nil {
		return err
	}
	p, err := s.Core.Query().ExternalImage(ctx, names["product"])
	if err != nil {
		return err
	}
	return s.serve(w, r, ownPicture, p)
}

// imageOfPerson serves an uploaded image to a signed-in person who may see products of the store.
func (s *pictures) imageOfPerson(w http.ResponseWriter, r *http.Request) error {
	names := mux.Vars(r)
	ctx, err := s.person(r, names["store"], "product")
	if err != nil {
		return err
	}
	img, err := s.Core.Query().ProductImageFile(ctx, names["image"])
	if err != nil {
		return err
	}
	return s.serveImage(w, r, names["file"], ownImage, img)
}

// person returns the context of a signed-in person in a store, named by its id or handle. It fails
// unless they may read the field of the schema's queries there.
func (a *API) person(r *http.Request, store, field string) (context.Context, error) {
	v, err := a.Account.ViewerIn(r, store)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, fault.New(fault.AuthenticationRequired, "Sign in first.")
	}
	ctx := viewer.With(r.Context(), v)
	return ctx, graph.Admit(ctx, graph.Schema().Query.Fields.ForName(field))
}

// serveImage answers with a file of an uploaded image, which is created when it is first asked for.
func (s *pictures) serveImage(
	w http.ResponseWriter, r *http.Request, file string, header http.Header, img *db.ProductImage,
) error {
	width, ok := images.WidthOf(img, file)
	if !ok {
		return fault.Missing("image")
	}
	name := stored{key: images.ImageKey(img, width), contentType: img.ContentType, tag: `"` + file + `"`}
	if _, err := s.find(r.Context(), name); errors.Is(err, blob.ErrNotFound) && width < img.Width {
		err := s.Core.Images.CreateWidths(r.Context(), img)
		if errors.Is(err, blob.ErrNotFound) { // for example, after only the database was restored
			err = fault.Missing("image")
		}
		if err != nil {
			return err
		}
	}
	return s.answer(w, r, "image", name, header)
}

// serve answers with the copy of an external image. If its bytes are gone, as after a restore of only
// the database, the row is deleted so that the image is fetched again.
func (s *pictures) serve(w http.ResponseWriter, r *http.Request, header http.Header, p *db.Picture) error {
	name := stored{key: images.Key(p), contentType: p.ContentType, tag: `"` + hex.EncodeToString(p.ObjectID[:]) + `"`}
	err := s.answer(w, r, "image", name, header)
	if errors.Is(err, blob.ErrNotFound) {
		_ = s.Core.Images.Forget(r.Context(), p) // otherwise the next request does
	}
	return err
}

// returnFile serves a file of a return to a signed-in person who may see the returns of the store. It is not
// cached, because a redaction deletes it.
func (s *pictures) returnFile(w http.ResponseWriter, r *http.Request) error {
	names := mux.Vars(r)
	ctx, err := s.person(r, names["store"], "returns")
	if err != nil {
		return err
	}
	position, _ := strconv.Atoi(names["position"]) // a digit
	f, body, err := s.Core.Query().ReturnFile(ctx, names["return"], position)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", f.ContentType)
	if position == 0 {
		h.Set("Content-Disposition", `attachment; filename="`+names["return"]+images.Extension(f.ContentType)+`"`)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "private, no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h["X-Content-Type-Options"] = noSniff
	h["Content-Security-Policy"] = filePolicy
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client may be gone
	}
	return nil
}
