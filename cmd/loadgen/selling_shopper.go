package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
)

// visit makes the GET request of a visitor of a host, who takes nothing compressed.
func visit(host, target string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: */*\r\n\r\n", target, host)
}

// ownTheme is a theme as the API shows it.
type ownTheme struct{ ID, Status string }

// shopper visits the pages of a store.
type shopper struct {
	server *child
	key    string
	host   string // of the store
	active *ownTheme
	// preview is the query that lets pages be rendered anew, see [shopper.signedQuery].
	preview string
}

// newShopper finds the host and the active theme of the store of a key.
func newShopper(ctx context.Context, server *child, key string) (*shopper, error) {
	var all struct{ Data []*ownTheme }
	if err := server.api(ctx, key, http.MethodGet, "/themes?limit=100", "", &all); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all.Data, func(t *ownTheme) bool { return t.Status == "active" })
	if i < 0 {
		return nil, errors.New("the store has no active theme")
	}
	s := &shopper{server: server, key: key, active: all.Data[i]}
	var assets struct{ Data []struct{ URL string } }
	if err := server.api(ctx, key, http.MethodGet, "/themes/"+s.active.ID+"/assets", "", &assets); err != nil {
		return nil, err
	}
	if len(assets.Data) == 0 {
		return nil, errors.New("the active theme has no assets")
	}
	u, err := url.Parse(assets.Data[0].URL)
	if err != nil {
		return nil, fmt.Errorf("URL of an asset: %w", err)
	}
	s.host = u.Host
	return s, nil
}

// productLink is the address of a product's page.
var productLink = regexp.MustCompile(`href="/products/([a-z0-9-]+)`)

// products counts the products to which a page links.
func products(page []byte) int {
	found := map[string]bool{}
	for _, m := range productLink.FindAllSubmatch(page, -1) {
		found[string(m[1])] = true
	}
	return len(found)
}
