package storetest

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/storefront-go/storefront/ent/migrate"
)

// place says by which columns the shard of a table's rows is found, as Vitess is told.
type place struct {
	Pinned  string
	Columns []struct{ Column string } `json:"column_vindexes"`
	// conditions compare one of these columns with what is given, alone or in a tuple.
	conditions []*regexp.Regexp
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
			p.conditions = append(p.conditions, regexp.MustCompile(
				"(?i)\\b"+c.Column+"[`\"]?\\s*(?:=\\s*\\?|IN\\b|\\)\\s*IN\\b|,[^()]*\\)\\s*(?:IN\\b|=))"))
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

// chosen reports whether a statement says of a table on which shard its rows are.
func (p place) chosen(q string) bool {
	if insert.MatchString(q) {
		return strings.Contains(q, p.owner())
	}
	at := where.FindStringIndex(q)
	if at == nil {
		return false
	}
	for _, c := range p.conditions {
		if c.MatchString(q[at[0]:]) {
			return true
		}
	}
	return false
}
