package baseline

import (
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// Root is where the requests live, as in the service.
const Root = "/api/public/v1"

// Silent is where a product is made as below [Root], but without its event: what
// it takes less is what the event costs.
const Silent = "/silent/products"

// Config is what the baseline shares with the service.
type Config struct {
	Store *ent.Store
	Keys  *apikey.Keeper
	Pages *page.Codec
	// OriginOf is scheme and host of a store by its handle; without it there is no
	// list of a theme's assets.
	OriginOf func(handle string) string
	// Links signs the addresses of orders; without it none is placed.
	Links *link.Signer
	// Assets holds the assets that are served, each as [AssetFile]; nil for none.
	Assets *os.Root
}

// New returns the handler of GET /orders, GET /orders/{id}, GET /products and
// POST /products below [Root], of POST at [Exchange], of POST /raw/products,
// which makes a product with three inserts: the least that an idempotent API
// could do, and of POST at [Silent]. Where the configuration says so, it also
// answers GET /themes/{id}/assets below [Root] and GET /assets/{sum}/{name}, and places
// carts at [PlacePath].
func New(c Config) (http.Handler, error) {
	if c.Store == nil || c.Keys == nil || c.Pages == nil {
		return nil, errors.New("baseline: Store, Keys and Pages are needed")
	}
	h := &handler{Config: c, sql: statements(c.Store.Dialect())}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Root+"/orders", h.guard(h.orders))
	mux.HandleFunc("GET "+Root+"/orders/{id}", h.guard(h.order))
	mux.HandleFunc("GET "+Root+"/products", h.guard(h.products))
	mux.HandleFunc("POST "+Root+"/products", h.guard(h.create))
	mux.HandleFunc("POST "+Silent, h.guard(h.silent))
	mux.HandleFunc("POST /raw/products", h.guard(h.insert))
	mux.HandleFunc("POST "+Exchange, h.token)
	if c.Links != nil {
		mux.HandleFunc("POST "+PlacePath, h.place)
	}
	h.mountThemes(mux)
	return mux, nil
}

type handler struct {
	Config
	sql     texts
	idle    sync.Pool // of *[]byte
	origins sync.Map  // from the store's id to its [Config.OriginOf]
	hosts   sync.Map  // from the store's handle to its id
	taken   sync.Map  // from the store's id to its *numbers
}

// guard authenticates and reports errors, nothing more.
func (h *handler) guard(f func(http.ResponseWriter, *http.Request, *viewer.Viewer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		v, err := h.Keys.Authenticate(r.Context(), token, apikey.Key)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		if err := f(w, r, v); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}

// buffer takes a buffer that put gives back.
func (h *handler) buffer() *[]byte {
	if b, ok := h.idle.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// send writes the buffer and gives it back.
func (h *handler) send(w http.ResponseWriter, status int, b *[]byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(*b)))
	w.WriteHeader(status)
	_, err := w.Write(*b)
	*b = (*b)[:0]
	h.idle.Put(b)
	return err
}

// window is what a list's query parameters ask for.
func (h *handler) window(r *http.Request, list page.List) (limit int, after *page.Position) {
	q := r.URL.Query()
	limit, ok := page.ParseLimit(q.Get("limit"))
	if !ok {
		limit = page.DefaultLimit
	}
	if text := q.Get("cursor"); text != "" {
		if p, ok := h.Pages.Open(list, text); ok {
			after = &p
		}
	}
	return limit, after
}

// next writes the end of a page: the cursor of the last row shown, when more follow.
func (h *handler) next(b []byte, list page.List, more bool, last page.Position) []byte {
	if !more {
		return append(b, `],"next_cursor":null}`...)
	}
	b = append(b, `],"next_cursor":"`...)
	b = append(b, h.Pages.Sign(list, last)...)
	return append(b, `"}`...)
}
