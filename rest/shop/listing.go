package shop

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// listing is a product, its variants or one variant in schema.org's terms, as JSON-LD. It says what
// Google's merchant listings read.
type listing struct {
	Context     string     `json:"@context,omitempty"`
	Type        string     `json:"@type"`
	Name        string     `json:"name"`
	URL         string     `json:"url"`
	Images      []string   `json:"image,omitempty"`
	Description string     `json:"description,omitempty"`
	SKU         string     `json:"sku,omitempty"`
	GTIN        string     `json:"gtin,omitempty"`
	Brand       *brand     `json:"brand,omitempty"`
	Group       string     `json:"productGroupID,omitempty"`
	Options     []property `json:"additionalProperty,omitempty"`
	Offers      *offer     `json:"offers,omitempty"`
	Variants    []listing  `json:"hasVariant,omitempty"`
}

type brand struct {
	Type string `json:"@type"`
	Name string `json:"name"`
}

// property is the value of an option.
type property struct {
	Type  string `json:"@type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

type offer struct {
	Type         string         `json:"@type"`
	URL          string         `json:"url"`
	Price        string         `json:"price"`
	Currency     string         `json:"priceCurrency"`
	Availability string         `json:"availability"`
	Returns      []returnPolicy `json:"hasMerchantReturnPolicy,omitempty"`
}

// returnPolicy is one in full, or with the id alone one that is described before.
type returnPolicy struct {
	ID       string   `json:"@id,omitempty"`
	Type     string   `json:"@type,omitempty"`
	Category string   `json:"returnPolicyCategory,omitempty"`
	Days     int64    `json:"merchantReturnDays,omitempty"`
	Country  []string `json:"applicableCountry,omitempty"`
}

const schemaOrg = "https://schema.org/"

// maxListed is how many variants of a product the data lists: a product can have 2,000, and each takes about
// 400 bytes of the page.
const maxListed = 100

// listingOf returns the product of a page as JSON-LD. The encoder escapes everything that could end
// the surrounding element.
func listingOf(o *storefront.Offer, in scene, address string) []byte {
	p := listing{
		Context: strings.TrimSuffix(schemaOrg, "/"), Type: "Product", Name: o.Title, URL: address, SKU: o.SKU,
		Description: strings.Join(o.Paragraphs, "\n\n"),
	}
	for _, i := range o.Images {
		p.Images = append(p.Images, in.origin+i.URL)
	}
	if o.Vendor != "" {
		p.Brand = &brand{Type: "Brand", Name: o.Vendor}
	}
	policies := returnPolicies(o, in.shop)
	if len(o.Variants) == 1 {
		p.GTIN, p.Options = gtin(o.Variants[0]), properties(o, o.Variants[0])
		p.Offers = offerFor(address, o.Amount, o.Currency, o.Available, policies)
	} else {
		p.Type, p.Group, p.SKU = "ProductGroup", xid.Product.Format(o.ID), ""
		known := make([]returnPolicy, len(policies))
		for i := range policies {
			policies[i].ID = "#returns-" + strconv.Itoa(i+1)
			known[i].ID = policies[i].ID
		}
		for _, v := range o.Variants[:min(len(o.Variants), maxListed)] {
			p.Variants = append(p.Variants, variantListing(o, v, in, address, policies))
			policies = known
		}
	}
	body, err := json.Marshal(p)
	if err != nil {
		return []byte("{}") // strings cannot fail to encode
	}
	return body
}

func variantListing(
	o *storefront.Offer, v *storefront.OfferVariant, in scene, address string, policies []returnPolicy,
) listing {
	address += "?" + variantParam + "=" + xid.Variant.Format(v.ID)
	p := listing{Type: "Product", Name: o.Title + " – " + v.Title, URL: address, SKU: v.SKU, GTIN: gtin(v),
		Options: properties(o, v), Offers: offerFor(address, v.Amount, o.Currency, v.Available, policies)}
	if v.Image != nil {
		p.Images = []string{in.origin + v.Image.URL}
	}
	return p
}

// properties returns the value of each option of a variant.
func properties(o *storefront.Offer, v *storefront.OfferVariant) (list []property) {
	for i, text := range v.Texts[:min(len(v.Texts), len(o.Options))] {
		list = append(list, property{"PropertyValue", o.Options[i].Name, text})
	}
	return list
}

func offerFor(address, price, currency string, available bool, policies []returnPolicy) *offer {
	stock := "OutOfStock"
	if available {
		stock = "InStock"
	}
	return &offer{Type: "Offer", URL: address, Price: price, Currency: currency, Availability: schemaOrg + stock,
		Returns: policies}
}

// gtin returns the barcode of a variant if it is valid, else "".
func gtin(v *storefront.OfferVariant) string {
	if !core.IsGTIN(v.Barcode) {
		return ""
	}
	return v.Barcode
}

// maxReturnCountries is how many countries one policy may name.
const maxReturnCountries = 50

// returnPolicies returns the terms on which shoppers return a product by themselves: none if the shop
// has no such terms, else one for each period.
func returnPolicies(o *storefront.Offer, st *storefront.State) []returnPolicy {
	terms := st.Front.Terms()
	policy := func(days int64, countries ...string) returnPolicy {
		return returnPolicy{Type: "MerchantReturnPolicy", Days: days, Country: countries,
			Category: schemaOrg + "MerchantReturnFiniteReturnWindow"}
	}
	switch {
	case !terms.Requests && !st.Withdraws:
		return nil
	case slices.ContainsFunc(o.Tags, func(tag string) bool { return slices.Contains(terms.ExcludedTags, tag) }):
		return []returnPolicy{{Type: "MerchantReturnPolicy", Category: schemaOrg + "MerchantReturnNotPermitted"}}
	}
	var list []returnPolicy
	if terms.Days > 0 {
		list = append(list, policy(terms.Days))
	}
	for _, c := range terms.Countries {
		i := slices.IndexFunc(list, func(p returnPolicy) bool { return p.Days == c.Days && p.Country != nil })
		switch {
		case c.Days == 0:
		case i < 0 && len(list) < maxReturnCountries:
			list = append(list, policy(c.Days, c.Country))
		case i >= 0 && len(list[i].Country) < maxReturnCountries:
			list[i].Country = append(list[i].Country, c.Country)
		}
	}
	return list
}
