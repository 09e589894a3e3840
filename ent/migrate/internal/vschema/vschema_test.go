package vschema_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"entgo.io/ent/dialect/sql/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	tables "github.com/storefront-go/storefront/ent/db/migrate"
	"github.com/storefront-go/storefront/ent/migrate/internal/vschema"
)

// The committed files match the current schema.
func TestFiles(t *testing.T) {
	f, err := vschema.Of(tables.Tables)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"vschema.json": f.VSchema, "lookup.sql": f.Lookups} {
		got, err := os.ReadFile("../../vitess/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s does not match the schema: run go generate ./ent/migrate\n%s", name, diff)
		}
	}
}

// Every table has a place, and every place has a table.
func TestEveryTable(t *testing.T) {
	f, err := vschema.Of(tables.Tables)
	if err != nil {
		t.Fatal(err)
	}
	var k struct{ Tables map[string]any }
	if err := json.Unmarshal(f.VSchema, &k); err != nil {
		t.Fatal(err)
	}
	lookups := strings.Count(string(f.Lookups), "CREATE TABLE")
	if want := len(tables.Tables) + 2 + lookups; len(k.Tables) != want {
		t.Errorf("%d tables, want %d: ent's, the history, the formats and %d lookup tables",
			len(k.Tables), want, lookups)
	}
	if k.Tables[ent.FormatTable] == nil {
		t.Errorf("%s is missing", ent.FormatTable)
	}
	for _, table := range tables.Tables {
		if k.Tables[table.Name] == nil {
			t.Errorf("%s is missing", table.Name)
		}
	}
}

func TestOfRefuses(t *testing.T) {
	id, store := &schema.Column{Name: "id"}, &schema.Column{Name: "store_id"}
	for name, tc := range map[string]struct {
		table *schema.Table
		want  string
	}{
		"a table without a place": {
			&schema.Table{Name: "news", Columns: []*schema.Column{id}, PrimaryKey: []*schema.Column{id}}, "news",
		},
		"a directory without a place": {
			&schema.Table{Name: "names", Columns: []*schema.Column{store}, PrimaryKey: []*schema.Column{store}},
			"names",
		},
		"a place with a missing column": {
			&schema.Table{Name: "sessions", Columns: []*schema.Column{id}, PrimaryKey: []*schema.Column{id}}, "user_id",
		},
	} {
		if _, err := vschema.Of([]*schema.Table{tc.table}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
