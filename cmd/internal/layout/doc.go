// Package layout checks the rules of the repository: allowed imports, the entries of the top level,
// what every package must have, calls that are allowed in one place only, and plain words.
//
// The rules parse the files of the tree themselves. A rule that asked the go command would be
// answered from the test cache and miss new violations; files that a test opens are part of its
// cache key.
//
// Every exception is in a table next to its rule, with its reason.
package layout
