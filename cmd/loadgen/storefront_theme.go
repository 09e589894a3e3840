package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"

	"github.com/storefront-go/storefront/cmd/internal/baseline"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

// file is an asset as it is served: under its address, without a host.
type file struct {
	address     string
	contentType string
	body        []byte
}

// sampleAssets are the assets of the themes that every server has.
func sampleAssets() (list []file, err error) {
	for _, s := range sample.All() {
		p, err := theme.ReadFS(s.Files)
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", s.Slug, err)
		}
		for _, a := range p.Assets {
			list = append(list, file{a.Address(), a.ContentType, a.Body})
		}
	}
	return list, nil
}

// writeAssets writes the files for the baseline.
func writeAssets(folder string, list []file) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, f := range list {
		name := baseline.AssetFile(path.Base(path.Dir(f.address)), path.Base(f.address))
		if err := os.WriteFile(filepath.Join(folder, name), f.body, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// closest returns the file of a type whose size is closest to size, in bytes.
func closest(list []file, contentType string, size int) (found file, ok bool) {
	off := func(f file) int { return max(len(f.body)-size, size-len(f.body)) }
	for _, f := range list {
		if f.contentType == contentType && (!ok || off(f) < off(found)) {
			found, ok = f, true
		}
	}
	return found, ok
}

// visit makes the GET request of a visitor of a host, who takes nothing compressed.
func visit(host, target string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: */*\r\n\r\n", target, host)
}

// ownTheme is a theme as the API shows it.
type ownTheme struct {
	ID, Name, Status string

	assets []ownAsset
}

// ownAsset is an asset as the API shows it.
type ownAsset struct{ Kind, URL string }

// stylesheet is the path of the theme's first stylesheet; pages of the theme name
// it.
func (t *ownTheme) stylesheet() (string, error) {
	for _, a := range t.assets {
		if a.Kind == "css" {
			u, err := url.Parse(a.URL)
			if err != nil {
				return "", fmt.Errorf("address of an asset: %w", err)
			}
			return u.Path, nil
		}
	}
	return "", fmt.Errorf("the theme %s has no stylesheet", t.Name)
}

// shopper asks a server for a store's themes and pages.
type shopper struct {
	server *child
	key    string
	host   string // of the store
	// preview is the query that lets pages be made anew, see [shopper.signedQuery].
	preview string
	active  *ownTheme
	other   *ownTheme // with another stylesheet
}

// newShopper finds the active theme of the store of a key and another one, which
// it installs where there is none yet.
func newShopper(ctx context.Context, server *child, key string) (*shopper, error) {
	s := &shopper{server: server, key: key}
	if err := s.find(ctx); err != nil {
		return nil, err
	}
	if s.active == nil || len(s.active.assets) == 0 {
		return nil, errors.New("the store has no active theme with assets")
	}
	u, err := url.Parse(s.active.assets[0].URL)
	if err != nil {
		return nil, fmt.Errorf("address of an asset: %w", err)
	}
	s.host = u.Host
	if s.other != nil {
		return s, nil
	}
	if err := s.install(ctx); err != nil {
		return nil, err
	}
	if err := s.find(ctx); err != nil {
		return nil, err
	}
	if s.other == nil {
		return nil, errors.New("the store has no second theme, though one was installed")
	}
	return s, nil
}

// find reads the themes of the store.
func (s *shopper) find(ctx context.Context) error {
	var all struct{ Data []*ownTheme }
	if err := s.server.api(ctx, s.key, http.MethodGet, "/themes?limit=100", "", &all); err != nil {
		return err
	}
	for _, t := range all.Data {
		var assets struct{ Data []ownAsset }
		if err := s.server.api(ctx, s.key, http.MethodGet, "/themes/"+t.ID+"/assets", "", &assets); err != nil {
			return err
		}
		t.assets = assets.Data
	}
	s.active, s.other = pair(all.Data)
	return nil
}

// pair returns the active theme and another one that differs from it.
func pair(list []*ownTheme) (active, other *ownTheme) {
	for _, t := range list {
		if t.Status == "active" {
			active = t
		}
	}
	if active == nil {
		return nil, nil
	}
	shown, err := active.stylesheet()
	for _, t := range list {
		if own, lost := t.stylesheet(); t.Status == "inactive" && err == nil && lost == nil && own != shown {
			other = t
		}
	}
	return active, other
}

// install installs a theme of the marketplace that the store does not have.
func (s *shopper) install(ctx context.Context) error {
	var all struct {
		Data []struct {
			ID        string
			Installed bool
		}
	}
	if err := s.server.api(ctx, s.key, http.MethodGet, "/marketplace/themes?limit=100", "", &all); err != nil {
		return err
	}
	for _, m := range all.Data {
		if m.Installed {
			continue
		}
		body, err := json.Marshal(map[string]any{
			"query":     "mutation($id:ID!){themeInstall(marketplaceThemeId:$id){theme{id} userErrors{message}}}",
			"variables": map[string]any{"id": m.ID},
		})
		if err != nil {
			return err
		}
		answer, err := ask(ctx, s.server, post(nil, "/graphql", s.key, "", body))
		if err != nil {
			return err
		}
		var got struct {
			Data struct {
				ThemeInstall struct{ Theme *struct{ ID string } }
			}
		}
		if err := json.Unmarshal(answer, &got); err != nil || got.Data.ThemeInstall.Theme == nil {
			return fmt.Errorf("install a theme: %.300s", answer)
		}
		return nil
	}
	return errors.New("the marketplace has no theme that the store lacks")
}
