package merchant

import (
	"maps"
	"slices"
	"strings"
)

// reserved are host labels that belong to the service rather than to one of its stores: names that
// people type by habit, that email programs and browsers request on their own, or that strangers
// would trust (RFC 2142, section 5).
var reserved = func() map[string]bool {
	set := map[string]bool{}
	for label := range strings.FieldsSeq(`
		abuse account accounts admin administrator api apis app apps assets auth autoconfig autodiscover
		billing cdn checkout config console cpanel dashboard developers dns docs download downloads email exports
		files ftp git graphql help host hostmaster id identity images imap info internal invite isatap
		localhost login logout mail marketplace media metrics mta-sts mx ns ns1 ns2 ns3 ns4 oauth official openid
		pay payment payments pop pop3 postmaster proxy root secure security server settings sign-in sign-up signin
		signout signup sip smtp ssl ssh sso staff static status storefront support sys sysadmin system tls token
		uploads usenet vpn webdisk webhook webhooks webmail webmaster wpad www www1 www2 www3`) {
		set[label] = true
	}
	return set
}()

// payers are names under which people expect to pay or to prove their identity. No part of a
// store's handle may be one, because its host could be mistaken for theirs.
var payers = strings.Fields(`
	alipay amex applepay cashapp giropay googlepay klarna mastercard mollie paypal revolut shopify sofort square
	stripe twint venmo visa wechatpay wise zelle`)

// impersonates reports whether a handle contains one of these names.
func impersonates(handle string) bool {
	return slices.ContainsFunc(strings.Split(handle, "-"), func(part string) bool {
		return slices.Contains(payers, part)
	})
}

// Reserved reports whether no store may have a handle because a host of that name belongs to the
// service.
func Reserved(handle string) bool { return reserved[handle] }

// ReservedHandles returns the handles for which [Reserved] is true.
func ReservedHandles() []string { return slices.Sorted(maps.Keys(reserved)) }
