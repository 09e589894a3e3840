package storetest

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest/vitess"
)

// forbidden lists SQL that some engine of the scale plan lacks or treats differently.
var forbidden = []struct {
	word *regexp.Regexp
	why  string
	// but is an engine for which ent itself writes this SQL, and where it is allowed.
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
	{word: regexp.MustCompile(`;`), why: "a text is one statement: ent.Later joins them", but: dialect.SQLite},
}

// reserved are words that only MySQL reserves: as names they must be quoted.
var reserved = regexp.MustCompile(`(?i)\b(?:STORED|VIRTUAL|GENERATED|RANK|DENSE_RANK|ROW_NUMBER|LEAD|LAG|NTILE|GROUPS|GROUPING|CUBE|` +
	`EMPTY|SYSTEM|FUNCTION|MANUAL|PARALLEL|QUALIFY|TABLESAMPLE)\s*(?:[=<>,)]|IN\b|IS\b|FROM\b|ASC\b|DESC\b|$)`)

func word(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b` + s + `\b`) }

var (
	literal = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'`)
	quoted  = regexp.MustCompile("`[^`]*`|\"[^\"]*\"")
	where   = regexp.MustCompile(`(?i)\bWHERE\b`)
	write   = regexp.MustCompile(
		`(?i)^\s*(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|TRUNCATE|` +
			`WITH\b[^;]*\)\s*(?:INSERT|UPDATE|DELETE))\b`)
)

// Lint checks a statement against the rules of portability and of Vitess.
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
	return vitess.Shard(s)
}

// renewed matches an update with the time of a change, of a table with lists of changes.
var renewed = regexp.MustCompile("(?is)^\\s*UPDATE\\s+[`\"]?(orders|products|customers)[`\"]?\\s(.*?)" +
	"\\bupdated_at[`\"]?\\s*=\\s*\\?")

// lintTime rejects an update with a time taken shortly before its transaction began: a list of
// changes may already have passed it ([ent.Store.Horizon]). Older times are chosen by tests.
func lintTime(s ent.Statement) error {
	m := renewed.FindStringSubmatch(s.Query)
	if s.Began == 0 || m == nil || where.MatchString(m[2]) {
		return nil
	}
	at := strings.Count(literal.ReplaceAllString(m[2], ""), "?")
	if t, ok := s.Values[at].(micros.Time); ok && t < s.Began && t > s.Began.Add(-time.Second) {
		return fmt.Errorf("statement lint: %s: updated_at is older than the transaction: take it from moment.Now", m[1])
	}
	return nil
}

// passed are the statements without findings: tests repeat a few, and checking one again takes
// longer than running it.
var passed sync.Map

// lintKey are the parts of a statement that decide whether it passes.
type lintKey struct {
	query, dialect string
	inTx, seeks    bool
}

// lintInspector returns an inspector that fails t.
func lintInspector(t testing.TB) func(ent.Statement) error {
	var owners vitess.Owners
	return func(s ent.Statement) error {
		key := lintKey{s.Query, s.Dialect, s.InTx, s.Seeks}
		if _, ok := passed.Load(key); !ok {
			if err := Lint(s); err != nil {
				t.Errorf("%v\n%s", err, s.Query)
				return err
			}
			passed.Store(key, struct{}{})
		}
		if err := cmp.Or(owners.Note(s), lintTime(s)); err != nil {
			t.Errorf("%v\n%s", err, s.Query)
			return err
		}
		return nil
	}
}
