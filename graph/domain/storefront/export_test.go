package storefront

// Exports for the tests in package storefront_test.
const NewestChanges = newestChanges
const NewestWindow = newestWindow

var Paragraphs = paragraphs

// ForgetPublished clears the publication time of an offer.
func (o *Offer) ForgetPublished() { o.published = 0 }
