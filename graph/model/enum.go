package model

import (
	"errors"
	"io"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
)

// enum marshals a value of an enumeration in upper case, as GraphQL names it. Values consist of
// letters and underscores.
type enum string

// MarshalGQL implements graphql.Marshaler.
func (e enum) MarshalGQL(w io.Writer) { w.Write(AppendEnum(available(w), string(e))) }

// AppendEnum appends a value of an enumeration in upper case and quoted.
func AppendEnum(b []byte, v string) []byte {
	b = append(b, '"')
	for i := range len(v) {
		c := v[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		b = append(b, c)
	}
	return append(b, '"')
}

var errNoValue = errors.New("not a value of the enumeration")

// unmarshal parses a value of an enumeration as GraphQL writes it.
func unmarshal[T interface {
	~string
	Known() bool
}](v any) (T, error) {
	s, ok := v.(string)
	if value := T(strings.ToLower(s)); ok && value.Known() && s == strings.ToUpper(s) {
		return value, nil
	}
	return "", errNoValue
}

// The functions that the generated executor calls for each enumeration of the schema.
//
//revive:disable:exported

func MarshalStaffRole(v viewer.Role) graphql.Marshaler { return enum(v) }
func UnmarshalStaffRole(v any) (viewer.Role, error)    { return unmarshal[viewer.Role](v) }

func MarshalActorType(v viewer.Kind) graphql.Marshaler { return enum(v) }
func UnmarshalActorType(v any) (viewer.Kind, error)    { return unmarshal[viewer.Kind](v) }

func MarshalProductStatus(v state.ProductStatus) graphql.Marshaler { return enum(v) }
func UnmarshalProductStatus(v any) (state.ProductStatus, error) {
	return unmarshal[state.ProductStatus](v)
}

func MarshalCustomFieldOwner(v state.CustomFieldOwner) graphql.Marshaler { return enum(v) }
func UnmarshalCustomFieldOwner(v any) (state.CustomFieldOwner, error) {
	return unmarshal[state.CustomFieldOwner](v)
}

func MarshalCustomFieldType(v state.CustomFieldType) graphql.Marshaler { return enum(v) }
func UnmarshalCustomFieldType(v any) (state.CustomFieldType, error) {
	return unmarshal[state.CustomFieldType](v)
}

func MarshalTextFormat(v state.TextFormat) graphql.Marshaler { return enum(v) }
func UnmarshalTextFormat(v any) (state.TextFormat, error)    { return unmarshal[state.TextFormat](v) }

func MarshalCustomerStatus(v state.CustomerStatus) graphql.Marshaler { return enum(v) }
func UnmarshalCustomerStatus(v any) (state.CustomerStatus, error) {
	return unmarshal[state.CustomerStatus](v)
}

func MarshalConsentSource(v state.ConsentSource) graphql.Marshaler { return enum(v) }
func UnmarshalConsentSource(v any) (state.ConsentSource, error) {
	return unmarshal[state.ConsentSource](v)
}

func MarshalMarketingConsent(v state.MarketingConsent) graphql.Marshaler { return enum(v) }
func UnmarshalMarketingConsent(v any) (state.MarketingConsent, error) {
	return unmarshal[state.MarketingConsent](v)
}

func MarshalEmailMarketing(v state.EmailMarketing) graphql.Marshaler { return enum(v) }
func UnmarshalEmailMarketing(v any) (state.EmailMarketing, error) {
	return unmarshal[state.EmailMarketing](v)
}

func MarshalListSort(v state.ListSort) graphql.Marshaler { return enum(v) }
func UnmarshalListSort(v any) (state.ListSort, error)    { return unmarshal[state.ListSort](v) }

func MarshalInvoiceKind(v state.InvoiceKind) graphql.Marshaler { return enum(v) }
func UnmarshalInvoiceKind(v any) (state.InvoiceKind, error)    { return unmarshal[state.InvoiceKind](v) }

func MarshalInvoiceIssue(v state.InvoiceIssue) graphql.Marshaler { return enum(v) }
func UnmarshalInvoiceIssue(v any) (state.InvoiceIssue, error) {
	return unmarshal[state.InvoiceIssue](v)
}

func MarshalReturnState(v state.ReturnState) graphql.Marshaler { return enum(v) }
func UnmarshalReturnState(v any) (state.ReturnState, error)    { return unmarshal[state.ReturnState](v) }

func MarshalReturnReason(v state.ReturnReason) graphql.Marshaler { return enum(v) }
func UnmarshalReturnReason(v any) (state.ReturnReason, error) {
	return unmarshal[state.ReturnReason](v)
}

func MarshalReturnRefusal(v state.ReturnRefusal) graphql.Marshaler { return enum(v) }
func UnmarshalReturnRefusal(v any) (state.ReturnRefusal, error) {
	return unmarshal[state.ReturnRefusal](v)
}

func MarshalOrderStatus(v state.OrderStatus) graphql.Marshaler { return enum(v) }
func UnmarshalOrderStatus(v any) (state.OrderStatus, error)    { return unmarshal[state.OrderStatus](v) }

func MarshalFinancialStatus(v state.FinancialStatus) graphql.Marshaler { return enum(v) }
func UnmarshalFinancialStatus(v any) (state.FinancialStatus, error) {
	return unmarshal[state.FinancialStatus](v)
}

func MarshalFulfillmentStatus(v state.FulfillmentStatus) graphql.Marshaler { return enum(v) }
func UnmarshalFulfillmentStatus(v any) (state.FulfillmentStatus, error) {
	return unmarshal[state.FulfillmentStatus](v)
}

func MarshalPaymentKind(v state.PaymentKind) graphql.Marshaler { return enum(v) }
func UnmarshalPaymentKind(v any) (state.PaymentKind, error)    { return unmarshal[state.PaymentKind](v) }

func MarshalNoteVisibility(v state.NoteVisibility) graphql.Marshaler { return enum(v) }
func UnmarshalNoteVisibility(v any) (state.NoteVisibility, error) {
	return unmarshal[state.NoteVisibility](v)
}

func MarshalPaymentMethod(v state.PaymentMethod) graphql.Marshaler { return enum(v) }
func UnmarshalPaymentMethod(v any) (state.PaymentMethod, error) {
	return unmarshal[state.PaymentMethod](v)
}

func MarshalCollectionSort(v state.CollectionSort) graphql.Marshaler { return enum(v) }
func UnmarshalCollectionSort(v any) (state.CollectionSort, error) {
	return unmarshal[state.CollectionSort](v)
}

func MarshalCollectionField(v state.CollectionField) graphql.Marshaler { return enum(v) }
func UnmarshalCollectionField(v any) (state.CollectionField, error) {
	return unmarshal[state.CollectionField](v)
}

func MarshalPaymentRefundState(v state.PaymentRefundState) graphql.Marshaler { return enum(v) }
func UnmarshalPaymentRefundState(v any) (state.PaymentRefundState, error) {
	return unmarshal[state.PaymentRefundState](v)
}

func MarshalDiscountKind(v state.DiscountKind) graphql.Marshaler { return enum(v) }
func UnmarshalDiscountKind(v any) (state.DiscountKind, error) {
	return unmarshal[state.DiscountKind](v)
}

func MarshalShippingKind(v state.ShippingKind) graphql.Marshaler { return enum(v) }
func UnmarshalShippingKind(v any) (state.ShippingKind, error) {
	return unmarshal[state.ShippingKind](v)
}

func MarshalTaxRelief(v state.TaxRelief) graphql.Marshaler { return enum(v) }
func UnmarshalTaxRelief(v any) (state.TaxRelief, error)    { return unmarshal[state.TaxRelief](v) }

func MarshalTaxRelation(v state.TaxRelation) graphql.Marshaler { return enum(v) }
func UnmarshalTaxRelation(v any) (state.TaxRelation, error)    { return unmarshal[state.TaxRelation](v) }

func MarshalStoreStatus(v state.StoreStatus) graphql.Marshaler { return enum(v) }
func UnmarshalStoreStatus(v any) (state.StoreStatus, error)    { return unmarshal[state.StoreStatus](v) }

func MarshalDomainStatus(v state.DomainStatus) graphql.Marshaler { return enum(v) }
func UnmarshalDomainStatus(v any) (state.DomainStatus, error) {
	return unmarshal[state.DomainStatus](v)
}

func MarshalGrantEnd(v state.GrantEnd) graphql.Marshaler { return enum(v) }
func UnmarshalGrantEnd(v any) (state.GrantEnd, error)    { return unmarshal[state.GrantEnd](v) }

func MarshalFactorKind(v state.FactorKind) graphql.Marshaler { return enum(v) }
func UnmarshalFactorKind(v any) (state.FactorKind, error)    { return unmarshal[state.FactorKind](v) }

func MarshalNotificationLevel(v state.NotificationLevel) graphql.Marshaler { return enum(v) }
func UnmarshalNotificationLevel(v any) (state.NotificationLevel, error) {
	return unmarshal[state.NotificationLevel](v)
}

func MarshalAlertTopic(v state.AlertTopic) graphql.Marshaler { return enum(v) }
func UnmarshalAlertTopic(v any) (state.AlertTopic, error)    { return unmarshal[state.AlertTopic](v) }

func MarshalAlertEmail(v state.AlertEmail) graphql.Marshaler { return enum(v) }
func UnmarshalAlertEmail(v any) (state.AlertEmail, error)    { return unmarshal[state.AlertEmail](v) }

func MarshalOrderEmail(v state.OrderEmail) graphql.Marshaler { return enum(v) }
func UnmarshalOrderEmail(v any) (state.OrderEmail, error)    { return unmarshal[state.OrderEmail](v) }

func MarshalPageStatus(v state.PageStatus) graphql.Marshaler { return enum(v) }
func UnmarshalPageStatus(v any) (state.PageStatus, error)    { return unmarshal[state.PageStatus](v) }

func MarshalPageKind(v state.PageKind) graphql.Marshaler { return enum(v) }
func UnmarshalPageKind(v any) (state.PageKind, error)    { return unmarshal[state.PageKind](v) }

func MarshalMenuTarget(v state.MenuTarget) graphql.Marshaler { return enum(v) }
func UnmarshalMenuTarget(v any) (state.MenuTarget, error)    { return unmarshal[state.MenuTarget](v) }

func MarshalLanguage(v state.Language) graphql.Marshaler { return enum(v) }
func UnmarshalLanguage(v any) (state.Language, error)    { return unmarshal[state.Language](v) }

func MarshalThemeStatus(v state.ThemeStatus) graphql.Marshaler { return enum(v) }
func UnmarshalThemeStatus(v any) (state.ThemeStatus, error)    { return unmarshal[state.ThemeStatus](v) }

func MarshalThemeSource(v state.ThemeSource) graphql.Marshaler { return enum(v) }
func UnmarshalThemeSource(v any) (state.ThemeSource, error)    { return unmarshal[state.ThemeSource](v) }

func MarshalAssetKind(v state.AssetKind) graphql.Marshaler { return enum(v) }
func UnmarshalAssetKind(v any) (state.AssetKind, error)    { return unmarshal[state.AssetKind](v) }

func MarshalSettingKind(v state.SettingKind) graphql.Marshaler { return enum(v) }
func UnmarshalSettingKind(v any) (state.SettingKind, error)    { return unmarshal[state.SettingKind](v) }

func MarshalListingStatus(v state.ListingStatus) graphql.Marshaler { return enum(v) }
func UnmarshalListingStatus(v any) (state.ListingStatus, error) {
	return unmarshal[state.ListingStatus](v)
}

func MarshalReviewVerdict(v state.ReviewVerdict) graphql.Marshaler { return enum(v) }
func UnmarshalReviewVerdict(v any) (state.ReviewVerdict, error) {
	return unmarshal[state.ReviewVerdict](v)
}

func MarshalWebhookPayload(v state.WebhookPayload) graphql.Marshaler { return enum(v) }
func UnmarshalWebhookPayload(v any) (state.WebhookPayload, error) {
	return unmarshal[state.WebhookPayload](v)
}

func MarshalEndpointStatus(v state.EndpointStatus) graphql.Marshaler { return enum(v) }
func UnmarshalEndpointStatus(v any) (state.EndpointStatus, error) {
	return unmarshal[state.EndpointStatus](v)
}

func MarshalEndpointStop(v state.EndpointStop) graphql.Marshaler { return enum(v) }
func UnmarshalEndpointStop(v any) (state.EndpointStop, error) {
	return unmarshal[state.EndpointStop](v)
}

func MarshalDeliveryState(v state.DeliveryState) graphql.Marshaler { return enum(v) }
func UnmarshalDeliveryState(v any) (state.DeliveryState, error) {
	return unmarshal[state.DeliveryState](v)
}

func MarshalWebhookCircuitState(v state.WebhookCircuit) graphql.Marshaler { return enum(v) }
func UnmarshalWebhookCircuitState(v any) (state.WebhookCircuit, error) {
	return unmarshal[state.WebhookCircuit](v)
}

func MarshalWebhookBacklog(v state.WebhookBacklog) graphql.Marshaler { return enum(v) }
func UnmarshalWebhookBacklog(v any) (state.WebhookBacklog, error) {
	return unmarshal[state.WebhookBacklog](v)
}

func MarshalExportKind(v state.ExportKind) graphql.Marshaler { return enum(v) }
func UnmarshalExportKind(v any) (state.ExportKind, error)    { return unmarshal[state.ExportKind](v) }

func MarshalExportFormat(v state.ExportFormat) graphql.Marshaler { return enum(v) }
func UnmarshalExportFormat(v any) (state.ExportFormat, error) {
	return unmarshal[state.ExportFormat](v)
}

func MarshalExportCompression(v state.ExportCompression) graphql.Marshaler { return enum(v) }
func UnmarshalExportCompression(v any) (state.ExportCompression, error) {
	return unmarshal[state.ExportCompression](v)
}

func MarshalImportKind(v state.ImportKind) graphql.Marshaler { return enum(v) }
func UnmarshalImportKind(v any) (state.ImportKind, error)    { return unmarshal[state.ImportKind](v) }

func MarshalImportStatus(v state.ImportStatus) graphql.Marshaler { return enum(v) }
func UnmarshalImportStatus(v any) (state.ImportStatus, error) {
	return unmarshal[state.ImportStatus](v)
}

func MarshalReportStatus(v state.ReportStatus) graphql.Marshaler { return enum(v) }
func UnmarshalReportStatus(v any) (state.ReportStatus, error) {
	return unmarshal[state.ReportStatus](v)
}
func MarshalExportStatus(v state.ExportStatus) graphql.Marshaler { return enum(v) }
func UnmarshalExportStatus(v any) (state.ExportStatus, error) {
	return unmarshal[state.ExportStatus](v)
}
