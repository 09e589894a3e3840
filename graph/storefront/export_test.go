package storefront

// What the tests, which stand outside of the package, see of its inside.
const MaxText = maxText
const NewestChanges = newestChanges
const NewestWindow = newestWindow

var ASCII = ascii
var Fold = fold
var Paragraphs = paragraphs
var PriceText = priceText

// FirstText is what the first entry is searched by.
func (c *Catalogue) FirstText() string { return c.entries[0].text }

// ForgetPublished takes away when an offer was published.
func (o *Offer) ForgetPublished() { o.published = 0 }
