package catalog_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func namesOf(t *testing.T, ctx context.Context, r *graph.Resolver, words string) string {
	t.Helper()
	c := graphtest.Must[*model.MediaConnection](t)(r.Query().Media(ctx, nil, nil, &words))
	names := make([]string, len(c.Nodes))
	for i, img := range c.Nodes {
		names[i] = img.Filename
	}
	return strings.Join(names, " ")
}

// A file is uploaded once, found by its name and description, and cannot be deleted while a page, a
// product or the store shows it.
func TestMedia(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		file := graphtest.NewMedia(t, ctx, r, 40, 30)
		other := graphtest.NewMedia(t, ctx, r, 20, 20)
		if !strings.HasSuffix(file.URL, images.Path(file, 40)) {
			t.Errorf("its address is %s", file.URL)
		}
		graphtest.Must[*model.MediaPayload](t)(m.MediaUpdate(ctx, file.PublicID(), new("Mug.png"), new("A blue cup")))
		for words, want := range map[string]string{"": "photo.png Mug.png", "mug": "Mug.png", "BLUE": "Mug.png",
			"%": "", "none": ""} {
			if got := namesOf(t, ctx, r, words); got != want {
				t.Errorf("%q finds %q, want %q", words, got, want)
			}
		}
		used := graphtest.Must[int64](t)(r.Images.Used(ctx))
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		shown := graphtest.Must[*model.ProductImagePayload](t)(m.ProductImageUse(ctx, p.PublicID(), file.PublicID()))
		if shown.Image.Alt != "A blue cup" || shown.Image.ObjectID != file.ObjectID || shown.Product.ImagesCount != 1 {
			t.Errorf("the product shows %v", shown.Image)
		}
		if now := graphtest.Must[int64](t)(r.Images.Used(ctx)); now != used {
			t.Errorf("the images take %d bytes, before %d", now, used)
		}
		if body := graphtest.LastEvent(t, ctx, r, p.ID); !strings.Contains(body, shown.Image.URL) {
			t.Errorf("the event: %s", body)
		}
		refused := func(where string) {
			t.Helper()
			_, err := m.MediaDelete(ctx, file.PublicID())
			if !fault.IsState(err, fault.InvalidTransition) || !strings.Contains(err.Error(), where) {
				t.Errorf("deleted while shown by %s: %v", where, err)
			}
		}
		refused("the product " + p.Title)
		graphtest.Must[*model.ProductImageDeletePayload](t)(m.ProductImageDelete(ctx, shown.Image.PublicID()))
		tray := graphtest.NewProduct(t, ctx, r, model.ProductCreateInput{Title: "Tray", Currency: "EUR",
			Description: new("![Cup](" + images.Path(file, 40) + ")")})
		refused("the description of the product Tray")
		graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(ctx, tray.PublicID(), tray.Version))
		about := graphtest.Must[*model.PagePayload](t)(m.PageCreate(ctx, model.PageCreateInput{Title: "About",
			Body: "![Cup](" + images.Path(file, 40) + ")"})).Page
		refused("the page About")
		graphtest.Must[*model.PageDeletePayload](t)(m.PageDelete(ctx, about.PublicID(), about.Version))
		store := graphtest.Must[*model.Store](t)(r.Query().Store(ctx))
		set := graphtest.Must[*model.StorePayload](t)(m.StorefrontUpdate(ctx, model.StorefrontUpdateInput{
			ExpectedVersion: store.Version, LogoID: graphql.OmittableOf(new(file.PublicID())),
			FaviconID: graphql.OmittableOf(new(other.PublicID()))})).Store
		if *set.Logo != file.URL || *set.Favicon != other.URL {
			t.Errorf("logo %s, icon %s", *set.Logo, *set.Favicon)
		}
		refused("the storefront settings")
		set = graphtest.Must[*model.StorePayload](t)(m.StorefrontUpdate(ctx, model.StorefrontUpdateInput{
			ExpectedVersion: set.Version, LogoID: graphql.OmittableOf[*string](nil)})).Store
		if set.Logo != nil || set.Favicon == nil {
			t.Errorf("logo %v, icon %v", set.Logo, set.Favicon)
		}
		graphtest.Must[*model.MediaDeletePayload](t)(m.MediaDelete(ctx, file.PublicID()))
		if got := namesOf(t, ctx, r, ""); got != "photo.png" {
			t.Errorf("left: %q", got)
		}
	})
}

// The files of one store are nothing to another, and an image of a product is no file.
func TestMediaForeign(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		file := graphtest.NewMedia(t, p.Ctx, p.Resolver, 1, 1)
		mug := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Mug())
		own := graphtest.NewImage(t, p.Ctx, p.Resolver, mug, 1, 1).Image
		beside := p.Other(t)
		for name, try := range map[string]func() error{
			"delete": func() error { _, err := m.MediaDelete(beside.Ctx, file.PublicID()); return err },
			"rename": func() error {
				_, err := m.MediaUpdate(beside.Ctx, file.PublicID(), new("x"), nil)
				return err
			},
			"an image":           func() error { _, err := m.MediaDelete(p.Ctx, own.PublicID()); return err },
			"a file as an image": func() error { _, err := m.ProductImageDelete(p.Ctx, file.PublicID()); return err },
			"use": func() error {
				theirs := graphtest.NewProduct(t, beside.Ctx, p.Resolver, graphtest.Mug())
				_, err := m.ProductImageUse(beside.Ctx, theirs.PublicID(), file.PublicID())
				return err
			},
		} {
			err := try()
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.NotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
