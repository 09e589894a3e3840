package vschema

import (
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql/schema"
)

// place says where the rows of a table lie.
type place struct {
	// by is the column whose hash names the shard: that of the owner, who is a store or a
	// person. Without one the whole table lies on the first shard.
	by string
	// find is a column by which a row is found whose owner is not known; a table of its
	// own leads from there to the shard.
	find string
	// many reports that several rows have the same value of that column.
	many bool
}

// global are tables of no owner, and of the history of migrations, which ent does not know.
var global = place{}

// places are the tables that are not simply a store's own, each with the place of its
// rows. Every other table has the key (store_id, id).
var places = map[string]place{
	"stores":        {by: "id"},
	"store_handles": {by: "store_id", find: "handle"},
	"credentials":   {by: "store_id", find: "hash"},
	"oauth_clients": {by: "store_id", find: "client_id"},
	"app_names":     {by: "store_id", find: "name"},
	// A person sees their stores in a list, and each store its people: it writes the row.
	"memberships": {by: "store_id", find: "user_id", many: true},

	"users":          {by: "id"},
	"user_emails":    {by: "user_id", find: "email"},
	"sessions":       {by: "user_id", find: "hash"},
	"challenges":     {by: "user_id", find: "hash"},
	"factors":        {by: "user_id"},
	"recovery_codes": {by: "user_id"},
	"account_events": {by: "user_id"},

	"allowances":  {by: "id"}, // each row is alone
	"revocations": {by: "home"},

	// Those of nobody have a home too, on the first shard.
	"tasks":         {by: "home"},
	"task_receipts": {by: "home"},

	"processes":          global,
	"write_horizons":     global,
	"marketplace_themes": global,
	"theme_packages":     global,
}

// placeOf returns where the rows of a table lie. One that nobody has thought of is an
// error.
func placeOf(t *schema.Table) (place, error) {
	p, known := places[t.Name]
	if known {
		return p, check(t, p)
	}
	// The migration hook makes the key (store_id, id) of ent's id.
	if has(t, "store_id") && len(t.PrimaryKey) == 1 && t.PrimaryKey[0].Name == "id" {
		return place{by: "store_id"}, nil
	}
	return place{}, fmt.Errorf("table %s is not a store's own: say in places where its rows lie", t.Name)
}

// check holds a place against the table's columns.
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
