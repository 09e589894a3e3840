package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph"
)

// forPeople lists the mutations that no program can use, by name or by prefix with a star, under the
// reason (contract, section 15).
var forPeople = map[string][]string{
	"people decide who works in a store and what programs may do": {"staff*", "invitation*", "apiKey*",
		"app*", "grantRevoke", "installedAppRevoke"},
	"it concerns the account of the person": {"passwordChange", "sessionProve", "passkey*", "address*",
		"signOutEverywhere", "sessionEnd", "totp*", "factor*", "recoveryCodesRenew", "notification*", "savedView*"},
	"it decides where money, visitors and replies go": {"payment*", "domain*", "emailSender*"},
	"it is a setting of the store, or its words": {"store*", "shippingZone*", "taxSettings*", "invoiceSettings*",
		"orderEmailText*", "orderEmailPreview", "page*", "menus*"},
	"its emails go to shoppers at a person's wish":                {"orderEmailResend"},
	"a shopper asks a person for further downloads":               {"orderDownloadsReset"},
	"buyers trust the files that they download":                   {"productFile*"},
	"an invoice is a legal paper and never changes":               {"invoicesIssue"},
	"personal data are gone for good afterwards":                  {"customerRedact"},
	"the media library also has the pictures of pages and themes": {"media*", "productImageUse"},
	"the code of a theme runs in all stores that install it":      {"marketplaceTheme*"},
	"the answer is made for the dashboard":                        {"reportCreate"},
	"sample data are for people who try things":                   {"testStore*"},
}

// Each mutation either has a scope or is for people alone, for a reason.
func TestMutationsForPeople(t *testing.T) {
	for _, field := range graph.Schema().Mutation.Fields {
		if strings.HasPrefix(field.Name, "__") {
			continue
		}
		var reasons []string
		for reason, names := range forPeople {
			if slices.ContainsFunc(names, func(name string) bool { return named(name, field.Name) }) {
				reasons = append(reasons, reason)
			}
		}
		people := field.Directives.ForName("scope") == nil
		if people && len(reasons) != 1 || !people && len(reasons) > 0 {
			t.Errorf("%s: without a scope %t, reasons %q", field.Name, people, reasons)
		}
	}
}
