package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

var (
	themeID    = xid.Theme.Format(fixed(1)) // active
	inactiveID = xid.Theme.Format(fixed(2))
)

// furnishThemes creates an active theme with assets, a ready one, one that is being processed and
// one that failed.
func furnishThemes(ctx context.Context, c *db.Client, store xid.ID) error {
	theme := func(n int, name string, status state.ThemeStatus, source state.ThemeSource) *db.ThemeCreate {
		return c.Theme.Create().SetID(fixed(n)).SetBucket(bucket.Of(store)).SetName(name).
			SetStatus(status).SetSource(source).
			SetAssetCount(0).SetSizeBytes(0).SetChecksum(digest.Of([]byte(name))).
			SetDueAt(micros.Max).SetUpdatedAt(fixed(n).Time())
	}
	err := theme(1, `Harbour "1" <&>`, state.ThemeInactive, state.ThemeMarketplace).
		SetMarketplaceThemeID(fixed(1)).SetThemeVersion("1.2.0").
		SetAuthor("Kiln & Co").SetDescription("Calm, for a small catalogue.\nTwo lines.").
		SetAssetCount(3).SetSizeBytes(184320).
		SetActivatedAt(epoch.Add(time.Hour)).SetVersion(2).SetUpdatedAt(epoch.Add(time.Hour)).Exec(ctx)
	if err != nil {
		return err
	}
	for _, t := range []*db.ThemeCreate{
		theme(2, "Copy of Harbour", state.ThemeInactive, state.ThemeDuplicate),
		theme(3, "new.zip", state.ThemeProcessing, state.ThemeUploaded),
		theme(4, "broken.zip", state.ThemeFailed, state.ThemeUploaded),
	} {
		if err := t.Exec(ctx); err != nil {
			return err
		}
	}
	if err := c.Store.Update().SetActiveThemeID(fixed(1)).Exec(ctx); err != nil {
		return err
	}
	return furnishAssets(ctx, c)
}

// furnishAssets creates assets of the active theme; their keys are not in the order of their ids.
func furnishAssets(ctx context.Context, c *db.Client) error {
	asset := func(n int, path string, kind state.AssetKind, contentType string) *db.ThemeAssetCreate {
		return c.ThemeAsset.Create().SetID(fixed(n)).SetThemeID(fixed(1)).SetPath(path).
			SetKind(kind).SetContentType(contentType).
			SetSizeBytes(int64(100 * n)).SetChecksum(digest.Of([]byte(path)))
	}
	for _, a := range []*db.ThemeAssetCreate{
		asset(1, "assets/style.css", state.AssetCSS, "text/css; charset=utf-8"),
		asset(2, "assets/Preview_1.jpg", state.AssetImage, "image/jpeg").SetWidth(1200).SetHeight(900),
		asset(3, "assets/fonts/text.woff2", state.AssetFont, "font/woff2"),
	} {
		if err := a.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// furnishMarket fills the marketplace, which belongs to no store: two published themes, of which
// the shop has the first, and unpublished ones.
func (m *shop) furnishMarket() {
	m.t.Helper()
	theme := func(c *db.Client, n int, slug string, status state.ListingStatus) *db.MarketplaceThemeCreate {
		return c.MarketplaceTheme.Create().SetID(fixed(n)).SetSlug(slug).SetName("Theme " + slug).
			SetAuthor("Kiln & Co").SetThemeVersion("1.0").
			SetPriceMinor(0).SetCurrency("EUR").SetCategories("calm small").SetStatus(status).
			SetChecksum(digest.Of([]byte(slug))).SetUpdatedAt(epoch)
	}
	m.tx(func(ctx context.Context, c *db.Client) error {
		for _, row := range []*db.MarketplaceThemeCreate{
			theme(c, 1, "harbour", state.ListingPublished).SetPublishedAt(epoch.Add(time.Hour)).
				SetTagline(`For "small" <catalogues>`).
				SetPreview("/assets/" + strings.Repeat("ab", 32) + "/preview.jpg").
				SetRatingPercent(96).SetInstallsCount(12),
			theme(c, 2, "quarry-2", state.ListingPublished).SetPublishedAt(epoch).SetPriceMinor(9900).SetCategories(""),
			theme(c, 3, "submitted", state.ListingSubmitted),
			theme(c, 4, "unlisted", state.ListingUnlisted).SetPublishedAt(epoch.Add(2 * time.Hour)),
			theme(c, 5, "approved", state.ListingApproved),
			theme(c, 6, "rejected", state.ListingRejected),
		} {
			if err := row.Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// theme is the part of a theme that tests read.
type theme struct {
	ID, Status  string
	PreviewURL  *string `json:"preview_url"`
	ActivatedAt *string `json:"activated_at"`
}

// themes returns all themes of a store by id.
func (s *server) themes(t testing.TB, as string) map[string]theme {
	t.Helper()
	var page struct{ Data []theme }
	s.do(t, request{As: as, Path: "/themes"}).want(http.StatusOK, "").decode(&page)
	all := map[string]theme{}
	for _, row := range page.Data {
		all[row.ID] = row
	}
	return all
}

// activate activates a theme.
func (s *server) activate(t testing.TB, as, key, id string) *answer {
	t.Helper()
	return s.do(t, request{As: as, Method: http.MethodPost, Path: "/themes/" + id + "/activate",
		Header: map[string]string{"Idempotency-Key": key}})
}

// Another theme replaces the active one, once per key and with one event. Activating the active
// theme again creates no event.
func TestActivateTheme(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		log := new(storetest.Log)
		log.Mark(t, s.store)
		first := s.activate(t, m.all, "k", inactiveID).want(http.StatusOK, "")
		var shown theme
		if first.decode(&shown); shown.Status != "active" || shown.ActivatedAt == nil ||
			first.Header.Get("Location") != "" {
			t.Errorf("%v %s", first.Header, first.Body)
		}
		if got := log.Since(t, s.store); got != "theme.activated" {
			t.Errorf("events %q", got)
		}
		m.checkEvents(t)
		if read := s.do(t, request{As: m.all, Path: "/themes/" + inactiveID}); string(read.Body) != string(first.Body) {
			t.Errorf("read again: %s, answered %s", read.Body, first.Body)
		}
		if all := s.themes(t, m.all); all[themeID].Status != "inactive" || all[inactiveID].Status != "active" {
			t.Errorf("%+v", all)
		}
		for _, body := range []string{"", "{}", " { } "} {
			again := s.do(t, request{As: m.all, Method: http.MethodPost, Path: "/themes/" +
				inactiveID + "/activate", Body: body,
				Header: map[string]string{"Idempotency-Key": "k"}})
			if same(t, first, again); !replayed(again) {
				t.Errorf("%q is not replayed", body)
			}
		}
		s.activate(t, m.all, "k", themeID).want(http.StatusConflict, "idempotency_key_reused")
		s.activate(t, m.all, "once-more", inactiveID).want(http.StatusOK, "")
		if got := log.Since(t, s.store); got != "" {
			t.Errorf("activating the active theme again created %q", got)
		}
		if all := s.themes(t, m.all); *all[inactiveID].ActivatedAt != *shown.ActivatedAt {
			t.Errorf("it was activated again: %+v", all[inactiveID])
		}
	})
}

// A theme that is not ready is refused with its own code, which is stored, and the active theme
// stays.
func TestThemeNotReady(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		for n, word := range map[int]string{3: "processed", 4: "processed"} {
			id := xid.Theme.Format(fixed(n))
			a := s.activate(t, m.all, id, id).want(http.StatusConflict, "theme_not_ready")
			if !strings.Contains(a.problem().Detail, word) {
				t.Errorf("detail %q", a.problem().Detail)
			}
			if again := s.activate(t, m.all, id, id); !replayed(again) {
				t.Error("the refusal was not kept")
			}
			var row theme
			s.do(t, request{As: m.all, Path: "/themes/" + id}).want(http.StatusOK, "").decode(&row)
			if row.PreviewURL != nil {
				t.Errorf("%s has the preview %s", row.Status, *row.PreviewURL)
			}
		}
		if all := s.themes(t, m.all); all[themeID].Status != "active" {
			t.Errorf("%+v", all)
		}
	})
}

// With concurrent requests, exactly one theme is active.
func TestActivateAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				s.activate(t, m.all, fmt.Sprint("k", i), []string{themeID, inactiveID}[i%2]).want(http.StatusOK, "")
			})
		}
		wg.Wait()
		active := 0
		for _, row := range s.themes(t, m.all) {
			active += b2i(row.Status == "active")
		}
		if active != 1 {
			t.Errorf("%d themes are active, want one", active)
		}
		m.checkEvents(t)
	})
}

// Assets are sorted by key, byte by byte, over all pages; another theme's cursor gives page one.
func TestThemeAssetPages(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		var want, got []string
		m.tx(func(ctx context.Context, c *db.Client) error {
			for i := range 8 {
				err := c.ThemeAsset.Create().SetID(fixed(60 - i)).SetThemeID(fixed(2)).
					SetPath(fmt.Sprintf("assets/%c.css", "AZ_ab~09"[i])).
					SetKind(state.AssetCSS).SetContentType("text/css").SetSizeBytes(1).
					SetChecksum(digest.Of(nil)).Exec(ctx)
				if err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range "09AZ_ab~" {
			want = append(want, fmt.Sprintf("assets/%c.css", c))
		}
		list := "/themes/" + inactiveID + "/assets?limit=3"
		for at, pages := list, 0; at != "" && pages < 10; pages++ {
			var page struct {
				Data []struct{ Key string }
				Next *string `json:"next_cursor"`
			}
			s.do(t, request{As: m.all, Path: at}).want(http.StatusOK, "").decode(&page)
			for _, a := range page.Data {
				got = append(got, a.Key)
			}
			if at = ""; page.Next != nil {
				at = list + "&cursor=" + *page.Next
				other := "/themes/" + themeID + "/assets?limit=3"
				with := s.do(t, request{As: m.all, Path: other + "&cursor=" + *page.Next})
				if first := s.do(t, request{As: m.all, Path: other}); string(with.Body) != string(first.Body) {
					t.Errorf("another theme's cursor leads to %s", with.Body)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the walk (-want +got):\n%s", diff)
		}
	})
}

// The marketplace is the same for all stores, except for what each has installed.
func TestMarketplaceOfTwoStores(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		m.furnishMarket()
		other := newShop(t, s.store, shopRow{})
		type listing struct {
			Slug      string
			Installed bool
			ThemeID   *string `json:"installed_theme_id"`
		}
		walk := func(as string) (all []listing) {
			for at, pages := "/marketplace/themes?limit=1", 0; at != "" && pages < 10; pages++ {
				var page struct {
					Data []listing
					Next *string `json:"next_cursor"`
				}
				s.do(t, request{As: as, Path: at}).want(http.StatusOK, "").decode(&page)
				all = append(all, page.Data...)
				if at = ""; page.Next != nil {
					at = "/marketplace/themes?limit=1&cursor=" + *page.Next
				}
			}
			return all
		}
		if diff := cmp.Diff([]listing{{"harbour", true, &themeID}, {"quarry-2", false, nil}},
			walk(m.keyOf(scope.ThemesRead))); diff != "" {
			t.Errorf("the shop (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]listing{{"harbour", false, nil}, {"quarry-2", false, nil}}, walk(other.all)); diff != "" {
			t.Errorf("another store (-want +got):\n%s", diff)
		}
	})
}

// Themes are newest first over all pages.
func TestThemePages(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		var want, got []string
		for _, n := range []int{4, 3, 2, 1} {
			want = append(want, xid.Theme.Format(fixed(n)))
		}
		for at, pages := "/themes?limit=2", 0; at != "" && pages < 10; pages++ {
			page := s.do(t, request{As: m.all, Path: at}).list()
			got = append(got, page.ids()...)
			if at = ""; page.NextCursor != nil {
				at = "/themes?limit=2&cursor=" + *page.NextCursor
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the walk (-want +got):\n%s", diff)
		}
	})
}
