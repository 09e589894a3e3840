package vitess

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/storefront-go/storefront/ent"
)

// Owners checks that each transaction writes the rows of one owner: a store, a person, or nobody.
// Exempt is background work on one shard.
type Owners struct {
	mu  sync.Mutex
	txs map[any]written
}

// written are the owners of the rows that a transaction has written, each with the first table.
type written map[string]string

// maxRemembered limits the number of remembered transactions.
const maxRemembered = 4096

// splitByShard are the tables whose rows are split with [ent.ByShard]: one transaction writes rows
// of many stores on one shard.
var splitByShard = map[string]bool{"webhook_queues": true, "endpoint_stats": true, "webhook_endpoints": true}

// unknownOwner is the owner of rows that a statement finds by something else, such as a hash. They
// may have any owner, so the transaction may write nothing else.
const unknownOwner = "an unknown owner"

// Note records a statement, and returns an error if its owner differs from the owner of what its
// transaction wrote before.
func (l *Owners) Note(s ent.Statement) error {
	if s.Tx == nil || s.OnShard {
		return nil
	}
	p := planOf(s.Query)
	owners := p.owners(s.Values)
	if len(owners) == 0 && p.table != "" {
		owners = []string{unknownOwner}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.txs == nil || len(l.txs) > maxRemembered {
		l.txs = map[any]written{}
	}
	w := l.txs[s.Tx]
	if w == nil {
		w = written{}
		l.txs[s.Tx] = w
	}
	for _, o := range owners {
		if _, known := w[o]; known {
			continue
		}
		for other, table := range w {
			if !splitByShard[table] || !splitByShard[p.table] {
				w[o] = p.table
				return refuse("one transaction writes %s of %s and %s of %s: they may be on two shards", table, other,
					p.table, o)
			}
		}
		w[o] = p.table
	}
	return nil
}

// plan says which values of a write are the owners of its rows.
type plan struct {
	table  string
	at     []int // indexes of the values
	pinned bool
}

var (
	plans  sync.Map // by query
	target = regexp.MustCompile("(?is)^\\s*(?:INSERT\\s+INTO|INSERT\\s+IGNORE\\s+INTO|UPDATE|DELETE\\s+FROM)\\s+" +
		"[`\"]?([a-z_0-9]+)[`\"]?")
	columnsOf = regexp.MustCompile(`(?is)^[^(]*\(([^)]*)\)\s*VALUES\s*`)
)

func planOf(q string) plan {
	if p, ok := plans.Load(q); ok {
		return p.(plan)
	}
	p := readPlan(literal.ReplaceAllStringFunc(q, func(s string) string { return strings.Repeat(" ", len(s)) }))
	plans.Store(q, p)
	return p
}

func readPlan(q string) plan {
	m := target.FindStringSubmatch(q)
	if m == nil {
		return plan{}
	}
	t, ok := places()[m[1]]
	if !ok {
		return plan{}
	}
	p := plan{table: m[1]}
	switch {
	case t.Pinned != "":
		p.pinned = true
	case insert.MatchString(q):
		p.at = inserted(q, t.owner())
	default:
		p.at = compared(q, t.owner())
	}
	return p
}

// inserted returns the indexes of a column's values in an insert.
func inserted(q, column string) (at []int) {
	head := columnsOf.FindStringSubmatchIndex(q)
	if head == nil {
		return nil
	}
	index := -1
	for i, c := range strings.Split(q[head[2]:head[3]], ",") {
		if strings.Trim(c, " `\"\n\t") == column {
			index = i
		}
	}
	depth, item, n := 0, 0, 0
	for _, c := range q[head[1]:] {
		switch {
		case c == '(':
			if depth++; depth == 1 {
				item = 0
			}
		case c == ')':
			depth--
		case c == ',' && depth == 1:
			item++
		case c == '?':
			if depth == 1 && item == index {
				at = append(at, n)
			}
			n++
		case depth == 0 && c != ',' && c != ' ' && c != '\n' && c != '\t':
			return at // ON DUPLICATE KEY, or the like
		}
	}
	return at
}

// compared returns the indexes of the values that a column is compared with behind WHERE: one
// value, a list, or a list of tuples.
func compared(q, column string) (at []int) {
	begin := where.FindStringIndex(q)
	if begin == nil {
		return nil
	}
	single := regexp.MustCompile("(?i)\\b" + column + "[`\"]?\\s*(?:=\\s*\\?|IN\\s*\\([?, ]*\\))")
	for _, m := range single.FindAllStringIndex(q[begin[0]:], -1) {
		from := begin[0] + m[0]
		first := strings.Count(q[:from], "?")
		for i := range strings.Count(q[from:begin[0]+m[1]], "?") {
			at = append(at, first+i)
		}
	}
	tuple := regexp.MustCompile("(?i)\\(([^()?]*\\b" + column + "\\b[^()?]*)\\)\\s*IN\\s*\\((?:VALUES)?\\s*((?:\\([?, ]*\\)[, ]*)*)")
	if m := tuple.FindStringSubmatchIndex(q[begin[0]:]); m != nil {
		text := q[begin[0]:]
		names := strings.Split(text[m[2]:m[3]], ",")
		index := 0
		for i, name := range names {
			if strings.Trim(name, " `\"") == column {
				index = i
			}
		}
		first := strings.Count(q[:begin[0]+m[4]], "?")
		for i := index; i < strings.Count(text[m[4]:m[5]], "?"); i += len(names) {
			at = append(at, first+i)
		}
	}
	return at
}

// owners returns the owners of the rows that a statement writes, as far as it names them.
func (p plan) owners(values []any) (list []string) {
	if p.pinned {
		return []string{ownerName(ent.NoOwner[:])}
	}
	for _, i := range p.at {
		if i >= len(values) {
			continue
		}
		v := values[i]
		if valuer, ok := v.(driver.Valuer); ok {
			if raw, err := valuer.Value(); err == nil {
				v = raw
			}
		}
		list = append(list, ownerName(v))
	}
	return list
}

func ownerName(id any) string { return fmt.Sprintf("%x", id) }
