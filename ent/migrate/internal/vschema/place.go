package vschema

import (
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql/schema"
)

type place struct {
	// by is the column whose hash determines the shard: the owner, a store or a person. Without it
	// the whole table is on the first shard.
	by string
	// find is a column by which rows of unknown owners are found, with a lookup table.
	find string
	// many says that several rows may have the same value of find.
	many bool
}

// global tables have no owner. The history of migrations, which ent does not know, is one too.
var global = place{}

// places are the tables without the key (store_id, id).
var places = map[string]place{
	"stores":        {by: "id"},
	"store_handles": {by: "store_id", find: "handle"},
	"domain_hosts":  {by: "store_id", find: "host"},
	"credentials":   {by: "store_id", find: "hash"},
	"oauth_clients": {by: "store_id", find: "client_id"},
	"app_names":     {by: "store_id", find: "name"},
	// A person lists their stores, and a store lists its people; the store writes the row.
	"memberships": {by: "store_id", find: "user_id", many: true},

	"users":          {by: "id"},
	"user_emails":    {by: "user_id", find: "email"},
	"sessions":       {by: "user_id", find: "hash"},
	"challenges":     {by: "user_id", find: "hash"},
	"factors":        {by: "user_id"},
	"recovery_codes": {by: "user_id"},
	"account_events": {by: "user_id"},

	"allowances":  {by: "id"}, // rows are independent
	"revocations": {by: "home"},

	// Those without an owner have a home too, on the first shard.
	"tasks":         {by: "home"},
	"task_receipts": {by: "home"},

	"processes":          global,
	"write_horizons":     global,
	"marketplace_themes": global,
	"theme_packages":     global,
}

// placeOf returns the place of a table. It fails if the table is neither store-owned nor listed.
func placeOf(t *schema.Table) (place, error) {
	p, known := places[t.Name]
	if known {
		return p, check(t, p)
	}
	// The migration hook replaces ent's key id by (store_id, id).
	if has(t, "store_id") && len(t.PrimaryKey) == 1 && t.PrimaryKey[0].Name == "id" {
		return place{by: "store_id"}, nil
	}
	return place{}, fmt.Errorf("table %s has no key (store_id, id): add it to places (see ent/storetest/vitess/doc.go)", t.Name)
}

func check(t *schema.Table, p place) error {
	for _, c := range []string{p.by, p.find} {
		if c != "" && !has(t, c) {
			return fmt.Errorf("table %s has no column %s", t.Name, c)
		}
	}
	return nil
}

func has(t *schema.Table, column string) bool {
	return slices.ContainsFunc(t.Columns, func(c *schema.Column) bool { return c.Name == column })
}
