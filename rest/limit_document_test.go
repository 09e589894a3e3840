package rest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/rest"
)

// bounded are the limits in the document's schemas and parameters: those of package limit, and a
// few that do not bound input.
var bounded = map[string]int{
	"Amount maximum": currency.MaxMinor, "OptionalAmount maximum": currency.MaxMinor,
	"Tags maxItems": limit.Tags, "Tags/items maxLength": limit.Label,

	"ProductCreate/title maxLength": limit.Line, "ProductCreate/description maxLength": limit.Description,
	"ProductCreate/sku maxLength": limit.Line, "ProductCreate/vendor maxLength": limit.Line,
	"ProductCreate/product_type maxLength": limit.Line, "ProductCreate/tags maxItems": limit.Tags,
	"ProductCreate/tags/items maxLength": limit.Label, "ProductCreate/inventory_quantity maximum": limit.Inventory,
	"ProductCreate/image_url maxLength": limit.URL,
	"Product/title maxLength":           limit.Line, "Product/description maxLength": limit.Description,
	"Product/sku maxLength": limit.Line, "Product/vendor maxLength": limit.Line,
	"Product/product_type maxLength": limit.Line, "Product/inventory_quantity maximum": limit.Inventory,
	"Product/image_url maxLength": limit.URL,

	"ProductCreate/weight_grams maximum": limit.Weight, "ProductCreate/videos maxItems": limit.Videos,
	"ProductCreate/videos/items maxLength": limit.URL, "Product/videos maxItems": limit.Videos,
	"Product/videos/items maxLength": limit.URL, "Maker/name maxLength": limit.Line,
	"Maker/address maxLength": limit.MakerAddress, "Maker/email maxLength": limit.Email,
	"Maker/url maxLength":    limit.URL,
	"Maker/safety maxLength": limit.Safety, "MakerCreate/name maxLength": limit.Line,
	"MakerCreate/address maxLength": limit.MakerAddress, "MakerCreate/email maxLength": limit.Email,
	"MakerCreate/url maxLength": limit.URL, "MakerCreate/safety maxLength": limit.Safety,

	"Product/images maxItems": limit.Images, "ProductImage/alt maxLength": limit.ImageAlt,
	"Product/options maxItems": limit.Options, "Product/variants maxItems": limit.Variants,
	"ProductOption/name maxLength": limit.Label, "ProductOption/values maxItems": limit.Variants,
	"ProductOption/values/items maxLength": limit.Label,
	"ProductCreate/options maxItems":       limit.Options, "ProductCreate/variants maxItems": limit.Variants,
	"ProductOptionChange/name maxLength": limit.Label, "ProductOptionChange/values maxItems": limit.Variants,
	"ProductOptionChange/values/items maxLength": limit.Label, "VariantEntry/options maxItems": limit.Options,
	"VariantEntry/options/items maxLength": limit.Label, "VariantEntry/inventory_quantity maximum": limit.Inventory,
	"VariantEntry/weight_grams maximum": limit.Weight, "VariantEntry/sku maxLength": limit.Line,
	"VariantPatch/inventory_quantity maximum": limit.Inventory, "VariantPatch/weight_grams maximum": limit.Weight,
	"VariantPatch/sku maxLength": limit.Line, "Fulfillment/lines maxItems": limit.Lines,
	"FulfillmentList/fulfillments maxItems":  100,
	"Fulfillment/tracking/company maxLength": limit.Line, "Fulfillment/tracking/number maxLength": limit.Line,
	"Fulfillment/tracking/url maxLength": limit.URL, "ShippedLine/quantity maximum": limit.Quantity,
	"Variant/title maxLength": limit.Line, "Variant/sku maxLength": limit.Line,
	"Variant/inventory_quantity maximum": limit.Inventory, "Variant/weight_grams maximum": limit.Weight,
	"Variant/prices maxItems":  3, // before, during and after a sale
	"Variant/options maxItems": limit.Options, "Variant/options/items maxLength": limit.Label,
	"LineItem/options maxItems": limit.Options, "LineItem/options/items maxLength": limit.Label,

	"Order/email maxLength": limit.Email, "Order/source maxLength": limit.Source,
	"Order/discount_code maxLength": limit.Code, "Order/external_number maxLength": limit.Label,
	"Order/shipping_method maxLength": limit.Line, "OrderTax/name maxLength": limit.Label,
	"Order/vat_id maxLength":   limit.VATID,
	"LineItem/title maxLength": limit.Line, "LineItem/sku maxLength": limit.Line,
	"LineItem/quantity maximum": limit.Quantity, "Address/name maxLength": limit.Line,
	"Address/company maxLength": limit.Line, "Address/line1 maxLength": limit.Line,
	"Address/line2 maxLength": limit.Line, "Address/city maxLength": limit.Line, "Address/region maxLength": limit.Line,
	"Address/postal_code maxLength": limit.PostalCode, "Address/phone maxLength": limit.Label,
	"ExpectedVersion maximum": currency.MaxMinor, "LineQuantity/line_item_id maxLength": limit.Line,
	"LineQuantity/quantity maximum": limit.Quantity, "CancellationCreate/reason maxLength": limit.Line,
	"PaymentCreate/amount_minor maximum": currency.MaxMinor, "PaymentCreate/method maxLength": limit.Line,
	"PaymentCreate/reference maxLength": limit.Line, "FulfillmentCreate/lines maxItems": limit.Lines,
	"FulfillmentCreate/tracking/company maxLength": limit.Line, "FulfillmentCreate/tracking/number maxLength": limit.Line,
	"FulfillmentCreate/tracking/url maxLength": limit.URL, "RefundCreate/amount_minor maximum": currency.MaxMinor,
	"RefundCreate/lines maxItems": limit.Lines, "RefundCreate/reason maxLength": limit.Line,
	"NoteCreate/body maxLength": limit.Note, "Note/body maxLength": limit.Note,
	"Return/answer maxLength": limit.ReturnText, "Return/label_url maxLength": limit.URL,
	"Return/lines maxItems": limit.Lines, "ReturnLine/quantity maximum": limit.Quantity,
	"ReturnCreate/lines maxItems": limit.Lines, "ReturnLineCreate/quantity maximum": limit.Quantity,
	"ReturnCreate/note maxLength": limit.ReturnText, "ReturnApprove/instructions maxLength": limit.ReturnText,
	"ReturnApprove/label_url maxLength": limit.URL, "ReturnDecline/reason maxLength": limit.ReturnText,
	"ReturnExchange/lines maxItems": limit.Lines, "ReturnRefund/amount_minor maximum": currency.MaxMinor,
	"ReturnRefund/location maxLength": limit.Line, "ReturnExchange/location maxLength": limit.Line,
	"ReturnReceive/location maxLength": limit.Line, "LocationOrder/ids maxItems": limit.Locations + 1,
	"LocationOrder/ids/items maxLength": limit.Line, "ExchangePayment/days maximum": 90,

	"Customer/email maxLength": limit.Email, "Customer/phone maxLength": limit.Label,
	"Customer/locale maxLength": limit.Locale, "Customer/first_name maxLength": limit.Line,
	"Customer/last_name maxLength": limit.Line, "Customer/addresses maxItems": limit.Addresses,
	"Customer/note maxLength": limit.Note,

	"Theme/name maxLength": limit.Line, "Theme/version maxLength": limit.Version, "Theme/author maxLength": limit.Line,
	"Theme/description maxLength": limit.ThemeDescription,
	"ThemeAsset/key maxLength":    255, "ThemeAsset/content_type maxLength": 64, // as in the columns
	"MarketplaceTheme/name maxLength": limit.Line, "MarketplaceTheme/tagline maxLength": limit.Line,
	"MarketplaceTheme/author maxLength": limit.Line, "MarketplaceTheme/version maxLength": limit.Version,
	"MarketplaceTheme/categories maxItems":        limit.Categories,
	"MarketplaceTheme/categories/items maxLength": limit.Category,
	"MarketplaceTheme/rating_percent maximum":     100, // a percentage

	"ExportFilters/ids maxItems": limit.ExportIDs, "ExportFiltersCreate/ids maxItems": limit.ExportIDs,

	"WebhookCreate/url maxLength": limit.URL, "WebhookCreate/selection maxLength": limit.Selection,
	"Webhook/selection maxLength": limit.Selection, "WebhookCreate/events maxItems": limit.EventNames,
	"WebhookCreate/description maxLength": limit.Line, "Webhook/url maxLength": limit.URL,
	"Webhook/description maxLength": limit.Line, "Webhook/last_error maxLength": limit.Line,
	"Webhook/rate_limit maximum": limit.EndpointRate, "Webhook/filters maxItems": limit.Filters,
	"WebhookFilter/field maxLength": limit.FilterField, "WebhookFilter/in maxItems": limit.FilterValues,
	"WebhookFilter/not_in maxItems": limit.FilterValues,
	"Webhook/secret_hint maxLength": 16,  // as in the column
	"Problem/status maximum":        599, // the highest HTTP status

	"ExternalReference maxLength": limit.Line, "ProductPatch/external_reference maxLength": limit.Line,
	"InventoryItem/title maxLength": limit.Line, "InventoryItem/variants maxItems": limit.Variants,
	"InventoryLevel/title maxLength": limit.Line, "InventoryLevel/sku maxLength": limit.Line,
	"InventoryLevel/quantity maximum": limit.Inventory, "InventoryAdjustment/lines maxItems": limit.InventoryLines,
	"InventoryState/title maxLength": limit.Line, "InventoryState/sku maxLength": limit.Line,
	"InventoryState/quantity maximum":    limit.Inventory,
	"InventoryLine/variant_id maxLength": limit.Line, "InventoryLine/sku maxLength": limit.Line,
	"InventoryLine/delta maximum": limit.Inventory, "InventoryLine/set maximum": limit.Inventory,
	"InventoryLine/expected maximum": limit.Inventory, "InventoryLine/reason maxLength": limit.Line,
	"InventoryLine/reference maxLength": limit.Line, "InventoryChanges/changes maxItems": 2 * limit.InventoryLines,
	"InventoryChange/before maximum": limit.Inventory, "InventoryChange/after maximum": limit.Inventory,
	"InventoryChange/reason maxLength": limit.Line, "InventoryChange/reference maxLength": limit.Line,
	"AddressCreate/name maxLength": limit.Line, "AddressCreate/company maxLength": limit.Line,
	"AddressCreate/line1 maxLength": limit.Line, "AddressCreate/line2 maxLength": limit.Line,
	"AddressCreate/city maxLength": limit.Line, "AddressCreate/region maxLength": limit.Line,
	"AddressCreate/postal_code maxLength": limit.PostalCode, "AddressCreate/phone maxLength": limit.Label,
	"OrderCreate/customer_id maxLength": limit.Line, "OrderCreate/email maxLength": limit.Email,
	"OrderCreate/lines maxItems": limit.Lines, "OrderCreate/tags maxItems": limit.Tags,
	"OrderCreate/tags/items maxLength": limit.Label, "OrderCreate/external_number maxLength": limit.Label,
	"OrderCreate/payments maxItems": limit.OrderPayments, "OrderLineCreate/product_id maxLength": limit.Line,
	"OrderLineCreate/variant_id maxLength": limit.Line, "OrderLineCreate/title maxLength": limit.Line,
	"OrderLineCreate/sku maxLength": limit.Line, "OrderLineCreate/quantity maximum": limit.Quantity,
	"OrderPricing/discount_code maxLength": limit.Code, "OrderPricing/shipping_rate_id maxLength": limit.Line,
	"OrderPaymentCreate/amount_minor maximum": currency.MaxMinor, "OrderPaymentCreate/method maxLength": limit.Line,
	"OrderPaymentCreate/reference maxLength": limit.Line, "OrderPatch/email maxLength": limit.Email,
	"OrderPatch/external_number maxLength": limit.Label, "OrderPatch/tags maxItems": limit.Tags,
	"OrderPatch/tags/items maxLength": limit.Label, "FulfillmentPatch/tracking/company maxLength": limit.Line,
	"FulfillmentPatch/tracking/number maxLength": limit.Line, "FulfillmentPatch/tracking/url maxLength": limit.URL,
	"ImportCreate/file_name maxLength": limit.Line,
	"CustomerCreate/email maxLength":   limit.Email, "CustomerCreate/phone maxLength": limit.Label,
	"CustomerCreate/first_name maxLength": limit.Line, "CustomerCreate/last_name maxLength": limit.Line,
	"CustomerCreate/locale maxLength": limit.Locale, "CustomerCreate/addresses maxItems": limit.Addresses,
	"CustomerCreate/tags maxItems": limit.Tags, "CustomerCreate/tags/items maxLength": limit.Label,
	"CustomerCreate/note maxLength": limit.Note, "CustomerPatch/email maxLength": limit.Email,
	"CustomerPatch/phone maxLength": limit.Label, "CustomerPatch/first_name maxLength": limit.Line,
	"CustomerPatch/last_name maxLength": limit.Line, "CustomerPatch/locale maxLength": limit.Locale,
	"CustomerPatch/addresses maxItems": limit.Addresses, "CustomerPatch/tags maxItems": limit.Tags,
	"CustomerPatch/tags/items maxLength": limit.Label, "CustomerPatch/note maxLength": limit.Note,
	"Discount/code maxLength": limit.Code, "Discount/basis_points maximum": limit.BasisPoints,
	"Discount/uses_max maximum": limit.Uses, "Discount/customer_uses_max maximum": limit.Uses,
	"Discount/collection_ids maxItems":        limit.DiscountCollections,
	"Discount/collection_ids/items maxLength": limit.Line, "DiscountCreate/code maxLength": limit.Code,
	"DiscountCreate/basis_points maximum": limit.BasisPoints, "DiscountCreate/uses_max maximum": limit.Uses,
	"DiscountCreate/customer_uses_max maximum":      limit.Uses,
	"DiscountCreate/collection_ids maxItems":        limit.DiscountCollections,
	"DiscountCreate/collection_ids/items maxLength": limit.Line, "DiscountPatch/code maxLength": limit.Code,
	"DiscountPatch/basis_points maximum": limit.BasisPoints, "DiscountPatch/uses_max maximum": limit.Uses,
	"DiscountPatch/customer_uses_max maximum":      limit.Uses,
	"DiscountPatch/collection_ids maxItems":        limit.DiscountCollections,
	"DiscountPatch/collection_ids/items maxLength": limit.Line,

	"Location/name maxLength": limit.Line, "LocationCreate/name maxLength": limit.Line,
	"LocationPatch/name maxLength": limit.Line, "InventoryLine/location maxLength": limit.Line,
	"InventoryTransfer/lines maxItems": limit.InventoryLines, "InventoryTransfer/reason maxLength": limit.Line,
	"InventoryTransfer/reference maxLength": limit.Line, "InventoryTransfer/from maxLength": limit.Line,
	"InventoryTransfer/to maxLength": limit.Line, "TransferLine/variant_id maxLength": limit.Line,
	"TransferLine/sku maxLength": limit.Line, "TransferLine/quantity maximum": limit.Inventory,
	"FulfillmentCreate/location maxLength": limit.Line, "RefundCreate/location maxLength": limit.Line,
	"LineItem/allocations maxItems": limit.Locations + 1, "Allocation/quantity maximum": limit.Inventory,
	"Allocation/fulfilled_quantity maximum": limit.Inventory, "Location/position maximum": limit.Inventory,
	"InventoryLevel/locations maxItems": limit.Locations + 1, "InventoryState/locations maxItems": limit.Locations + 1,
	"LocationStock/quantity maximum": limit.Inventory,

	"CustomField/name maxLength": limit.CustomFieldName, "CustomField/label maxLength": limit.Label,
	"CustomFieldCreate/name maxLength": limit.CustomFieldName, "CustomFieldCreate/label maxLength": limit.Label,
	"CustomFieldPatch/label maxLength": limit.Label,

	"parameter Idempotency-Key maxLength": limit.IdempotencyKey, "parameter sku maxLength": limit.Line,
	"parameter email maxLength": limit.EmailFilter, "parameter tag maxLength": limit.Label,
	"parameter external_number maxLength": limit.Label,
}

// TestDocumentHasTheLimits compares every limit of the document with the table that input is
// checked against.
func TestDocumentHasTheLimits(t *testing.T) {
	var doc map[string]any
	if err := yaml.Unmarshal(rest.Document, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	components := doc["components"].(map[string]any)
	for name, schema := range components["schemas"].(map[string]any) {
		if strings.HasSuffix(name, "Page") {
			if got := items(schema); got != limit.Page {
				t.Errorf("%s holds %d items, want %d", name, got, limit.Page)
			}
			continue
		}
		collect(found, name, schema)
	}
	parameters(found, doc)
	want := maps.Clone(bounded)
	for at, most := range bounded { // they have the members of a new product
		if member, ok := strings.CutPrefix(at, "ProductCreate/"); ok {
			want["ProductPatch/"+member], want["ProductUpsert/"+member] = most, most
		}
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("limits (-table +document):\n%s", diff)
	}
}

// TestDocumentHasTheTableOfLimits: GET /me shows the table with its texts.
func TestDocumentHasTheTableOfLimits(t *testing.T) {
	var doc struct {
		Components struct {
			Schemas struct {
				IdentityLimits struct {
					Required   []string
					Properties map[string]struct{ Description string }
				} `yaml:"IdentityLimits"`
			}
		}
	}
	if err := yaml.Unmarshal(rest.Document, &doc); err != nil {
		t.Fatal(err)
	}
	shown := doc.Components.Schemas.IdentityLimits
	for _, row := range limit.Rows() {
		want := strings.ToUpper(row.Counts[:1]) + row.Counts[1:] + "."
		if got := shown.Properties[row.Member()].Description; got != want {
			t.Errorf("%s: %q, want %q", row.Member(), got, want)
		}
		if !slices.Contains(shown.Required, row.Member()) {
			t.Errorf("%s may be absent", row.Member())
		}
	}
}

// items returns the limit of a page's list.
func items(page any) int {
	data := page.(map[string]any)["properties"].(map[string]any)["data"].(map[string]any)
	n, _ := data["maxItems"].(int)
	return n
}

// collect collects the limits of a schema and its parts.
func collect(found map[string]int, at string, schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	for _, keyword := range []string{"maxLength", "maxItems", "maximum"} {
		if n, ok := s[keyword].(int); ok {
			found[at+" "+keyword] = n
		}
	}
	collect(found, at+"/items", s["items"])
	members, _ := s["properties"].(map[string]any)
	for name, member := range members {
		collect(found, at+"/"+name, member)
	}
}

// parameters collects the limits of all parameters.
func parameters(found map[string]int, node any) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			parameters(found, child)
		}
	case map[string]any:
		if place, ok := node["in"].(string); ok && place != "" && node["schema"] != nil {
			collect(found, fmt.Sprint("parameter ", node["name"]), node["schema"])
		}
		for _, child := range node {
			parameters(found, child)
		}
	}
}
