// Package migrate brings databases to the newest schema with versioned files, one folder for each
// engine, embedded in the binary.
//
// `go generate ./ent/migrate` compares the schema with the result of the files and writes the next
// file of both folders; it needs mariadbd. A released file is never edited: the sums in atlas.sum
// and in the database would not match.
package migrate

//go:generate go run -mod=mod diff.go
//go:generate go run -mod=mod vschema.go
