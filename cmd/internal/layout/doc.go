// Package layout keeps the rules of the repository: which package may import
// which, what the top level holds, what every package owes its readers, and
// which calls have one home only.
//
// The rules parse the files of the tree themselves. A rule that asked the go
// command would be answered from the test cache and would miss new violations;
// the files that a test opens are part of its cache key.
//
// Every exception stands in a table next to its rule, with its reason.
package layout
