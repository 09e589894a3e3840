package rest

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
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

// picturePath is where people see the picture of a product on the dashboard. What
// follows as ?v= makes addresses differ, so that browsers can keep what they have.
const picturePath = dashboard.Root + "/pictures/{store}/{product}"

// imagePath is where they see an uploaded one, as at the host of its store.
const imagePath = dashboard.Root + "/pictures/{store}/{image}/{file}"

// What an answer with a picture says of it; never changed. One at the host of a store is
// public, as the page that shows it; one on the dashboard is for the person alone.
var (
	shopPicture = http.Header{"Cache-Control": immutable, "Cross-Origin-Resource-Policy": anyResource}
	ownPicture  = http.Header{"Cache-Control": {"private, max-age=86400"},
		"Cross-Origin-Resource-Policy": {"same-origin"}}
	ownImage = http.Header{"Cache-Control": {"private, max-age=31536000, immutable"},
		"Cross-Origin-Resource-Policy": {"same-origin"}}
)

// pictures serves the pictures of products: those that were uploaded, and the copies of others.
type pictures struct{ *files }

// ofStore answers a request that [shop.Shop.Take] prepared, to the host of an open store.
func (s *pictures) ofStore(w http.ResponseWriter, r *http.Request) {
	if image, file, ok := images.ParsePath(r.URL.Path); ok {
		store, _ := shop.StoreOf(r)
		s.serveImage(w, r, file, shopPicture, func() (*db.ProductImage, error) {
			return s.Core.Storefront().Image(viewer.Visitor(r.Context(), store), image)
		})
		return
	}
	digits, handle, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, storefront.PictureRoot), "/")
	store, _ := shop.StoreOf(r)
	var id xid.ID
	if isHex(digits, len(id)) {
		_, _ = hex.Decode(id[:], []byte(digits)) // they are digits
	}
	s.serve(w, r, shopPicture, func() (*db.Picture, error) {
		return s.Core.Storefront().Picture(viewer.Visitor(r.Context(), store), id, handle)
	})
}

// ofPerson answers a person who is signed in and may see the product.
func (s *pictures) ofPerson(w http.ResponseWriter, r *http.Request) {
	names := mux.Vars(r)
	s.serve(w, r, ownPicture, func() (*db.Picture, error) {
		ctx, err := s.signedIn(r, names["store"])
		if err != nil {
			return nil, err
		}
		return s.Core.Query().ProductPicture(ctx, names["product"])
	})
}

// imageOfPerson answers them with an uploaded picture.
func (s *pictures) imageOfPerson(w http.ResponseWriter, r *http.Request) {
	names := mux.Vars(r)
	s.serveImage(w, r, names["file"], ownImage, func() (*db.ProductImage, error) {
		ctx, err := s.signedIn(r, names["store"])
		if err != nil {
			return nil, err
		}
		return s.Core.Query().ProductImageFile(ctx, names["image"])
	})
}

// signedIn is the context of a person who may see the products of a store.
func (s *pictures) signedIn(r *http.Request, store string) (context.Context, error) {
	v, err := s.Account.ViewerIn(r, store)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, fault.New(fault.AuthenticationRequired, "Sign in first.")
	}
	ctx := viewer.With(r.Context(), v)
	return ctx, graph.Admit(ctx, graph.Schema().Query.Fields.ForName("product"))
}

// serveImage answers with a file of the uploaded picture that find returns, which is made
// first where nobody has asked for it before.
func (s *pictures) serveImage(
	w http.ResponseWriter, r *http.Request, file string, header http.Header, find func() (*db.ProductImage, error),
) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.refuse(w, r, wrongMethod(w.Header(), "GET, HEAD"))
		return
	}
	img, err := find()
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	width, ok := images.WidthOf(img, file)
	if !ok {
		s.refuse(w, r, fault.Missing("picture"))
		return
	}
	name := stored{key: images.ImageKey(img, width), contentType: img.ContentType, tag: `"` + file + `"`}
	if _, err := s.find(r.Context(), name); errors.Is(err, blob.ErrNotFound) && width < img.Width {
		err := s.Core.Pictures.Make(r.Context(), img)
		if errors.Is(err, blob.ErrNotFound) { // as after the database alone was restored
			err = fault.Missing("picture")
		}
		if err != nil {
			s.refuse(w, r, err)
			return
		}
	}
	_ = s.answer(w, r, "picture", name, header)
}

// serve answers with the picture that find returns. One whose bytes are gone, as after
// the database alone was restored, is forgotten: it is fetched anew.
func (s *pictures) serve(w http.ResponseWriter, r *http.Request, header http.Header, find func() (*db.Picture, error)) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.refuse(w, r, wrongMethod(w.Header(), "GET, HEAD"))
		return
	}
	p, err := find()
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	name := stored{key: images.Key(p), contentType: p.ContentType, tag: `"` + hex.EncodeToString(p.ObjectID[:]) + `"`}
	if err := s.answer(w, r, "picture", name, header); errors.Is(err, blob.ErrNotFound) {
		_ = s.Core.Pictures.Forget(r.Context(), p) // or else the next request does
	}
}
