package catalog_test

import (
	"cmp"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// A variant has one file, which is replaced, and whose name loses its path. Files of other stores and
// of unknown variants are not found. Deleting the product removes its files.
func TestProductFiles(t *testing.T) {
	p := graphtest.NewShop(t, graphtest.NewCore(t, storetest.Open(t)))
	other := graphtest.NewShop(t, p.Resolver)
	m, q := p.Mutation(), p.Query()
	mug := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Mug())
	theirs := graphtest.NewProduct(t, other.Ctx, p.Resolver, graphtest.Mug())
	own := func(p *db.Product) string { return xid.Variant.Format(p.ID) }
	text := base64.StdEncoding.EncodeToString([]byte("a song"))
	in := func(edit func(*model.ProductFileInput)) model.ProductFileInput {
		in := model.ProductFileInput{ProductID: mug.PublicID(), VariantID: own(mug), Content: text,
			Filename: `..\music/song.mp3`}
		if edit != nil {
			edit(&in)
		}
		return in
	}
	set := func(edit func(*model.ProductFileInput)) *db.ProductFile {
		t.Helper()
		return graphtest.Must[*model.ProductFilesPayload](t)(m.ProductFileSet(p.Ctx, in(edit))).Files[0]
	}
	for name, tc := range map[string]struct {
		edit func(*model.ProductFileInput)
		want string
	}{
		"another's":       {func(in *model.ProductFileInput) { in.ProductID = theirs.PublicID() }, "not_found"},
		"another variant": {func(in *model.ProductFileInput) { in.VariantID = own(theirs) }, "not_found"},
		"no variant":      {func(in *model.ProductFileInput) { in.VariantID = mug.PublicID() }, "not_found"},
		"no file":         {func(in *model.ProductFileInput) { in.Content = "" }, ""},
		"no name":         {func(in *model.ProductFileInput) { in.Filename = "" }, ""},
		"only a path":     {func(in *model.ProductFileInput) { in.Filename = "a/" }, ""},
		"a line break":    {func(in *model.ProductFileInput) { in.Filename = "a\r\nb" }, ""},
		"a long name":     {func(in *model.ProductFileInput) { in.Filename = strings.Repeat("a", 256) }, ""},
		"no base64":       {func(in *model.ProductFileInput) { in.Content = "%" }, ""},
		"a large file":    {func(in *model.ProductFileInput) { in.Content = strings.Repeat("A", 29<<20) }, ""},
	} {
		want := cmp.Or(tc.want, "validation_failed")
		if _, err := m.ProductFileSet(p.Ctx, in(tc.edit)); graphtest.FaultOf(err) != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	first := set(nil)
	if first.Filename != "song.mp3" || first.SizeBytes != 6 || first.PublicID() != own(mug) {
		t.Errorf("set %+v", first)
	}
	next := set(func(in *model.ProductFileInput) { in.Filename = "new.mp3" })
	if next.ObjectID == first.ObjectID || next.Filename != "new.mp3" {
		t.Errorf("replaced: %+v", next)
	}
	if n := graphtest.Must[int64](t)(p.Images.Used(p.Ctx)); n != 6 {
		t.Errorf("%d bytes are used", n)
	}
	if _, err := q.ProductFiles(other.Ctx, mug.PublicID()); graphtest.FaultOf(err) != "not_found" {
		t.Errorf("another store reads them: %v", err)
	}
	graphtest.Must[*model.ProductFilesPayload](t)(m.ProductFileRemove(p.Ctx, mug.PublicID(), own(mug)))
	if _, err := m.ProductFileRemove(p.Ctx, mug.PublicID(), own(mug)); graphtest.FaultOf(err) != "not_found" {
		t.Errorf("removed twice: %v", err)
	}
	set(nil)
	graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(p.Ctx, mug.PublicID(), mug.Version))
	if n := graphtest.Must[int64](t)(p.Images.Used(p.Ctx)); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}
