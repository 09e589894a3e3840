package storetest

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
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
	tables  = regexp.MustCompile("(?i)\\b(?:FROM|JOIN|INTO|UPDATE)\\s+[`\"]?([a-z_0-9]+)[`\"]?")
	write   = regexp.MustCompile(
		`(?i)^\s*(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|TRUNCATE|` +
			`WITH\b[^;]*\)\s*(?:INSERT|UPDATE|DELETE))\b`)
	insert = regexp.MustCompile(`(?i)^\s*INSERT\b`)
	where  = regexp.MustCompile(`(?i)\b(?:WHERE|ON)\b`)
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
	if s.Seeks {
		return nil
	}
	return lintShards(q)
}

// lintShards checks that every statement says whose rows it is about: behind WHERE or ON, or among
// an insert's columns; the column list of a SELECT always names it. Of joined tables, one that has
// it is enough. Exempt are searches for work on one shard, and tables without an owner.
func lintShards(q string) error {
	bound, lost := false, ""
	for _, m := range tables.FindAllStringSubmatch(q, -1) {
		t, ok := places()[m[1]]
		if !ok || t.Pinned != "" {
			continue
		}
		given, joined := t.shardCondition(q)
		if bound = bound || given; given || joined && bound {
			continue
		}
		if lost = m[1]; !joined {
			break
		}
	}
	if lost == "" || bound && resolvedLater(q, lost) {
		return nil
	}
	return fmt.Errorf("statement lint: %s: no condition says on which shard: name %s, or read with Store.Seek", lost,
		places()[lost].names())
}

// resolvedLater reports whether a table gets its shard from a table that is joined later.
func resolvedLater(q, table string) bool {
	_, joined := places()[table].shardCondition(q)
	return joined
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
	var owners ledger
	return func(s ent.Statement) error {
		key := lintKey{s.Query, s.Dialect, s.InTx, s.Seeks}
		if _, ok := passed.Load(key); !ok {
			if err := Lint(s); err != nil {
				t.Errorf("%v\n%s", err, s.Query)
				return err
			}
			passed.Store(key, struct{}{})
		}
		if err := cmp.Or(owners.note(s), lintTime(s)); err != nil {
			t.Errorf("%v\n%s", err, s.Query)
			return err
		}
		return nil
	}
}
