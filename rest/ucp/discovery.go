package ucp

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

const (
	site           = "https://ucp.dev/"
	shoppingPrefix = "dev.ucp.shopping."
)

// capability is a part of the protocol that a shop has.
type capability struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Spec    string `json:"spec,omitempty"`
	Schema  string `json:"schema,omitempty"`
	Extends string `json:"extends,omitempty"`
}

// metadata names the version of the protocol and its parts that an answer follows.
type metadata struct {
	Version      string       `json:"version"`
	Capabilities []capability `json:"capabilities"`
}

// capabilities lists what every shop has.
func capabilities() []capability {
	list := []capability{}
	add := func(name, page, version, extends string) {
		if extends != "" {
			extends = shoppingPrefix + extends
		}
		list = append(list, capability{shoppingPrefix + name, version, site + version + "/specification/" + page,
			site + version + "/schemas/shopping/" + page + ".json", extends})
	}
	add("checkout", "checkout", Version, "")
	add("fulfillment", "fulfillment", Version, "checkout")
	add("discount", "discount", Version, "checkout")
	add("buyer_consent", "buyer_consent", Version, "checkout")
	add("order", "order", Version, "")
	add("catalog.search", "catalog_search", catalogVersion, "")
	add("catalog.lookup", "catalog_lookup", catalogVersion, "")
	return list
}

// named returns the metadata of an answer that follows some capabilities.
func named(names ...string) metadata {
	m := metadata{Version: Version}
	for _, c := range capabilities() {
		for _, name := range names {
			if c.Name == shoppingPrefix+name {
				m.Capabilities = append(m.Capabilities, capability{Name: c.Name, Version: c.Version})
			}
		}
	}
	return m
}

// testHandler is the payment handler of the way to pay that moves no money.
const testHandler = "mock_payment_handler"

// handler describes a way in which a program can pay.
type handler struct {
	ID                string         `json:"id"`
	Name              string         `json:"name"`
	Version           string         `json:"version"`
	Spec              string         `json:"spec"`
	ConfigSchema      string         `json:"config_schema"`
	InstrumentSchemas []string       `json:"instrument_schemas"`
	Config            map[string]any `json:"config"`
}

// handlers returns the ways in which programs can pay: none but the test method. Shoppers pay
// with all others on the pages.
func (c *call) handlers() ([]handler, error) {
	offered, err := c.Carts.OffersTest(c.ctx)
	if err != nil || !offered {
		return []handler{}, err
	}
	schemas := site + Version + "/schemas/shopping/types/"
	return []handler{{ID: testHandler, Name: "dev.ucp.mock_payment", Version: Version,
		Spec: c.Core.APIHost + "/docs/guides/shop-api", ConfigSchema: schemas + "token_credential.json",
		InstrumentSchemas: []string{schemas + "card_payment_instrument.json"},
		Config:            map[string]any{"supported_tokens": []string{successToken, failToken}}}}, nil
}

// discover is GET /.well-known/ucp.
func (c *call) discover() (answer, error) {
	handlers, err := c.handlers()
	if err != nil {
		return answer{}, err
	}
	c.w.Header().Set("Cache-Control", "public, max-age=60")
	return answer{status: http.StatusOK, body: map[string]any{
		"ucp": map[string]any{
			"version": Version,
			"services": map[string]any{"dev.ucp.shopping": map[string]any{
				"version": Version,
				"spec":    site + Version + "/specification/overview",
				"rest": map[string]any{
					"schema":   site + Version + "/services/shopping/rest.openapi.json",
					"endpoint": c.origin() + root,
				},
				"mcp": map[string]any{
					"schema":   site + Version + "/services/shopping/mcp.openrpc.json",
					"endpoint": c.origin() + mcpPath,
				},
			}},
			"capabilities": capabilities(),
		},
		"payment": map[string]any{"handlers": handlers},
	}}, nil
}

// pageLink is a link to a page that a shopper should be able to read.
type pageLink struct {
	Type  string `json:"type"`
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
}

// linkTypes are the types of links to the legal pages.
var linkTypes = map[string]string{
	string(state.PagePrivacy): "privacy_policy", string(state.PageTerms): "terms_of_service",
	string(state.PageShipping): "shipping_policy",
}

// links returns the links to the store's legal pages.
func (c *call) links() ([]pageLink, error) {
	pages, err := c.Core.Legal(c.ctx)
	list := []pageLink{}
	for _, p := range pages {
		kind := linkTypes[p.Kind]
		if kind == "" && p.Kind == "" {
			kind = linkTypes[string(state.PageTerms)] // a page with a handle of terms
		} else if kind == "" {
			kind = p.Kind
		}
		list = append(list, pageLink{kind, c.origin() + storefront.PageRoot + p.Handle, p.Title})
	}
	return list, err
}
