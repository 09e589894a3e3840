// Package migrate brings databases to the newest schema by versioned files, one
// folder for each engine, embedded in the binary.
//
// `go generate ./ent/migrate` compares the schema with what the files make and
// writes the next file of both folders; it needs mariadbd. A file that has been
// released is never edited: the sums in atlas.sum and in the database show it.
package migrate

//go:generate go run -mod=mod diff.go
//go:generate go run -mod=mod vschema.go
