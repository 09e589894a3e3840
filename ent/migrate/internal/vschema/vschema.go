// Package vschema writes the VSchema for Vitess: the columns by which tables are sharded, and the
// lookup tables for rows whose store or person is unknown. It is derived from ent's schema, so that
// no table is missed.
package vschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"
)

// The names of the vindexes, and the first shard's keyspace id.
const (
	hash, unsharded = "binary_md5", "null"
	first           = "00"
)

// The tables that migrations create in addition to the schema: the history and the formats.
const revisions, formats = "schema_revisions", "data_formats"

type keyspace struct {
	Sharded  bool              `json:"sharded"`
	Vindexes map[string]vindex `json:"vindexes"`
	Tables   map[string]table  `json:"tables"`
}

type vindex struct {
	Type   string            `json:"type"`
	Params map[string]string `json:"params,omitempty"`
	Owner  string            `json:"owner,omitempty"`
}

type table struct {
	Pinned  string   `json:"pinned,omitempty"`
	Columns []column `json:"column_vindexes,omitempty"`
}

type column struct {
	Column string `json:"column"`
	Name   string `json:"name"`
}

// Files are the files that an operator applies to Vitess.
type Files struct {
	// VSchema is the keyspace as JSON. Lookups are the statements that create its lookup tables on
	// every shard, in addition to the migrations.
	VSchema, Lookups []byte
}

// Of returns the files for tables.
func Of(tables []*schema.Table) (Files, error) {
	k := keyspace{Sharded: true, Tables: map[string]table{},
		Vindexes: map[string]vindex{hash: {Type: hash}, unsharded: {Type: unsharded}}}
	k.pin(revisions, "version")
	k.pin(formats, "name")
	lookups := map[string]string{}
	for _, t := range tables {
		p, err := placeOf(t)
		if err != nil {
			return Files{}, err
		}
		if p == global {
			k.pin(t.Name, t.PrimaryKey[0].Name)
			continue
		}
		k.Tables[t.Name] = table{Columns: []column{{p.by, hash}}}
		if p.find != "" {
			name, statement, err := k.lookUp(t, p)
			if err != nil {
				return Files{}, err
			}
			lookups[name] = statement
		}
	}
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return Files{}, err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lookups)) {
		b.WriteString(lookups[name])
	}
	return Files{VSchema: append(text, '\n'), Lookups: []byte(b.String())}, nil
}

// pin places a whole table on the first shard. An insert needs a vindex nevertheless.
func (k *keyspace) pin(name, column1 string) {
	k.Tables[name] = table{Pinned: first, Columns: []column{{column1, unsharded}}}
}

// lookUp adds the lookup table from a column to the shard of its rows, and returns its name and the
// statement that creates it. Vitess maintains it along with the rows.
func (k *keyspace) lookUp(t *schema.Table, p place) (name, statement string, err error) {
	name = "lookup_" + t.Name
	kind, key := "consistent_lookup_unique", p.find
	if p.many {
		kind, key = "consistent_lookup", p.find+"`, `keyspace_id"
	}
	k.Vindexes[name] = vindex{Type: kind, Owner: t.Name,
		Params: map[string]string{"table": name, "from": p.find, "to": "keyspace_id"}}
	owner := k.Tables[t.Name]
	owner.Columns = append(owner.Columns, column{p.find, name})
	k.Tables[t.Name] = owner
	k.Tables[name] = table{Columns: []column{{p.find, hash}}}
	kindOf := ""
	for _, c := range t.Columns {
		if c.Name == p.find {
			kindOf = c.SchemaType[dialect.MySQL]
		}
	}
	if kindOf == "" {
		return "", "", fmt.Errorf("column %s of %s has no type of MySQL's", p.find, t.Name)
	}
	return name, fmt.Sprintf("CREATE TABLE IF NOT EXISTS `%s` (`%s` %s NOT NULL, `keyspace_id` varbinary(16) NOT NULL,"+
		" PRIMARY KEY (`%s`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;\n", name, p.find, kindOf, key), nil
}
