package state

import "slices"

// PageStatus says whether visitors can see a page of the storefront.
type PageStatus string

// The values of [PageStatus].
const (
	PageDraft     PageStatus = "draft"
	PagePublished PageStatus = "published"
)

// Known reports whether v is a value of the enumeration.
func (v PageStatus) Known() bool { return oneOf(v, PageDraft, PagePublished) }

// PageKind is the purpose of a page that shops are expected to have.
type PageKind string

// The values of [PageKind].
const (
	PageImprint  PageKind = "imprint"
	PagePrivacy  PageKind = "privacy"
	PageShipping PageKind = "shipping"
	PageContact  PageKind = "contact"
	PageTerms    PageKind = "terms" // of sale
)

// Known reports whether v is a value of the enumeration.
func (v PageKind) Known() bool {
	return oneOf(v, PageImprint, PagePrivacy, PageShipping, PageContact, PageTerms)
}

// MenuTarget is the kind of target of a menu link.
type MenuTarget string

// The values of [MenuTarget].
const (
	TargetHome MenuTarget = "home"
	// TargetProducts is the list of all products.
	TargetProducts   MenuTarget = "products"
	TargetSearch     MenuTarget = "search"
	TargetPage       MenuTarget = "page"
	TargetProduct    MenuTarget = "product"
	TargetCollection MenuTarget = "collection"
	// TargetAddress is a path of the shop or an https URL.
	TargetAddress MenuTarget = "address"
)

// Known reports whether v is a value of the enumeration.
func (v MenuTarget) Known() bool {
	return oneOf(v, TargetHome, TargetProducts, TargetSearch, TargetPage, TargetProduct, TargetCollection,
		TargetAddress)
}

// Language is a language of storefronts (BCP 47).
type Language string

// The values of [Language].
const (
	English  Language = "en"
	German   Language = "de"
	French   Language = "fr"
	Spanish  Language = "es"
	Japanese Language = "ja"
	Arabic   Language = "ar"
)

var allLanguage = []Language{English, German, French, Spanish, Japanese, Arabic}

// Known reports whether v is a value of the enumeration.
func (v Language) Known() bool { return slices.Contains(allLanguage, v) }

// Languages returns all languages.
func Languages() []Language { return slices.Clone(allLanguage) }
