//go:build !race

package e2e

// buildFlags are those of the child's build.
var buildFlags []string

const slower = 1
