package expand_test

import (
	"slices"
	"testing"

	"ariga.io/atlas/sql/migrate"

	"github.com/storefront-go/storefront/ent/migrate/internal/expand"
)

// rebuilt is why SQLite's tables are rebuilt: it cannot add such columns to existing tables.
const rebuilt = "SQLite builds the table anew with the same columns and more"

// exceptions are released files, which are never edited, and why the previous release works with
// them.
var exceptions = map[string]string{
	"mysql/20261124064317_former_accounts.sql": "what is unique was so by fewer columns",

	"sqlite/20261122004346_exports_themes.sql":  rebuilt,
	"sqlite/20261122163148_people.sql":          rebuilt,
	"sqlite/20261123023920_delivery.sql":        rebuilt,
	"sqlite/20261123055526_pages.sql":           rebuilt,
	"sqlite/20261124063748_digital.sql":         rebuilt,
	"sqlite/20261124064310_former_accounts.sql": rebuilt + "; what is unique was so by fewer columns",
	"sqlite/20261124080644_test_stores.sql":     rebuilt,
}

// TestMigrationsExpand checks that no migration removes what the previous release uses.
func TestMigrationsExpand(t *testing.T) {
	seen := map[string]bool{}
	for _, engine := range []string{"mysql", "sqlite"} {
		dir, err := migrate.NewLocalDir("../../" + engine)
		if err != nil {
			t.Fatal(err)
		}
		files, err := dir.Files()
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", engine, len(files), err)
		}
		for _, f := range files {
			found, err := expand.Find(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range found {
				key := engine + "/" + f.Name()
				if seen[key] = true; exceptions[key] == "" {
					t.Errorf("%s/%s\nAdd only; take away in a later release, below a line such as\n"+
						"-- unused since 1dfc2230 (20261124080656): its figures are read from the ledger", engine, x)
				}
			}
		}
	}
	for key := range exceptions {
		if !seen[key] {
			t.Errorf("%s needs no exception", key)
		}
	}
}

// TestFind checks that each destructive kind is found, on both engines, and nothing else.
func TestFind(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"a table", "DROP TABLE `orders`;", []string{"drops a table"}},
		{"a table that may be there", "DROP TABLE IF EXISTS orders;", []string{"drops a table"}},
		{"rows", "DELETE FROM `orders` WHERE `id` = 1;", []string{"deletes rows"}},
		{"all rows", "TRUNCATE TABLE `orders`;", []string{"deletes rows"}},
		{"a column", "ALTER TABLE `orders` DROP COLUMN `note`;", []string{"drops a column"}},
		{"a column beside another", "ALTER TABLE `orders` ADD COLUMN `b` bigint NULL,\n DROP COLUMN `note`;",
			[]string{"drops a column"}},
		{"a column in short", "ALTER TABLE `orders` DROP `note`;", []string{"drops a column"}},
		{"a type", "ALTER TABLE `orders` MODIFY COLUMN `note` varchar(10) NOT NULL;", []string{"changes a type"}},
		{"a type and a name", "ALTER TABLE `orders` CHANGE COLUMN `note` `text` varchar(10) NULL;",
			[]string{"changes a type"}},
		{"a table's name", "ALTER TABLE `orders` RENAME TO `sales`;", []string{"renames"}},
		{"a table's name in another form", "RENAME TABLE `orders` TO `sales`;", []string{"renames"}},
		{"a column's name", "ALTER TABLE `orders` RENAME COLUMN `note` TO `text`;", []string{"renames"}},
		{"a column's name on SQLite", "ALTER TABLE `orders` RENAME `note` TO `text`;", []string{"renames"}},
		{"without a value", "ALTER TABLE `orders` ADD COLUMN `b` bigint NOT NULL;",
			[]string{"adds a column without a value"}},
		{"without a value beside one with", "ALTER TABLE `orders` ADD COLUMN `a` decimal(3,2) NOT NULL DEFAULT 0," +
			" ADD COLUMN `b` varchar(9) NOT NULL;", []string{"adds a column without a value"}},
		{"unique by a new column", "ALTER TABLE `orders` ADD COLUMN `code` text NULL;\n" +
			"CREATE UNIQUE INDEX `by_code` ON `orders` (`store_id`, `code`);", nil},
		{"unique by a new column in one statement", "ALTER TABLE `orders` ADD COLUMN `code` varbinary(9) NULL, " +
			"ADD UNIQUE INDEX `by_code` (`code`);", nil},
		{"unique by a new column with a value", "ALTER TABLE `orders` ADD COLUMN `code` text NOT NULL DEFAULT '';\n" +
			"CREATE UNIQUE INDEX `by_code` ON `orders` (`store_id`, `code`);", []string{"makes what is there unique"}},
		{"unique", "CREATE UNIQUE INDEX `by_code` ON `orders` (`code`);", []string{"makes what is there unique"}},
		{"unique on MySQL", "ALTER TABLE `orders` ADD COLUMN `b` bigint NULL, ADD UNIQUE INDEX `by_code` (`code`);",
			[]string{"makes what is there unique"}},
		{"the key", "ALTER TABLE `orders` DROP PRIMARY KEY, ADD PRIMARY KEY (`id`);", []string{"changes the key"}},
		{"a table that is built anew", "CREATE TABLE `new_orders` (`id` blob NOT NULL);\n" +
			"INSERT INTO `new_orders` (`id`) SELECT `id` FROM `orders`;\nDROP TABLE `orders`;\n" +
			"ALTER TABLE `new_orders` RENAME TO `orders`;", []string{"drops a table", "renames"}},
		{"said to be built anew", "CREATE TABLE `new_orders` (`id` blob NOT NULL);\n" +
			"-- built anew with all that it has: without row ids\nDROP TABLE `orders`;\n" +
			"-- built anew with all that it has: without row ids\nALTER TABLE `new_orders` RENAME TO `orders`;", nil},
		{"built anew without a reason", "-- built anew with all that it has:\nDROP TABLE `orders`;", []string{"drops a table"}},
		{"no release", "-- unused since soon (20261124080656): nobody reads it any more\nDROP TABLE `orders`;", []string{"drops a table"}},
		{"no reason", "-- unused since 1dfc2230 (20261124080656):\nDROP TABLE `orders`;", []string{"drops a table"}},
		{"of another statement", "-- unused since 1dfc2230 (20261124080656): nobody reads it any more\nDROP TABLE `a`;\nDROP TABLE `b`;",
			[]string{"drops a table"}},

		{"said", "-- Drop \"orders\" table\n-- unused since 1dfc2230 (20261124080656): nobody reads it\n" +
			"DROP TABLE `orders`;", nil},
		{"a new table", "CREATE TABLE `a` (`id` blob NOT NULL, `drop` text NOT NULL);\n" +
			"CREATE UNIQUE INDEX `by_id` ON `a` (`id`);", nil},
		{"columns", "ALTER TABLE `orders` ADD COLUMN `a` bigint NULL, ADD COLUMN `b` bool NOT NULL DEFAULT 1;", nil},
		{"an index", "ALTER TABLE `orders` DROP INDEX `a`, ADD INDEX `b` (`code`);", []string{"drops an index"}},
		{"an index on SQLite", "DROP INDEX `a`;\nCREATE INDEX `b` ON `orders` (`code`);", []string{"drops an index"}},
		{"a new index", "ALTER TABLE `orders` ADD INDEX `b` (`code`);\nCREATE INDEX `b` ON `orders` (`code`);", nil},
		{"rows that are filled in", "UPDATE `orders` SET `a` = 1;", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found, err := expand.Find(migrate.NewLocalFile("1_x.sql", []byte(tc.text+"\n")))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, f.Rule)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}
