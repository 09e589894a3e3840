package storefront

// Exports for the tests in package storefront_test.
const NewestChanges = newestChanges
const NewestWindow = newestWindow

var Paragraphs = paragraphs

// ForgetTimes clears when an offer was published and read.
func (o *Offer) ForgetTimes() { o.published, o.at = 0, 0 }
