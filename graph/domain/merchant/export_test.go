package merchant

// Exports for the tests in package merchant_test.
const MaxMarked = maxMarked
const MaxUnread = maxUnread

var InStore = inStore
