//go:build race

package e2e

// buildFlags build the child with the race detector if the tests have it.
var buildFlags = []string{"-race"}

// slower divides the amount of data and multiplies time limits with the race detector.
const slower = 4
