package storefront

// What the tests, which stand outside of the package, see of its inside.
const NewestChanges = newestChanges
const NewestWindow = newestWindow

var Paragraphs = paragraphs

// ForgetPublished takes away when an offer was published.
func (o *Offer) ForgetPublished() { o.published = 0 }
