package demo

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

type shop struct {
	Handle, Name, Currency, Timezone string
	Owner, Email                     string
	Seed                             uint64
	Goods                            []good
	Choices                          map[string][]document.Option // by the kind of a product
	Schemes                          []scheme                     // the colors of its images
	Language                         state.Language
	Sheets                           []sheet
	Lists                            []model.CollectionInput // below the products in the main menu
	Words                            [3]string               // home, products and search, in the main menu
	People                           []people
	Shipping                         []int64 // shipping costs in minor units
	TaxPercent                       int64   // added to the price; 0 if prices include it
	Carrier, Tracking                string  // the carrier and its tracking page
	Terms                            terms
	Notes                            []string // order notes
}

type sheet struct {
	Handle, Title, Body string
	Kind                state.PageKind // "" for an ordinary page
}

type terms struct {
	Zones    []model.ShippingZoneInput
	Taxes    model.TaxSettingsInput
	Discount model.DiscountInput
	Payments model.PaymentSettingsInput
}

// good is a product of the plan, priced in minor units of its shop's currency.
type good struct {
	Title, Kind, Vendor string
	Price               int64
}

// people is a language's names with an address.
type people struct {
	Locale, Country string
	First, Last     []string
	// LatinFirst and LatinLast are the names in email addresses, in the same order.
	LatinFirst, LatinLast   []string
	Streets, Cities, Postal []string
	FamilyFirst             bool
}

//go:embed shops.json
var shopsFile []byte

func shops() (list []shop, err error) {
	d := json.NewDecoder(bytes.NewReader(shopsFile))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("read the plans of the demo: %w", err)
	}
	return list, nil
}
