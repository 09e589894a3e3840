package state

// ThemeStatus is the state of an installed theme (contract, section 6). Only the store's row says
// which theme is active: [ThemeActive] is never stored in a theme's row.
type ThemeStatus string

// The values of [ThemeStatus].
const (
	ThemeProcessing ThemeStatus = "processing"
	ThemeInactive   ThemeStatus = "inactive"
	ThemeActive     ThemeStatus = "active"
	ThemeFailed     ThemeStatus = "failed"
)

// Known reports whether v is a value of the enumeration.
func (v ThemeStatus) Known() bool {
	return oneOf(v, ThemeProcessing, ThemeInactive, ThemeActive, ThemeFailed)
}

// ThemeSource is the origin of an installed theme.
type ThemeSource string

// The values of [ThemeSource].
const (
	ThemeUploaded    ThemeSource = "upload"
	ThemeMarketplace ThemeSource = "marketplace"
	ThemeDuplicate   ThemeSource = "duplicate"
)

// Known reports whether v is a value of the enumeration.
func (v ThemeSource) Known() bool { return oneOf(v, ThemeUploaded, ThemeMarketplace, ThemeDuplicate) }

// AssetKind is the kind of a theme's asset.
type AssetKind string

// The values of [AssetKind].
const (
	AssetCSS   AssetKind = "css"
	AssetFont  AssetKind = "font"
	AssetImage AssetKind = "image"
)

// Known reports whether v is a value of the enumeration.
func (v AssetKind) Known() bool { return oneOf(v, AssetCSS, AssetFont, AssetImage) }

// SettingKind is the type of a theme's setting.
type SettingKind string

// The values of [SettingKind].
const (
	SettingText   SettingKind = "text"
	SettingColor  SettingKind = "color"
	SettingChoice SettingKind = "choice"
	SettingImage  SettingKind = "image"
)

// Known reports whether v is a value of the enumeration.
func (v SettingKind) Known() bool {
	return oneOf(v, SettingText, SettingColor, SettingChoice, SettingImage)
}

// ListingStatus is the state of a theme in the marketplace: submitted -> approved
// rejected; approved -> published; published <-> unlisted.
type ListingStatus string

// The values of [ListingStatus].
const (
	ListingSubmitted ListingStatus = "submitted"
	ListingApproved  ListingStatus = "approved"
	ListingRejected  ListingStatus = "rejected"
	ListingPublished ListingStatus = "published"
	ListingUnlisted  ListingStatus = "unlisted"
)

// Known reports whether v is a value of the enumeration.
func (v ListingStatus) Known() bool {
	return oneOf(v, ListingSubmitted, ListingApproved, ListingRejected, ListingPublished, ListingUnlisted)
}

// ReviewVerdict is a reviewer's decision on a submitted theme.
type ReviewVerdict string

// The values of [ReviewVerdict].
const (
	ReviewApprove ReviewVerdict = "approve"
	ReviewReject  ReviewVerdict = "reject"
)

// Known reports whether v is a value of the enumeration.
func (v ReviewVerdict) Known() bool { return oneOf(v, ReviewApprove, ReviewReject) }
