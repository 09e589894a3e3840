package install

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

// files returns the files of a small theme. The mark makes its stylesheet distinct.
func files(t testing.TB, name, mark string) map[string]string {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 1))); err != nil {
		t.Fatal(err)
	}
	const content = `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`
	return map[string]string{
		"theme.json": `{"name": "` + name + `", "preview": "assets/preview.png"}`,
		"templates/layout.html": `<!doctype html><link rel="stylesheet" href="{{asset "assets/style.css"}}">` +
			`{{template "content" .}}`,
		"templates/home.html":      content,
		"templates/product.html":   content,
		"templates/search.html":    content,
		"templates/not_found.html": content,
		"assets/style.css":         "h1::before { content: '" + mark + "' }",
		"assets/preview.png":       picture.String(),
	}
}

func zipped(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(path)
		if err == nil {
			_, err = f.Write([]byte(files[path]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// samples returns two small ones.
func samples(t testing.TB) []sample.Sample {
	t.Helper()
	var all []sample.Sample
	for _, name := range []string{"plain", "loud"} {
		folder := fstest.MapFS{}
		for path, text := range files(t, name, name) {
			folder[path] = &fstest.MapFile{Data: []byte(text)}
		}
		all = append(all,
			sample.Sample{Slug: name, Tagline: "A theme.", Categories: []string{"small", "free"}, Files: folder})
	}
	return all
}

// merchant is a store with a keeper of its themes.
type merchant struct {
	*Keeper
	t      testing.TB
	row    *db.Store
	ctx    context.Context // the operator's, in the store
	folder string          // of the blobs
}

// newMerchant creates a store without a theme.
func newMerchant(t testing.TB, s *ent.Store) *merchant {
	t.Helper()
	m := &merchant{t: t, folder: t.TempDir()}
	m.ctx, m.row = storetest.Merchant(t, s)
	m.Keeper = m.another(s, m.folder)
	return m
}

// another returns a keeper as a second process has it.
func (m *merchant) another(s *ent.Store, folder string) *Keeper {
	m.t.Helper()
	blobs, err := blob.Open(m.t.Context(), "", folder)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { blobs.Close() })
	k, err := New(Config{Store: s, Blobs: blobs, Samples: samples(m.t),
		Logger: slog.New(slog.NewTextHandler(m.t.Output(), nil)), Preview: func(s *db.Store, theme xid.ID) string {
			return "https://" + s.Handle + ".example/?theme=" + xid.Theme.Format(theme)
		}})
	if err != nil {
		m.t.Fatal(err)
	}
	return k
}

// broken returns a keeper that cannot write blobs.
func (m *merchant) broken(s *ent.Store) *Keeper {
	m.t.Helper()
	k := m.another(s, m.t.TempDir())
	if err := k.Blobs.Close(); err != nil {
		m.t.Fatal(err)
	}
	return k
}

// accept adds a theme that waits to be processed.
func (m *merchant) accept(name, mark string) *db.Theme {
	m.t.Helper()
	archive := zipped(m.t, files(m.t, name, mark))
	p, err := m.Read(m.ctx, archive)
	if err != nil {
		m.t.Fatal(err)
	}
	var row *db.Theme
	err = m.Store.InTx(m.ctx, func(ctx context.Context) (err error) {
		row, err = m.Accept(ctx,
			Addition{Name: name, Source: state.ThemeUploaded, Package: p, Sum: digest.Of(p.Encode())}, archive)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return row
}

// in returns the keeper and its blobs, in the store of another merchant.
func (m *merchant) in(p *merchant) *merchant {
	here := *m
	here.row, here.ctx = p.row, p.ctx
	return &here
}

// now reads a theme again.
func (m *merchant) now(row *db.Theme) *db.Theme {
	m.t.Helper()
	found, err := m.Store.DB(m.ctx).Theme.Query().Where(dbtheme.ID(row.ID)).Only(m.ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	return found
}

// pull makes every waiting theme of the store due.
func (m *merchant) pull() {
	m.t.Helper()
	err := m.Store.InTx(m.ctx, func(ctx context.Context) error {
		return m.Store.DB(ctx).Theme.Update().Where(dbtheme.StatusEQ(state.ThemeProcessing)).SetDueAt(micros.Now()).
			Exec(ctx)
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *merchant) round(k *Keeper) {
	m.t.Helper()
	if err := k.Round(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
}

// count counts the rows of tables, of all stores.
func (m *merchant) count(tables ...string) string {
	m.t.Helper()
	var counts []string
	for _, table := range tables {
		n := 0
		if err := m.Store.Raw().QueryRowContext(m.t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
			m.t.Fatal(err)
		}
		counts = append(counts, fmt.Sprint(table, " ", n))
	}
	return strings.Join(counts, ", ")
}

// wantCounts compares the row counts of tables, of all stores, with a list such as "themes 1,
// events 0".
func (m *merchant) wantCounts(want string) {
	m.t.Helper()
	var tables []string
	for part := range strings.SplitSeq(want, ", ") {
		table, _, _ := strings.Cut(part, " ")
		tables = append(tables, table)
	}
	if got := m.count(tables...); got != want {
		m.t.Errorf("got %s, want %s", got, want)
	}
}

// blobs returns the keys of all assets.
func (m *merchant) blobs() (keys []string) {
	m.t.Helper()
	for o, err := range m.Blobs.List(m.t.Context(), assetFolder) {
		if err != nil {
			m.t.Fatal(err)
		}
		keys = append(keys, o.Key)
	}
	return keys
}

// claim claims a theme as it was read.
func (k *Keeper) claim(ctx context.Context, row *db.Theme) (bool, error) {
	return k.queue.Claim(ctx, row.StoreID, row.ID, row.Tries, terms.Length)
}
