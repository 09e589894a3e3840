//go:build ignore

// Command entc generates ent/db from the schema.
package main

import (
	"log"
	"os"

	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
)

func main() {
	err := entc.Generate("./schema", &gen.Config{
		Target:  "./db",
		Package: "github.com/storefront-go/storefront/ent/db",
		Features: []gen.Feature{
			gen.FeaturePrivacy, gen.FeatureVersionedMigration, gen.FeatureModifier, gen.FeatureExecQuery,
		},
	}, entc.TemplateDir("./template"))
	if err != nil {
		log.Fatal("generate ent: ", err)
	}
	// It creates tables with ent's migrations, which the client does not have: see
	// template/client.tmpl.
	if err := os.RemoveAll("./db/enttest"); err != nil {
		log.Fatal("generate ent: ", err)
	}
}
