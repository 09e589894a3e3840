package baseline

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// AssetFile is the name under which [Config.Assets] holds an asset: one level, so
// that opening it is one call of the system.
func AssetFile(sum, name string) string { return sum + path.Ext(name) }

// mountThemes adds what themes need.
func (h *handler) mountThemes(mux *http.ServeMux) {
	if h.OriginOf != nil {
		mux.HandleFunc("GET "+Root+"/themes/{id}/assets", h.guard(h.assets))
	}
	if h.Assets != nil {
		mux.HandleFunc("GET /assets/{sum}/{name}", h.asset)
	}
}

// asset serves the bytes of an asset as Go programs serve files: an open file,
// which the kernel sends.
func (h *handler) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	contentType, ok := theme.ContentTypeOf(name)
	if !ok {
		http.NotFound(w, r)
		return
	}
	f, err := h.Assets.Open(AssetFile(r.PathValue("sum"), name))
	if errors.Is(err, fs.ErrNotExist) {
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header()["Content-Type"] = []string{contentType}
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// assetRow is a row of theme_assets, in the order of its columns.
type assetRow struct {
	id, storeID, theme      xid.ID
	path, kind, contentType string
	size                    int64
	sum                     digest.Sum
	width, height           sql.NullInt64
}

func (a *assetRow) fields() []any {
	return []any{&a.id, &a.storeID, &a.theme, &a.path, &a.kind, &a.contentType, &a.size, &a.sum, &a.width, &a.height}
}

// assets answers GET /themes/{id}/assets with its first page.
func (h *handler) assets(w http.ResponseWriter, r *http.Request, v *viewer.Viewer) error {
	id, err := xid.Theme.Parse(r.PathValue("id"))
	if err != nil {
		return err
	}
	origin, err := h.origin(r.Context(), v.Store)
	if err != nil {
		return err
	}
	list := page.List{Name: "theme_assets", Store: v.Store, Filters: page.Canonical("theme_id", id.String())}
	limit, _ := h.window(r, list)
	b := h.buffer()
	*b = append(*b, `{"data":[`...)
	n, last, err := h.appendAssets(r.Context(), b, origin, limit, id, v.Store)
	if err != nil {
		return err
	}
	*b = h.next(*b, list, n > limit, position(last))
	return h.send(w, http.StatusOK, b)
}

// appendAssets writes up to limit rows while it reads them and returns how many
// there were and the last one written.
func (h *handler) appendAssets(
	ctx context.Context, b *[]byte, origin string, limit int, id, store xid.ID,
) (n int, last xid.ID, err error) {
	rows, err := h.Store.Raw().QueryContext(ctx, h.sql.assets(limit+1), id[:], store[:])
	if err != nil {
		return 0, last, err
	}
	defer rows.Close()
	var a assetRow
	fields := a.fields()
	for ; rows.Next(); n++ {
		if n == limit {
			continue
		}
		if err := rows.Scan(fields...); err != nil {
			return 0, last, err
		}
		if n > 0 {
			*b = append(*b, ',')
		}
		*b = appendAsset(*b, &a, origin)
		last = a.id
	}
	return n, last, rows.Err()
}

// origin is scheme and host of a store. Like the service, it asks once for each.
func (h *handler) origin(ctx context.Context, store xid.ID) (string, error) {
	if known, ok := h.origins.Load(store); ok {
		return known.(string), nil
	}
	var handle string
	err := h.Store.Raw().QueryRowContext(ctx, "SELECT handle FROM stores WHERE id = ?", store[:]).Scan(&handle)
	if err != nil {
		return "", err
	}
	origin := h.OriginOf(handle)
	h.origins.Store(store, origin)
	return origin, nil
}

func appendAsset(b []byte, a *assetRow, origin string) []byte {
	b = appendID(append(b, `{"id":`...), xid.ThemeAsset, a.id[:])
	b = appendID(append(b, `,"theme_id":`...), xid.Theme, a.theme[:])
	b = wire.AppendString(append(b, `,"key":`...), a.path)
	b = appendPlain(append(b, `,"kind":`...), a.kind)
	b = appendPlain(append(b, `,"content_type":`...), a.contentType)
	b = appendInt(append(b, `,"size_bytes":`...), a.size)
	b = hex.AppendEncode(append(b, `,"checksum":"sha256:`...), a.sum[:])
	b = append(append(b, `","url":"`...), origin...)
	b = hex.AppendEncode(append(b, "/assets/"...), a.sum[:])
	b = append(append(append(b, '/'), path.Base(a.path)...), '"')
	b = appendNumber(append(b, `,"width":`...), a.width)
	b = appendNumber(append(b, `,"height":`...), a.height)
	b = appendTime(append(b, `,"created_at":`...), int64(a.id.Time()))
	return append(b, '}')
}
