//go:build race

package e2e

// buildFlags make the child look for races when the tests do.
var buildFlags = []string{"-race"}

// slower is by how much less the tests with much data do then, and by how much longer
// what is timed may take.
const slower = 4
