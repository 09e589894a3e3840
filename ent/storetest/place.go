package storetest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/storefront-go/storefront/ent/migrate"
)

// place says by which columns the shard of a table's rows is found, as Vitess is told.
type place struct {
	Pinned  string
	Columns []struct{ Column string } `json:"column_vindexes"`
	// given compare one of these columns with what is given, alone or in a tuple; joined
	// with a column of another table.
	given, joined []*regexp.Regexp
}

// placed are the tables by their names.
var placed = sync.OnceValue(func() map[string]place {
	text, err := migrate.VSchema()
	var keyspace struct{ Tables map[string]place }
	if err == nil {
		err = json.Unmarshal(text, &keyspace)
	}
	if err != nil {
		panic("the vschema cannot be read: " + err.Error())
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

// owner is the column that says whose a row is.
func (p place) owner() string { return p.Columns[0].Column }

// names are the columns, for people.
func (p place) names() string {
	var list []string
	for _, c := range p.Columns {
		list = append(list, c.Column)
	}
	return strings.Join(list, " or ")
}

// never is a condition that no row meets, which ent writes for an empty list.
var never = regexp.MustCompile(`(?i)\bWHERE\s+(?:FALSE|1 = 0)\b`)

// chosen reports how a statement says of a table on which shard its rows are: by what is
// given, or by the rows of another table.
func (p place) chosen(q string) (given, joined bool) {
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
