package shop

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// Addresses of the sitemap: its index, the part with the home page and the texts, and the parts
// with products, each named by the id after which it begins.
const (
	mapRoot     = "/sitemap"
	mapPath     = mapRoot + ".xml"
	textPart    = "pages"
	productPart = "products"
)

// closedPaths are disallowed for robots, like previews: they are different for each visitor.
var closedPaths = []string{searchPath, "/cart", "/checkout", accountPath}

// partOf returns the part of the sitemap that a path names; "" is the index.
func partOf(path string) (part string, ok bool) {
	if path == mapPath {
		return "", true
	}
	part, isPart := strings.CutPrefix(path, mapRoot+"-")
	part, isFile := strings.CutSuffix(part, ".xml")
	if !isPart || !isFile {
		return "", false
	}
	_, isProducts := behind(part)
	return part, part == textPart || isProducts
}

// behind returns the id after which a part with products begins.
func behind(part string) (xid.ID, bool) {
	if part == productPart {
		return xid.Nil, true
	}
	id, err := xid.Product.Parse(string(xid.Product) + "_" + strings.TrimPrefix(part, productPart+"-"))
	return id, err == nil && strings.HasPrefix(part, productPart+"-")
}

func (s *Shop) makeForRobots(ctx context.Context, in scene, v view) (*page, error) {
	began := s.Now()
	if v.kind == robotsPage {
		return newPage(http.StatusOK, textType, robots(in.origin), began), nil
	}
	if v.kind == guidePage {
		body, err := s.guide(ctx, in)
		return newPage(http.StatusOK, markdownType, body, began), err
	}
	entries, err := s.entries(ctx, v.arg)
	if err != nil {
		return nil, err
	}
	return newPage(http.StatusOK, xmlType, sitemap(in.origin, entries, v.arg == ""), began), nil
}

// robots returns robots.txt, which names the sitemap and disallows [closedPaths] and previews.
func robots(origin string) []byte {
	var b bytes.Buffer
	b.WriteString("User-agent: *\nAllow: /\n")
	for _, path := range closedPaths {
		fmt.Fprintf(&b, "Disallow: %s\n", path)
	}
	// A signed address is a preview.
	fmt.Fprintf(&b, "Disallow: /*%s=\n\nSitemap: %s%s\n", signedNames[len(signedNames)-1], origin, mapPath)
	return b.Bytes()
}

// entries returns the entries of a part of the sitemap; for the index, the parts.
func (s *Shop) entries(ctx context.Context, part string) ([]storefront.SitemapEntry, error) {
	if part == textPart {
		texts, err := s.Core.PageEntries(ctx)
		if err != nil {
			return nil, err
		}
		lists, err := s.Core.Collections(ctx)
		return slices.Concat([]storefront.SitemapEntry{{Path: "/"}, {Path: storefront.ProductsPath}}, lists, texts), err
	}
	if after, ok := behind(part); ok {
		return s.Core.ProductEntries(ctx, after)
	}
	list := []storefront.SitemapEntry{{Path: mapRoot + "-" + textPart + ".xml"}}
	parts, err := s.Core.Parts(ctx)
	for _, after := range parts {
		name := mapRoot + "-" + productPart
		if !after.IsNil() {
			name += "-" + after.String()
		}
		list = append(list, storefront.SitemapEntry{Path: name + ".xml"})
	}
	return list, err
}

func sitemap(origin string, entries []storefront.SitemapEntry, index bool) []byte {
	all, one := "urlset", "url"
	if index {
		all, one = "sitemapindex", "sitemap"
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	fmt.Fprintf(&b, "<%s xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n", all)
	for _, p := range entries {
		fmt.Fprintf(&b, "<%s><loc>", one)
		_ = xml.EscapeText(&b, []byte(origin+p.Path)) // a buffer accepts everything
		b.WriteString("</loc>")
		if p.Changed != 0 {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", p.Changed.Time().UTC().Format(time.RFC3339))
		}
		fmt.Fprintf(&b, "</%s>\n", one)
	}
	fmt.Fprintf(&b, "</%s>\n", all)
	return b.Bytes()
}
