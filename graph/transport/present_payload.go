package transport

import (
	"net/url"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/model"
)

type errorList = []*model.UserError

// payloads creates the payload of a refused mutation by the name of its type.
var payloads = map[string]func(errorList) any{
	"StorePayload":                 func(e errorList) any { return &model.StorePayload{UserErrors: e} },
	"TestStoreResetPayload":        func(e errorList) any { return &model.TestStoreResetPayload{UserErrors: e} },
	"StaffPayload":                 func(e errorList) any { return &model.StaffPayload{UserErrors: e} },
	"InvitationPayload":            func(e errorList) any { return &model.InvitationPayload{UserErrors: e} },
	"AddressPayload":               func(e errorList) any { return &model.AddressPayload{UserErrors: e} },
	"SessionEndPayload":            func(e errorList) any { return &model.SessionEndPayload{UserErrors: e} },
	"StaffRemovePayload":           func(e errorList) any { return &model.StaffRemovePayload{UserErrors: e} },
	"StaffTokenPayload":            func(e errorList) any { return &model.StaffTokenPayload{UserErrors: e} },
	"APIKeyPayload":                func(e errorList) any { return &model.APIKeyPayload{UserErrors: e} },
	"AppPayload":                   func(e errorList) any { return &model.AppPayload{UserErrors: e} },
	"GrantPayload":                 func(e errorList) any { return &model.GrantPayload{UserErrors: e} },
	"InstalledAppRevokePayload":    func(e errorList) any { return &model.InstalledAppRevokePayload{UserErrors: e} },
	"PasswordChangePayload":        func(e errorList) any { return &model.PasswordChangePayload{UserErrors: e} },
	"SignOutPayload":               func(e errorList) any { return &model.SignOutPayload{UserErrors: e} },
	"TotpBeginPayload":             func(e errorList) any { return &model.TotpBeginPayload{UserErrors: e} },
	"PasskeyAskPayload":            func(e errorList) any { return &model.PasskeyAskPayload{UserErrors: e} },
	"SessionProvePayload":          func(e errorList) any { return &model.SessionProvePayload{UserErrors: e} },
	"PasskeyBeginPayload":          func(e errorList) any { return &model.PasskeyBeginPayload{UserErrors: e} },
	"FactorAddPayload":             func(e errorList) any { return &model.FactorAddPayload{UserErrors: e} },
	"FactorPayload":                func(e errorList) any { return &model.FactorPayload{UserErrors: e} },
	"FactorRemovePayload":          func(e errorList) any { return &model.FactorRemovePayload{UserErrors: e} },
	"RecoveryCodesPayload":         func(e errorList) any { return &model.RecoveryCodesPayload{UserErrors: e} },
	"NotificationPayload":          func(e errorList) any { return &model.NotificationPayload{UserErrors: e} },
	"NotificationsPayload":         func(e errorList) any { return &model.NotificationsPayload{UserErrors: e} },
	"WebhookEndpointPayload":       func(e errorList) any { return &model.WebhookEndpointPayload{UserErrors: e} },
	"WebhookEndpointDeletePayload": func(e errorList) any { return &model.WebhookEndpointDeletePayload{UserErrors: e} },
	"WebhookDeliveryPayload":       func(e errorList) any { return &model.WebhookDeliveryPayload{UserErrors: e} },
	"WebhookDeliveriesPayload":     func(e errorList) any { return &model.WebhookDeliveriesPayload{UserErrors: e} },
	"ExportPayload":                func(e errorList) any { return &model.ExportPayload{UserErrors: e} },
	"ExportDeletePayload":          func(e errorList) any { return &model.ExportDeletePayload{UserErrors: e} },
	"ThemePayload":                 func(e errorList) any { return &model.ThemePayload{UserErrors: e} },
	"ThemeDeletePayload":           func(e errorList) any { return &model.ThemeDeletePayload{UserErrors: e} },
	"MarketplaceSubmissionPayload": func(e errorList) any { return &model.MarketplaceSubmissionPayload{UserErrors: e} },
	"PagePayload":                  func(e errorList) any { return &model.PagePayload{UserErrors: e} },
	"PageDeletePayload":            func(e errorList) any { return &model.PageDeletePayload{UserErrors: e} },
	"MenusPayload":                 func(e errorList) any { return &model.MenusPayload{UserErrors: e} },
	"ProductPayload":               func(e errorList) any { return &model.ProductPayload{UserErrors: e} },
	"ProductDeletePayload":         func(e errorList) any { return &model.ProductDeletePayload{UserErrors: e} },
	"ProductImagePayload":          func(e errorList) any { return &model.ProductImagePayload{UserErrors: e} },
	"ProductImageDeletePayload":    func(e errorList) any { return &model.ProductImageDeletePayload{UserErrors: e} },
	"ShippingZonePayload":          func(e errorList) any { return &model.ShippingZonePayload{UserErrors: e} },
	"ShippingZoneDeletePayload":    func(e errorList) any { return &model.ShippingZoneDeletePayload{UserErrors: e} },
	"PaymentSettingsPayload":       func(e errorList) any { return &model.PaymentSettingsPayload{UserErrors: e} },
	"TaxSettingsPayload":           func(e errorList) any { return &model.TaxSettingsPayload{UserErrors: e} },
	"CollectionPayload":            func(e errorList) any { return &model.CollectionPayload{UserErrors: e} },
	"CollectionDeletePayload":      func(e errorList) any { return &model.CollectionDeletePayload{UserErrors: e} },
	"DiscountPayload":              func(e errorList) any { return &model.DiscountPayload{UserErrors: e} },
	"DiscountDeletePayload":        func(e errorList) any { return &model.DiscountDeletePayload{UserErrors: e} },
	"CustomerPayload":              func(e errorList) any { return &model.CustomerPayload{UserErrors: e} },
	"OrderPayload":                 func(e errorList) any { return &model.OrderPayload{UserErrors: e} },
	"OrderNotePayload":             func(e errorList) any { return &model.OrderNotePayload{UserErrors: e} },
}

// userFault reports whether a mutation returns the fault in its payload: faults of the input, of
// the state or of the caller's rights.
func userFault(k fault.Kind) bool {
	switch k {
	case fault.ValidationFailed, fault.NotFound, fault.Conflict, fault.Forbidden, fault.InsufficientScope:
		return true
	}
	return false
}

// userErrors converts a fault into user errors on the arguments of a field.
func userErrors(f *fault.Error, field graphql.CollectedField) errorList {
	if len(f.Fields) == 0 {
		e := &model.UserError{Code: f.Name(), Message: f.Detail}
		if f.Limit != "" {
			e.Limit = &f.Limit
		}
		return errorList{e}
	}
	errs := make(errorList, len(f.Fields))
	for i, bad := range f.Fields {
		errs[i] = &model.UserError{Code: bad.Code, Message: bad.Detail, Path: argumentPath(bad, field)}
	}
	return errs
}

// argumentPath converts the pointer of a member in a REST body into a path in the arguments:
// "#/price_minor" becomes input, priceMinor. A member that the field takes as a separate argument
// is not below input.
func argumentPath(f fault.Field, field graphql.CollectedField) []string {
	if f.Parameter != "" {
		return []string{camel(f.Parameter)}
	}
	tokens := pointerTokens(f.Pointer)
	for i, t := range tokens {
		tokens[i] = camel(t)
	}
	arguments := field.Definition.Arguments
	own := len(tokens) > 0 && arguments.ForName(tokens[0]) != nil
	if arguments.ForName("input") != nil && !own {
		tokens = slices.Insert(tokens, 0, "input")
	}
	return tokens
}

// pointerTokens splits a JSON pointer in a URI fragment (RFC 6901, section 6).
func pointerTokens(pointer string) []string {
	text, ok := strings.CutPrefix(pointer, "#/")
	if !ok {
		return nil
	}
	tokens := strings.Split(text, "/")
	for i, t := range tokens {
		if plain, err := url.PathUnescape(t); err == nil {
			t = plain
		}
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
	}
	return tokens
}

// camel converts a REST name to its GraphQL name.
func camel(name string) string {
	head, rest, found := strings.Cut(name, "_")
	if !found || head == "" {
		return name
	}
	var b strings.Builder
	b.WriteString(head)
	for word := range strings.SplitSeq(rest, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
