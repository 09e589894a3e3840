package endpoint

// Exports for the tests in package endpoint_test.
const MaxWaiting = maxWaiting
