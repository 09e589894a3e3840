//go:build ignore

// Command diff writes the next migration of both engines if the schema has changed. Its argument is
// the name of the migration.
package main

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"os"
	"path/filepath"

	"ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	_ "modernc.org/sqlite"

	"github.com/storefront-go/storefront/ent/migrate/internal/plan"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

func main() {
	name := "schema"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	if err := run(context.Background(), name); err != nil {
		log.Fatal("write migration: ", err)
	}
}

func run(ctx context.Context, name string) error {
	tmp, err := os.MkdirTemp("", "migrate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	lite, err := sql.Open("sqlite", "file:"+filepath.Join(tmp, "dev.db")+"?_pragma=foreign_keys(1)")
	if err != nil {
		return err
	}
	defer lite.Close()
	if err := write(ctx, dialect.SQLite, lite, "sqlite", name); err != nil {
		return err
	}
	server, err := mariadb.Start("")
	if err != nil {
		return err
	}
	defer server.Close()
	maria, err := server.Empty(ctx, "dev")
	if err != nil {
		return err
	}
	defer maria.Close()
	return write(ctx, dialect.MySQL, maria, "mysql", name)
}

func write(ctx context.Context, engine string, db *sql.DB, folder, name string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	dir, err := migrate.NewLocalDir(folder)
	if err != nil {
		return err
	}
	err = plan.Diff(ctx, entsql.OpenDB(engine, db), dir, name)
	if errors.Is(err, plan.ErrNoPlan) {
		log.Print(folder, ": nothing to do")
		return nil
	}
	return err
}
