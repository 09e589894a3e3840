package model

import "github.com/storefront-go/storefront/ent/limit"

// Limits holds the limits of a credential: those of every request, and those of package limit, each
// of which GraphQL reads with a method.
type Limits struct {
	PageSizeDefault, PageSizeMax           int
	BodyBytesMax, IdempotencyKeyTTLSeconds int
	limit.Values
}

// PeopleMax is [limit.People].
func (l *Limits) PeopleMax() int { return int(l.Of(limit.People)) }

// InvitationsMax is [limit.Invitations].
func (l *Limits) InvitationsMax() int { return int(l.Of(limit.Invitations)) }

// APIKeysMax is [limit.APIKeys].
func (l *Limits) APIKeysMax() int { return int(l.Of(limit.APIKeys)) }

// AppsMax is [limit.Apps].
func (l *Limits) AppsMax() int { return int(l.Of(limit.Apps)) }

// WebhookEndpointsMax is [limit.Endpoints].
func (l *Limits) WebhookEndpointsMax() int { return int(l.Of(limit.Endpoints)) }

// ThemesMax is [limit.Themes].
func (l *Limits) ThemesMax() int { return int(l.Of(limit.Themes)) }

// PictureBytesMax is [limit.PictureBytes].
func (l *Limits) PictureBytesMax() int64 { return l.Of(limit.PictureBytes) }

// PagesMax is [limit.Pages].
func (l *Limits) PagesMax() int { return int(l.Of(limit.Pages)) }

// ShippingZonesMax is [limit.ShippingZones].
func (l *Limits) ShippingZonesMax() int { return int(l.Of(limit.ShippingZones)) }

// CollectionsMax is [limit.Collections].
func (l *Limits) CollectionsMax() int { return int(l.Of(limit.Collections)) }

// DiscountsMax is [limit.Discounts].
func (l *Limits) DiscountsMax() int { return int(l.Of(limit.Discounts)) }

// ThemeBytesMax is [limit.ThemeBytes].
func (l *Limits) ThemeBytesMax() int64 { return l.Of(limit.ThemeBytes) }

// ExportsMax is [limit.Exports].
func (l *Limits) ExportsMax() int { return int(l.Of(limit.Exports)) }

// ExportsPerDayMax is [limit.ExportsPerDay].
func (l *Limits) ExportsPerDayMax() int { return int(l.Of(limit.ExportsPerDay)) }

// ExportsRunningMax is [limit.ExportsRunning].
func (l *Limits) ExportsRunningMax() int { return int(l.Of(limit.ExportsRunning)) }

// MailsPerDayMax is [limit.MailsPerDay].
func (l *Limits) MailsPerDayMax() int { return int(l.Of(limit.MailsPerDay)) }

// OrderMailsPerDayMax is [limit.OrderMailsPerDay].
func (l *Limits) OrderMailsPerDayMax() int { return int(l.Of(limit.OrderMailsPerDay)) }

// NewStoreMailsPerDayMax is [limit.NewStoreMailsPerDay].
func (l *Limits) NewStoreMailsPerDayMax() int { return int(l.Of(limit.NewStoreMailsPerDay)) }

// NewStoreDaysMax is [limit.NewStoreDays].
func (l *Limits) NewStoreDaysMax() int { return int(l.Of(limit.NewStoreDays)) }

// PingsPerMinuteMax is [limit.PingsPerMinute].
func (l *Limits) PingsPerMinuteMax() int { return int(l.Of(limit.PingsPerMinute)) }

// ReportOrdersPerMinuteMax is [limit.ReportOrders].
func (l *Limits) ReportOrdersPerMinuteMax() int { return int(l.Of(limit.ReportOrders)) }

// ProductsMax is [limit.Products].
func (l *Limits) ProductsMax() int { return int(l.Of(limit.Products)) }

// VariantsMax is [limit.StoreVariants].
func (l *Limits) VariantsMax() int { return int(l.Of(limit.StoreVariants)) }

// CustomersMax is [limit.Customers].
func (l *Limits) CustomersMax() int { return int(l.Of(limit.Customers)) }

// StoredBytesMax is [limit.StoredBytes].
func (l *Limits) StoredBytesMax() int64 { return l.Of(limit.StoredBytes) }

// UnpaidPiecesMax is [limit.UnpaidPieces].
func (l *Limits) UnpaidPiecesMax() int { return int(l.Of(limit.UnpaidPieces)) }

// WrittenBytesPerMinuteMax is [limit.WrittenBytes].
func (l *Limits) WrittenBytesPerMinuteMax() int64 { return l.Of(limit.WrittenBytes) }

// ImageMegapixelsPerMinuteMax is [limit.ImageMegapixels].
func (l *Limits) ImageMegapixelsPerMinuteMax() int { return int(l.Of(limit.ImageMegapixels)) }

// StoresMax is [limit.Stores].
func (l *Limits) StoresMax() int { return int(l.Of(limit.Stores)) }

// FactorsMax is [limit.Factors].
func (l *Limits) FactorsMax() int { return int(l.Of(limit.Factors)) }

// RatePerSecond is [limit.RatePerSecond].
func (l *Limits) RatePerSecond() int { return int(l.Of(limit.RatePerSecond)) }

// RateBurst is [limit.RateBurst].
func (l *Limits) RateBurst() int { return int(l.Of(limit.RateBurst)) }

// StoreRatePerSecond is [limit.StoreRatePerSecond].
func (l *Limits) StoreRatePerSecond() int { return int(l.Of(limit.StoreRatePerSecond)) }

// VisitorRatePerSecond is [limit.VisitorRatePerSecond].
func (l *Limits) VisitorRatePerSecond() int { return int(l.Of(limit.VisitorRatePerSecond)) }
