package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
)

// sensitive lists the mutations that give money, data or access to others. They need a recent proof
// of identity in a browser, or a staff token that was created for sensitive actions.
var sensitive = []string{
	"storeRequireSecondFactor", "storeSetRefundProof", "storeClose", "storeReopen", "testStoreReset", "staffInvite",
	"invitationResend", "staffUpdateRole", "staffRemove", "staffTokenCreate", "apiKeyCreate", "apiKeyRotate",
	"apiKeyAllow", "appCreate",
	"appUpdate", "appEnable", "webhookEndpointCreate", "webhookEndpointRotateSecret", "webhookEndpointPromoteSecret",
	"addressChange", "totpBegin", "totpConfirm", "passkeyBegin", "passkeyFinish", "factorRename", "factorRemove",
	"recoveryCodesRenew", "paymentSettingsUpdate", "paymentAccountSet", "paymentAccountRemove",
	"domainAdd", "domainPrefer", "emailSenderSet",
}

// partly lists the mutations that are sensitive for some inputs, which their methods check.
var partly = map[string]string{
	"orderRefund":           "a sum above the store's sum for proof",
	"orderCancel":           "a refund above that sum",
	"orderReturnRefund":     "a refund above that sum",
	"orderReturnExchange":   "as orderReturnRefund",
	"webhookEndpointUpdate": "another address",
	"storeUpdate":           "another contact address",
}

// ordinary lists the other mutations, by name or by prefix with a star, under the reason why they
// are not sensitive.
var ordinary = map[string][]string{
	"it looks up DNS": {"domainCheck", "emailSenderCheck"},
	"it ends access or stops data": {"domainRemove", "emailSenderRemove", "invitationWithdraw", "storeLeave",
		"staffTokenRevoke", "apiKeyRevoke",
		"appDisable", "grantRevoke", "installedAppRevoke", "webhookEndpointDisable", "webhookEndpointDelete",
		"signOutEverywhere", "sessionEnd"},
	"it is itself a proof, or asks for the current password": {"sessionProve", "passkeyAsk", "passwordChange"},
	"its email goes to the person's own address":             {"addressVerify"},
	"data go to an address whose setting was sensitive": {"webhookEndpointReactivate", "webhookEndpointPause",
		"webhookEndpointUnpause", "webhookEndpointTest", "webhookEndpointReplay", "webhookEventReplay",
		"webhookDelivery*", "webhookDeliveries*"},
	"only viewers who may read the rows get the file":               {"export*"},
	"it needs the scope of the rows it writes, which can be undone": {"import*"},
	"the new store is empty and the person's own":                   {"storeCreate"},
	"it changes names, times and versions": {"storeSetLegacy", "appSetLegacy",
		"notification*"},
	"it concerns sample data":            {"testStoreFill"},
	"it changes the person's own emails": {"staffSetOrderEmails", "staffSetAlerts"},
	"it saves filters for the person":    {"savedView*"},
	"its email goes to the shopper of the order, or to the person's own address": {"orderEmailResend",
		"orderEmailPreview"},
	"it records received money or handles goods": {"orderCreate", "orderMarkPaid", "orderRecordPayment",
		"orderFulfill", "orderFulfillmentUpdate", "orderComplete", "orderUpdate", "orderNoteAppend",
		"orderEditLines", "orderRequestPayment", "invoicesIssue", "orderReturnCreate", "orderReturnApprove",
		"orderReturnDecline", "orderReturnReceive", "orderDownloadsReset"},
	"it adds up what the viewer may read": {"reportCreate"},
	"it is what the shop sells or shows": {"product*", "inventory*", "location*", "collection*", "discount*",
		"customField*",
		"shippingZone*",
		"taxSettings*", "page*", "menus*", "theme*", "marketplaceTheme*", "media*", "storefrontUpdate",
		"orderEmailText*",
		"invoiceSettings*"},
	"it is daily work with customers": {"customer*"},
}

// Each mutation is sensitive, sensitive for some inputs, or ordinary for a reason, and @fresh marks
// the sensitive ones. New mutations must be added to a table above.
func TestSensitiveMutations(t *testing.T) {
	for _, field := range graph.Schema().Mutation.Fields {
		if strings.HasPrefix(field.Name, "__") {
			continue
		}
		is := slices.Contains(sensitive, field.Name)
		if marked := field.Directives.ForName("fresh") != nil; marked != is {
			t.Errorf("%s: sensitive is %t, @fresh is %t", field.Name, is, marked)
		}
		var kinds []string
		if is {
			kinds = append(kinds, "sensitive")
		}
		if input, ok := partly[field.Name]; ok {
			kinds = append(kinds, "sensitive for "+input)
		}
		for reason, names := range ordinary {
			if slices.ContainsFunc(names, func(name string) bool { return named(name, field.Name) }) {
				kinds = append(kinds, "not sensitive, since "+reason)
			}
		}
		if len(kinds) != 1 {
			t.Errorf("%s is in the tables %d times: %q", field.Name, len(kinds), kinds)
		}
	}
}

// named reports whether a name of a table, or its prefix with a star, is that of a field.
func named(name, field string) bool {
	prefix, open := strings.CutSuffix(name, "*")
	return name == field || open && strings.HasPrefix(field, prefix)
}

// refusesUnproved calls a sensitive mutation as an owner whose proof of identity is too old, and
// with a staff token that was not created for sensitive actions: both must be refused without
// effect.
func (w *caller) refusesUnproved(field, args string) {
	w.t.Helper()
	token, browser := w.token, w.browser
	defer func() { w.token, w.browser = token, browser }()
	stale, plain := *viewer.From(w.As(w.Owner.ID, viewer.Owner)), *viewer.From(w.As(w.Owner.ID, viewer.Owner))
	stale.Session, stale.ProvedAt = digest.Of([]byte("a browser")), micros.Now().Add(-viewer.ProofLife)
	plain.Credential = xid.New()
	if args != "" {
		args = "(" + args + ")"
	}
	w.token = ""
	for code, who := range map[string]*viewer.Viewer{"reauthentication_required": &stale, "forbidden": &plain} {
		w.browser = who
		a := w.api.Query("", "mutation { "+field+args+" { userErrors { code } } }", nil)
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != code {
			w.t.Errorf("want %s: %s", code, a.Body)
		}
	}
}
