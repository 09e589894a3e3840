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

// sensitive are the mutations that lead money, data or access elsewhere. They need a fresh proof of
// identity in a browser, and a staff token does them only if it was created for that.
var sensitive = []string{
	"storeRequireSecondFactor", "storeSetRefundProof", "storeClose", "testStoreReset", "staffInvite",
	"invitationResend", "staffUpdateRole", "staffRemove", "staffTokenCreate", "apiKeyCreate", "apiKeyRotate",
	"apiKeyAllow", "appCreate",
	"appUpdate", "appEnable", "webhookEndpointCreate", "webhookEndpointRotateSecret", "webhookEndpointPromoteSecret",
	"addressChange", "totpBegin", "totpConfirm", "passkeyBegin", "passkeyFinish", "factorRename", "factorRemove",
	"recoveryCodesRenew", "paymentSettingsUpdate", "paymentAccountSet", "paymentAccountRemove",
}

// partly are the mutations that are sensitive for some of their input, which their methods judge.
var partly = map[string]string{
	"orderRefund":           "a sum above the store's sum for proof",
	"orderCancel":           "a refund above that sum",
	"webhookEndpointUpdate": "another address",
	"storeUpdate":           "another contact address",
}

// ordinary are the other mutations, by name or by prefix with a star, and why they are not sensitive.
var ordinary = map[string][]string{
	"it ends access or stops data": {"invitationWithdraw", "storeLeave", "staffTokenRevoke", "apiKeyRevoke",
		"appDisable", "grantRevoke", "installedAppRevoke", "webhookEndpointDisable", "webhookEndpointDelete",
		"signOutEverywhere", "sessionEnd"},
	"it is a proof itself, or asks for the current password": {"sessionProve", "passkeyAsk", "passwordChange"},
	"its mail goes to the person's own address":              {"addressVerify"},
	"data go to an address that was judged when it was set": {"webhookEndpointReactivate", "webhookEndpointPause",
		"webhookEndpointUnpause", "webhookEndpointTest", "webhookEndpointReplay", "webhookEventReplay",
		"webhookDelivery*", "webhookDeliveries*"},
	"the file is for who may read the same rows anyway": {"export*"},
	"the new store is empty and the person's own":       {"storeCreate"},
	"it changes names, times and versions": {"storeSetLegacy", "appSetLegacy",
		"notification*"},
	"it concerns sample data":             {"testStoreFill"},
	"it switches the person's own emails": {"staffSetOrderEmails"},
	"money is noted that came in, or goods are handled": {"orderCreate", "orderMarkPaid", "orderRecordPayment",
		"orderFulfill", "orderComplete", "orderUpdate", "orderNoteAppend"},
	"it is what the shop sells and shows": {"product*", "collection*", "discount*", "shippingZone*", "taxSettings*",
		"page*", "menus*", "theme*", "marketplaceTheme*"},
	"it is daily work with people who buy": {"customer*"},
}

// Each mutation is sensitive, sensitive for some input, or ordinary with a reason, and @fresh marks
// those of the first kind. A new mutation has to be entered above.
func TestSensitiveMutations(t *testing.T) {
	for _, field := range graph.Schema().Mutation.Fields {
		if strings.HasPrefix(field.Name, "__") {
			continue
		}
		is := slices.Contains(sensitive, field.Name)
		if marked := field.Directives.ForName("fresh") != nil; marked != is {
			t.Errorf("%s: in the table of sensitive mutations is %t, @fresh is %t", field.Name, is, marked)
		}
		var kinds []string
		if is {
			kinds = append(kinds, "sensitive")
		}
		if input, ok := partly[field.Name]; ok {
			kinds = append(kinds, "sensitive for "+input)
		}
		for reason, names := range ordinary {
			if slices.ContainsFunc(names, func(name string) bool {
				prefix, open := strings.CutSuffix(name, "*")
				return name == field.Name || open && strings.HasPrefix(field.Name, prefix)
			}) {
				kinds = append(kinds, "not sensitive, since "+reason)
			}
		}
		if len(kinds) != 1 {
			t.Errorf("%s is in the table %d times: %q", field.Name, len(kinds), kinds)
		}
	}
}

// refusesUnproved calls a sensitive mutation as an owner who proved too long ago who they are, and by a
// staff token that was not created for it: both are refused before anything is done.
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
