package storetest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/migrate"
)

// owned are the tables whose every statement names store_id: those with the
// column, but for the directories, whose key is a name or a hash.
var owned = func() map[string]bool {
	m := map[string]bool{}
	for _, t := range migrate.Tables {
		if t.PrimaryKey[0].Name != "id" {
			continue
		}
		for _, c := range t.Columns {
			if c.Name == "store_id" {
				m[t.Name] = true
			}
		}
	}
	return m
}()

// across are the statements that may read many stores at once, each with its
// reason. A statement matches by its beginning.
var across = []struct{ prefix, reason string }{}

// bucketed are the tables of work in the background: a statement that takes it
// from many stores names their buckets, which lie on one shard.
var bucketed = func() map[string]bool {
	m := map[string]bool{}
	for _, t := range migrate.Tables {
		for _, c := range t.Columns {
			if c.Name == "bucket" {
				m[t.Name] = true
			}
		}
	}
	return m
}()

// forbidden is SQL that some engine of the scale plan lacks or does differently.
var forbidden = []struct {
	word *regexp.Regexp
	why  string
	// but is the engine for which ent itself writes it, and only for that one.
	but string
}{
	{word: word(`FOR\s+SHARE`), why: "FOR SHARE: unknown to MariaDB"},
	{word: word(`LOCK\s+IN\s+SHARE\s+MODE`), why: "a shared lock guards nothing on Galera"},
	{word: word(`SKIP\s+LOCKED`), why: "SKIP LOCKED hands a row out twice on TiDB"},
	{word: word(`REPLACE\s+INTO`), why: "REPLACE deletes and inserts"},
	{word: word(`INSERT\s+OR\s+REPLACE`), why: "REPLACE deletes and inserts"},
	{word: word(`RETURNING`), why: "RETURNING: unknown to MySQL", but: dialect.SQLite},
	{word: word(`LATERAL`), why: "LATERAL: unknown to MariaDB"},
	{word: word(`JSON_TABLE`), why: "JSON_TABLE: unknown to SQLite and TiDB"},
	{word: word(`OFFSET`), why: "OFFSET reads what it skips: use a cursor"},
	{word: word(`READ\s+ONLY`), why: "read-only transactions are not routed alike"},
	{word: word(`GET_LOCK`), why: "GET_LOCK: only migrations may use it"},
	{word: regexp.MustCompile(`->>`), why: "->>: MariaDB lacks it"},
}

// reserved are words that MySQL alone takes for its own: as names they stand in quotes.
var reserved = regexp.MustCompile(`(?i)\b(?:STORED|VIRTUAL|GENERATED|RANK|DENSE_RANK|ROW_NUMBER|LEAD|LAG|NTILE|GROUPS|GROUPING|CUBE|` +
	`EMPTY|SYSTEM|FUNCTION|MANUAL|PARALLEL|QUALIFY|TABLESAMPLE)\s*(?:[=<>,)]|IN\b|IS\b|FROM\b|ASC\b|DESC\b|$)`)

func word(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b` + s + `\b`) }

var (
	literal = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'`)
	quoted  = regexp.MustCompile("`[^`]*`|\"[^\"]*\"")
	tables  = regexp.MustCompile("(?i)\\b(?:FROM|JOIN|INTO|UPDATE)\\s+[`\"]?([a-z_0-9]+)[`\"]?")
	write   = regexp.MustCompile(
		`(?i)^\s*(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|TRUNCATE|` +
			`WITH\b[^;]*\)\s*(?:INSERT|UPDATE|DELETE))\b`)
	insert = regexp.MustCompile(`(?i)^\s*INSERT\b`)
	column = regexp.MustCompile(`(?i)\bstore_id\b`)
	where  = regexp.MustCompile(`(?i)\b(?:WHERE|ON)\b`)
	// chosen is store_id being compared, alone or first in a tuple.
	// bucketChosen is bucket being compared for equality.
	bucketChosen = regexp.MustCompile("(?i)\\bbucket[`\"]?\\s*(?:=|IN\\b)")
	chosen       = regexp.MustCompile("(?i)\\bstore_id[`\"]?\\s*(?:=|[<>]|IN\\b|,[^()]*\\)\\s*(?:IN\\b|[<>=]))")
)

// Lint checks a statement against the portability rules.
func Lint(s ent.Statement) error {
	q := literal.ReplaceAllString(s.Query, "''")
	for _, f := range forbidden {
		if (f.but == "" || f.but != s.Dialect) && f.word.MatchString(q) {
			return fmt.Errorf("statement lint: %s", f.why)
		}
	}
	if w := reserved.FindString(quoted.ReplaceAllString(q, "x")); w != "" {
		return fmt.Errorf("statement lint: %s is a word of MySQL's: quote it", strings.Trim(w, "=<>,) "))
	}
	if !s.InTx && write.MatchString(q) {
		return fmt.Errorf("statement lint: a write outside a transaction")
	}
	return lintStore(q)
}

// lintStore wants store_id where it selects: behind WHERE or ON, or among an
// insert's columns; the column list of a SELECT names it always.
func lintStore(q string) error {
	for _, m := range tables.FindAllStringSubmatch(q, -1) {
		if !owned[m[1]] || namesStore(q) || bucketed[m[1]] && names(q, bucketChosen) {
			continue
		}
		if !slices.ContainsFunc(across, func(a struct{ prefix, reason string }) bool {
			return strings.HasPrefix(q, a.prefix)
		}) {
			return fmt.Errorf("statement lint: %s is store-owned, and no condition names store_id", m[1])
		}
	}
	return nil
}

func namesStore(q string) bool {
	if insert.MatchString(q) {
		return column.MatchString(q)
	}
	return names(q, chosen)
}

// names reports whether a condition of q holds the comparison.
func names(q string, comparison *regexp.Regexp) bool {
	at := where.FindStringIndex(q)
	return at != nil && comparison.MatchString(q[at[0]:])
}

// clean are the statements that passed: tests repeat a few, and reading one again
// takes longer than running it.
var clean sync.Map

// failing makes an inspector that fails t.
func failing(t testing.TB) func(ent.Statement) error {
	return func(s ent.Statement) error {
		if _, ok := clean.Load(s); ok {
			return nil
		}
		err := Lint(s)
		if err != nil {
			t.Errorf("%v\n%s", err, s.Query)
			return err
		}
		clean.Store(s, struct{}{})
		return nil
	}
}
