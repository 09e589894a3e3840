package merchant

// What the tests, which stand outside of the package, see of its inside.
const MaxMarked = maxMarked
const MaxUnread = maxUnread

var InStore = inStore
