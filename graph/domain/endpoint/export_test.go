package endpoint

// What the tests, which stand outside of the package, see of its inside.
const MaxWaiting = maxWaiting
