package state

import "slices"

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

var allThemeStatus = []ThemeStatus{ThemeProcessing, ThemeInactive, ThemeActive, ThemeFailed}

// Known reports whether v is a value of the enumeration.
func (v ThemeStatus) Known() bool { return slices.Contains(allThemeStatus, v) }

// ThemeSource is the origin of an installed theme.
type ThemeSource string

// The values of [ThemeSource].
const (
	ThemeUploaded    ThemeSource = "upload"
	ThemeMarketplace ThemeSource = "marketplace"
	ThemeDuplicate   ThemeSource = "duplicate"
)

var allThemeSource = []ThemeSource{ThemeUploaded, ThemeMarketplace, ThemeDuplicate}

// Known reports whether v is a value of the enumeration.
func (v ThemeSource) Known() bool { return slices.Contains(allThemeSource, v) }

// AssetKind is the kind of a theme's asset.
type AssetKind string

// The values of [AssetKind].
const (
	AssetCSS   AssetKind = "css"
	AssetFont  AssetKind = "font"
	AssetImage AssetKind = "image"
)

var allAssetKind = []AssetKind{AssetCSS, AssetFont, AssetImage}

// Known reports whether v is a value of the enumeration.
func (v AssetKind) Known() bool { return slices.Contains(allAssetKind, v) }

// SettingKind is the type of a theme's setting.
type SettingKind string

// The values of [SettingKind].
const (
	SettingText   SettingKind = "text"
	SettingColor  SettingKind = "color"
	SettingChoice SettingKind = "choice"
	SettingImage  SettingKind = "image"
)

var allSettingKind = []SettingKind{SettingText, SettingColor, SettingChoice, SettingImage}

// Known reports whether v is a value of the enumeration.
func (v SettingKind) Known() bool { return slices.Contains(allSettingKind, v) }

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

var allListingStatus = []ListingStatus{ListingSubmitted, ListingApproved, ListingRejected, ListingPublished,
	ListingUnlisted}

// Known reports whether v is a value of the enumeration.
func (v ListingStatus) Known() bool { return slices.Contains(allListingStatus, v) }

// ReviewVerdict is a reviewer's decision on a submitted theme.
type ReviewVerdict string

// The values of [ReviewVerdict].
const (
	ReviewApprove ReviewVerdict = "approve"
	ReviewReject  ReviewVerdict = "reject"
)

var allReviewVerdict = []ReviewVerdict{ReviewApprove, ReviewReject}

// Known reports whether v is a value of the enumeration.
func (v ReviewVerdict) Known() bool { return slices.Contains(allReviewVerdict, v) }
