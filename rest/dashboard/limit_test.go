package dashboard

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/domain/merchant"
)

// bounds are the longest texts, the most rows and the largest numbers of the forms' members.
// Browsers count UTF-16 units, which are never fewer than the code points that the service counts.
var bounds = map[string]int{
	"name": limit.Line, "title": limit.Line, "developer": limit.Line, "tagline": limit.Line, "sku": limit.Line,
	"vendor": limit.Line, "productType": limit.Line, "carrier": limit.Line, "trackingNumber": limit.Line,
	"reference": limit.Line, "reason": limit.Line, "method": limit.Label, "timezone": limit.Timezone,
	"url": limit.URL, "website": limit.URL, "imageUrl": limit.URL, "trackingUrl": limit.URL,
	"firstName": limit.Line, "lastName": limit.Line, "phone": limit.Label, "locale": limit.Locale, "note": limit.Note,
	"alt": limit.ImageAlt, "sections.js title": limit.Line,
	"sections.js label": limit.Line, "sections.js text": limit.CollectionText,
	"sections.js link": limit.URL, "announcement.text": limit.Announcement, "announcement.link": limit.URL,
	"pause.message": limit.Announcement, "pages/storefront.js password": limit.Line,
	"email": limit.Email, "contactEmail": limit.Email, "handle": limit.Handle, "body": limit.Note,
	"externalNumber":     limit.Label,
	"pages/page.js body": limit.PageBody, "seoDescription": limit.SEODescription, "address": limit.URL,
	"returns.days": limit.ReturnDays, "returns.countries": limit.ReturnCountries,
	"returns.instructions":     limit.ReturnText,
	"pages/storefront.js days": limit.ReturnDays,
	"returns.js instructions":  limit.ReturnText, "returns.js reason": limit.ReturnText,
	"returns.js note": limit.ReturnText, "labelUrl": limit.URL,
	"webhook_form.js description": limit.Line, "selection": limit.Selection,
	"pages/product.js description": limit.Description,
	"market_review.js note":        limit.ReviewNote, "rateLimit": limit.EndpointRate,
	"headers": limit.Headers, "webhook_rows.js name": limit.HeaderName, "webhook_rows.js value": limit.HeaderValue,
	"filters": limit.Filters, "webhook_rows.js field": limit.FilterField,
	"pages/shipping.js rates": limit.Rates, "pages/tax.js rates": limit.TaxRates, "pages/tax.js name": limit.Label,
	"pages/tax.js categories": limit.TaxCategories, "vatId": limit.VATID,
	"pricing.vatId": limit.VATID, "region": limit.Line,
	"pages/discounts.js code": limit.Code, "pricing.discountCode": limit.Code,
	"stripe.js secretKey": limit.PaymentSecret, "stripe.js signingSecret": limit.PaymentSecret,
	"pages/collections.js description": limit.CollectionText, "rule.conditions": limit.Conditions,
	"saved_views.js view": limit.ViewName, "pages/collections.js text": limit.Line,
	"stores.js handle": merchant.MaxStoreHandle,
	"subject":          limit.Line, "intro": limit.EmailText, "closing": limit.EmailText,
	"maker.name": limit.Line, "maker.address": limit.MakerAddress, "maker.email": limit.Email, "maker.url": limit.URL,
	"maker.safety": limit.Safety, "barcode": limit.Barcode,
	"taxNumber": limit.Label, "registration": limit.Line, "bank": limit.InvoiceText, "creditNote": limit.InvoiceText,
	"pages/invoice_settings.js note": limit.InvoiceText, "invoicePrefix": limit.InvoicePrefix,
	"creditPrefix":            limit.InvoicePrefix,
	"pages/emails.js address": limit.Email, "pages/custom_fields.js label": limit.Label,
	"pages/locations.js name": limit.Line, "stock_places.js reason": limit.Line,
	"pages/custom_fields.js name": limit.CustomFieldName,
	"pages/domains.js host":       limit.Host, "pages/payments.js name": limit.Label, "instructions": limit.Note,
}

var (
	inputs = regexp.MustCompile(
		`(?s)<\$\{(?:Field|RegionField|Area|MarkdownEditor|Rows)\}[^<]*?\bname=(?:"|\$\{at \+ '\.)([\w.]+)['"](.*?)(?:/>|\n\s*<)`)
	maxLength = regexp.MustCompile(`\bmax(?:length)?="(\d+)"`)
)

// The forms accept as much as the service, and no more.
func TestLimitsOfForms(t *testing.T) {
	seen := map[string]bool{}
	for name, text := range written(t).files {
		if !ours(name) || !strings.HasSuffix(name, ".js") {
			continue
		}
		for _, input := range inputs.FindAllStringSubmatch(string(text), -1) {
			member := input[1]
			if _, own := bounds[name+" "+member]; own {
				member = name + " " + member
			}
			want, known := bounds[member]
			var given string
			if m := maxLength.FindStringSubmatch(input[2]); m != nil {
				given = m[1]
			}
			switch {
			case known && given != strconv.Itoa(want):
				t.Errorf("%s: %s takes up to %q, want %d", name, input[1], given, want)
			case !known && given != "":
				t.Errorf("%s: which limit is the %s of %s?", name, given, input[1])
			}
			seen[member] = true
		}
	}
	for member := range bounds {
		if !seen[member] {
			t.Errorf("no form has %s", member)
		}
	}
}

// The hint of a new password states the minimum length.
func TestShortestPassword(t *testing.T) {
	want := "At least " + strconv.Itoa(limit.ShortPassword) + " characters"
	if text := string(written(t).files["password.js"]); !strings.Contains(text, want) {
		t.Errorf("password.js does not say %q", want)
	}
}
