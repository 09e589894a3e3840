package shop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/cache"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/rest/variant"
)

// makeLimit bounds rendering a page, waiting for a slot included.
const makeLimit = 10 * time.Second

var (
	errBusy      = errors.New("too many pages are being rendered")
	errThemeless = errors.New("the store has no active theme")
)

// pageKey identifies a page in the caches, where a newer version replaces the older.
type pageKey struct {
	store xid.ID
	view  view
	twin  bool // in Markdown
}

// makeKey identifies a page at a state.
type makeKey struct {
	pageKey
	state digest.Sum
}

// page returns a page, or its twin in Markdown, at the visit's state, from the cache if possible.
func (s *Shop) page(ctx context.Context, at *visit, v view, twin bool) (*page, error) {
	key := makeKey{pageKey{at.front.id, v, twin}, at.state.Fingerprint}
	if p := s.kept(key); p != nil {
		return p, nil
	}
	return s.made.Do(ctx, key, makeLimit, func(ctx context.Context) (*page, error) {
		if p := s.kept(key); p != nil { // rendered between the lookup and our turn
			return p, nil
		}
		p, err := s.make(ctx, at.front, scene{shop: at.state, sum: at.state.Package, set: at.state.Settings,
			accounts: s.Accounts, twin: twin}, v)
		if err != nil {
			return nil, err
		}
		p.state = key.state
		cache := s.pages
		if v.loose() || p.status != http.StatusOK { // anyone can request any number of such pages
			cache = s.loose
		}
		cache.Put(key.pageKey, p, p.size())
		return p, nil
	})
}

// kept returns a cached page that may still be shown.
func (s *Shop) kept(key makeKey) *page {
	for _, cache := range []*cache.Cache[pageKey, *page]{s.pages, s.loose} {
		p, ok := cache.Get(key.pageKey)
		if ok && p.state == key.state && s.Now().Sub(p.began) < keep && (p.until.IsZero() || s.Now().Before(p.until)) {
			return p
		}
	}
	return nil
}

// scene is the context in which a page is shown.
type scene struct {
	shop   *storefront.State
	origin string     // scheme and host of the shop
	sum    digest.Sum // of the theme's package
	links  links      // add the preview's query
	// set holds the merchant's theme settings; settings and colors follow from it.
	set      document.ThemeSettings
	settings map[string]any
	colors   url.Values
	sections []theme.Section
	// banner is shown above the page of a preview.
	banner string
	// accounts says that shoppers can sign in.
	accounts bool
	// twin says that the page is wanted in Markdown.
	twin bool
}

func (s *Shop) make(ctx context.Context, f *front, in scene, v view) (*page, error) {
	leave, err := s.slot(ctx, f)
	if err != nil {
		return nil, err
	}
	defer leave()
	in.origin = s.Core.ShopOrigin(in.shop.Handle, in.shop.Domain)
	if v.forRobots() {
		return s.makeForRobots(viewer.Visitor(ctx, f.id), in, v)
	}
	if in.sum == (digest.Sum{}) {
		return nil, errThemeless
	}
	began := s.Now()
	look, err := s.theme(ctx, in.sum)
	if err != nil {
		return nil, err
	}
	if in.settings, in.colors, err = look.set(in.set, in.shop.Front.Logo, in.shop.Language); err != nil {
		return nil, err
	}
	if text, ok := in.settings[theme.SectionsSetting].(string); ok && look.sectioned() {
		in.sections, _ = theme.ReadSections(text) // a stored value was checked
		in.settings[theme.SectionsSetting] = nil
	}
	c, err := s.content(viewer.Visitor(ctx, f.id), f, in, v)
	if err != nil {
		return nil, err
	}
	if c.moved != "" {
		p := newPage(http.StatusMovedPermanently, textType, nil, began)
		if p.location = in.links.to(c.moved); in.twin {
			p.location = twinPath(c.moved)
		}
		p.form.Vary = variant.VaryKind
		return p, nil
	}
	p, err := s.formed(look, c, in, began)
	if err != nil {
		return nil, fmt.Errorf("theme %x: %w", in.sum[:4], err)
	}
	if next := c.nextPrice(); next < micros.Max {
		p.until = next.Time()
	}
	return p, nil
}

func (s *Shop) render(theme *look, c content, in scene) ([]byte, error) {
	data := c.data(in, theme)
	var body []byte
	if theme.Has(c.view.kind) {
		var out bytes.Buffer // the renderer limits its time and size
		if err := theme.Render(&out, c.view.kind, data); err != nil {
			return nil, err
		}
		body = out.Bytes()
	} else {
		body = bare(c, in)
	}
	body = withHead(body, colorLink(in.colors)+c.head(in)+c.describe(body))
	body = withIcon(body, in.shop.Front.Favicon)
	body = s.withAnnouncement(body, in.shop)
	if in.shop.Test {
		body = above(body, "<strong>Test store</strong>. Nothing here is real.")
	}
	if in.banner != "" {
		body = withBanner(body, in.banner)
	}
	return body, nil
}

// slot waits for a rendering slot, first for one of the store's, so that no store takes all of
// them.
func (s *Shop) slot(ctx context.Context, f *front) (leave func(), err error) {
	for i, places := range []chan struct{}{f.slots, s.slots} {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			if i > 0 {
				<-f.slots
			}
			return nil, errors.Join(errBusy, ctx.Err())
		}
	}
	return func() { <-s.slots; <-f.slots }, nil
}

type content struct {
	view    view   // the requested one, or not_found
	moved   string // the new path of an address whose handle has changed
	product *storefront.Offer
	text    *storefront.Text
	menus   *storefront.Menus
	offers  []*storefront.Offer
	list    *listed
	blocks  []section // of the home page
	count   int       // of search results
}

// nextPrice returns when the price of a product of the page changes next.
func (c *content) nextPrice() micros.Time {
	offers := slices.Clone(c.offers)
	if c.product != nil {
		offers = append(offers, c.product)
	}
	if c.list != nil {
		offers = append(offers, c.list.Offers...)
	}
	for _, b := range c.blocks {
		offers = append(offers, b.offers...)
	}
	next := micros.Max
	for _, o := range offers {
		next = min(next, o.NextPrice)
	}
	return next
}

func (s *Shop) content(ctx context.Context, f *front, in scene, v view) (c content, err error) {
	c.view = v
	if c.menus, err = s.menus(ctx, f, in.shop); err != nil {
		return c, err
	}
	switch v.kind {
	case textPage:
		c.text, err = s.Core.Page(ctx, v.arg)
	case homePage:
		if c.offers, err = s.Core.Newest(ctx); err == nil {
			c.blocks, err = s.sections(ctx, in.shop, in.sections)
		}
	case productPage:
		c.product, err = s.Core.Product(ctx, strings.TrimPrefix(v.path(), productRoot))
		if err == nil {
			c.offers, err = s.Core.Related(ctx, c.product)
		}
	case searchPage:
		if v.arg != "" { // an empty search reads nothing
			c.offers, c.count, err = s.Core.Search(ctx, v.arg)
		}
	case productsPage:
		c.list, err = s.list(ctx, in, v)
	}
	if missing(err) {
		c.view = view{notFoundPage, v.path()}
		c.moved, err = s.Core.Moved(ctx, v.path())
	}
	return c, err
}

func (s *Shop) list(ctx context.Context, in scene, v view) (*listed, error) {
	l := &listed{asked: v.asked(), own: listings.Newest, path: v.path(), title: in.shop.Say(phrase.Products)}
	handle, _ := v.list()
	if handle == "" {
		return l, s.readList(ctx, in, l, listings.All)
	}
	found, err := s.Core.Collection(ctx, handle)
	if err != nil {
		return nil, err
	}
	l.own, l.title, l.description, l.always = found.Sort, found.Title, found.Description, found.InStock
	return l, s.readList(ctx, in, l, found.ID)
}

func missing(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.NotFound
}

// bars are the menus of a store at a state.
type bars struct {
	*storefront.Menus
	state digest.Sum
	began time.Time
}

// menus returns the menus from the cache, or reads them: once for all pages of a state.
func (s *Shop) menus(ctx context.Context, f *front, st *storefront.State) (*storefront.Menus, error) {
	if b, ok := s.bars.Get(f.id); ok && b.state == st.Fingerprint && s.Now().Sub(b.began) < keep {
		return b.Menus, nil
	}
	return s.readBars.Do(ctx, makeKey{pageKey{store: f.id}, st.Fingerprint}, readLimit,
		func(ctx context.Context) (*storefront.Menus, error) {
			began := s.Now()
			m, err := s.Core.Menus(ctx, st)
			if err == nil {
				s.bars.Add(f.id, &bars{m, st.Fingerprint, began})
			}
			return m, err
		})
}
