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
	{word: regexp.MustCompile(`;`), why: "a text is one statement: ent.Later joins them", but: dialect.SQLite},
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

// lintShards wants every statement to say whose rows it is about: behind WHERE or ON, or
// among an insert's columns; the column list of a SELECT names it always. Tables that are
// joined may get it from each other, when one has it. Only a look for work on one shard
// needs not, and what is of nobody.
func lintShards(q string) error {
	bound, lost := false, ""
	for _, m := range tables.FindAllStringSubmatch(q, -1) {
		t, ok := placed()[m[1]]
		if !ok || t.Pinned != "" {
			continue
		}
		given, joined := t.chosen(q)
		if bound = bound || given; given || joined && bound {
			continue
		}
		if lost = m[1]; !joined {
			break
		}
	}
	if lost == "" || bound && lostIsJoined(q, lost) {
		return nil
	}
	return fmt.Errorf("statement lint: %s: no condition says on which shard: name %s, or read with Store.Seek", lost,
		placed()[lost].names())
}

// lostIsJoined reports whether a table gets its shard from a table behind it.
func lostIsJoined(q, table string) bool {
	_, joined := placed()[table].chosen(q)
	return joined
}

// clean are the statements that passed: tests repeat a few, and reading one again
// takes longer than running it.
var clean sync.Map

// seen is what of a statement decides whether it is clean.
type seen struct {
	query, dialect string
	inTx, seeks    bool
}

// failing makes an inspector that fails t.
func failing(t testing.TB) func(ent.Statement) error {
	var owners ledger
	return func(s ent.Statement) error {
		key := seen{s.Query, s.Dialect, s.InTx, s.Seeks}
		if _, ok := clean.Load(key); !ok {
			if err := Lint(s); err != nil {
				t.Errorf("%v\n%s", err, s.Query)
				return err
			}
			clean.Store(key, struct{}{})
		}
		if err := cmp.Or(owners.note(s), lintTime(s)); err != nil {
			t.Errorf("%v\n%s", err, s.Query)
			return err
		}
		return nil
	}
}
