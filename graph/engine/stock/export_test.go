package stock

// Merged exports merged to the tests.
var Merged = merged
