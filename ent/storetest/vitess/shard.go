package vitess

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
)

// place says by which columns Vitess finds the shard of a table's rows.
type place struct {
	Pinned  string
	Columns []struct{ Column string } `json:"column_vindexes"`
	// given match a comparison of such a column with given values, alone or in a tuple; joined
	// match a comparison with a column of another table.
	given, joined []*regexp.Regexp
}

var places = sync.OnceValue(func() map[string]place {
	text, err := migrate.VSchema()
	var keyspace struct{ Tables map[string]place }
	if err == nil {
		err = json.Unmarshal(text, &keyspace)
	}
	if err != nil {
		panic("read the vschema: " + err.Error())
	}
	for name, p := range keyspace.Tables {
		for _, c := range p.Columns {
			name := "(?i)\\b" + c.Column + "[`\"]?\\s*"
			p.given = append(p.given, regexp.MustCompile(
				name+"(?:=\\s*\\?|IN\\b|\\)\\s*IN\\b|,[^()]*\\)\\s*(?:IN\\b|=))"))
			p.joined = append(p.joined, regexp.MustCompile(name+"=\\s*[`\"]?\\w+[`\"]?\\."),
				regexp.MustCompile("(?i)=\\s*(?:[`\"]?\\w+[`\"]?\\.)?[`\"]?"+c.Column+"\\b"))
		}
		keyspace.Tables[name] = p
	}
	return keyspace.Tables
})

func (p place) owner() string { return p.Columns[0].Column }

func (p place) names() string {
	var list []string
	for _, c := range p.Columns {
		list = append(list, c.Column)
	}
	return strings.Join(list, " or ")
}

// never matches a condition that is always false, which ent writes for an empty list.
var never = regexp.MustCompile(`(?i)\bWHERE\s+(?:FALSE|1 = 0)\b`)

// shardCondition reports how a statement determines the shard of a table's rows: by given values,
// or by the rows of another table.
func (p place) shardCondition(q string) (given, joined bool) {
	if insert.MatchString(q) {
		return strings.Contains(q, p.owner()), false
	}
	at := where.FindStringIndex(q)
	if at == nil {
		return false, false
	}
	matches := func(r *regexp.Regexp) bool { return r.MatchString(q[at[0]:]) }
	return slices.ContainsFunc(p.given, matches) || never.MatchString(q), slices.ContainsFunc(p.joined, matches)
}

var (
	literal = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'`)
	tables  = regexp.MustCompile("(?i)\\b(?:FROM|JOIN|INTO|UPDATE)\\s+[`\"]?([a-z_0-9]+)[`\"]?")
	insert  = regexp.MustCompile(`(?i)^\s*INSERT\b`)
	where   = regexp.MustCompile(`(?i)\b(?:WHERE|ON)\b`)
)

// refuse returns an error that names the page about the rules.
func refuse(format string, args ...any) error {
	return fmt.Errorf("statement lint: "+format+" (see ent/storetest/vitess/doc.go)", args...)
}

// Shard checks that a statement says whose rows it is about: behind WHERE or ON, or among an
// insert's columns; the column list of a SELECT always names it. Of joined tables, one that has it
// is enough. Exempt are searches for work on one shard, and tables without an owner.
func Shard(s ent.Statement) error {
	if s.Seeks {
		return nil
	}
	q := literal.ReplaceAllString(s.Query, "''")
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
	if lost == "" {
		return nil
	}
	if _, joined := places()[lost].shardCondition(q); bound && joined { // by a table that is joined later
		return nil
	}
	return refuse("%s: no condition says on which shard: name %s, or read with Store.Seek", lost, places()[lost].names())
}
