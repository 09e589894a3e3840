//go:build ignore

// Command vschema writes the VSchema and the lookup tables for Vitess.
package main

import (
	"errors"
	"log"
	"os"

	tables "github.com/storefront-go/storefront/ent/db/migrate"
	"github.com/storefront-go/storefront/ent/migrate/internal/vschema"
)

func main() {
	f, err := vschema.Of(tables.Tables)
	if err != nil {
		log.Fatal("write vschema: ", err)
	}
	err = errors.Join(os.MkdirAll("vitess", 0o755),
		os.WriteFile("vitess/vschema.json", f.VSchema, 0o644),
		os.WriteFile("vitess/lookup.sql", f.Lookups, 0o644))
	if err != nil {
		log.Fatal("write vschema: ", err)
	}
}
