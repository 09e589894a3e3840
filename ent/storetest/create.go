package storetest

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	dbmigrate "github.com/storefront-go/storefront/ent/db/migrate"
	"github.com/storefront-go/storefront/ent/migrate"
)

func create(ctx context.Context, s *ent.Store) error {
	db := s.AdminDB()
	return dbmigrate.NewSchema(entsql.OpenDB(s.Dialect(), db)).Create(ctx, migrate.Hook())
}
