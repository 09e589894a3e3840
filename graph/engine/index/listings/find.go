package listings

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// maxQueryWords bounds the words of a query. Pairs of letters count as words.
	maxQueryWords = 8
	// maxExpansions bounds the indexed words that one word of a query stands for.
	maxExpansions = 12
	// maxDriver is how many products the rarest word reads, the newest ones for each of its
	// expansions.
	maxDriver = 1200
	// leastPart is the minimum length of a word that is searched at the end of other words.
	leastPart = 3
	// MaxFound bounds the products that a search finds.
	MaxFound = 120
)

// queryWord is a word of a query with its expansions: matches are indexed words that contain it,
// corrections are words of which it may be a misspelling.
type queryWord struct {
	token
	matches, corrections []string
	// matchCount and correctionCount count the index entries of both, up to a bound.
	matchCount, correctionCount int
}

// Question is a search query of a visitor.
type Question struct {
	text  string
	words []*queryWord
}

// Parse parses a query. A query without words finds nothing.
func Parse(text string) Question {
	folded := strings.TrimSpace(Fold(text))
	q := Question{text: folded}
	for _, t := range tokens(folded) {
		known := slices.ContainsFunc(q.words, func(a *queryWord) bool { return a.text == t.text })
		if !known && len(q.words) < maxQueryWords {
			q.words = append(q.words, &queryWord{token: t})
		}
	}
	return q
}

// Find returns up to [MaxFound] products that have every word of the query: the newest ones with
// the rarest word. A word that no product has is replaced by its corrections. It runs three
// statements, and a fourth if nothing is found.
func (r Reader) Find(ctx context.Context, q Question) ([]xid.ID, error) {
	if len(q.words) == 0 {
		return nil, nil
	}
	if err := r.expand(ctx, q.words); err != nil {
		return nil, err
	}
	if err := r.countEntries(ctx, q.words); err != nil {
		return nil, err
	}
	ids, err := r.match(ctx, strictly(q.words))
	if err != nil || len(ids) > 0 {
		return ids, err
	}
	loose := loosely(q.words)
	if loose == nil {
		return nil, nil
	}
	return r.match(ctx, loose)
}

// clause is a set of words of which a product must have one, and the number of their entries.
type clause struct {
	words []string
	many  int
}

// strictly returns the words as typed, or their corrections if no product has them.
func strictly(words []*queryWord) (list []clause) {
	for _, w := range words {
		if w.matchCount > 0 || len(w.corrections) == 0 {
			list = append(list, clause{w.matches, w.matchCount})
		} else {
			list = append(list, clause{w.corrections, w.correctionCount})
		}
	}
	return list
}

// loosely adds the corrections of every word, and drops pairs of letters that no product has if
// another pair of the same run has products. It returns nil if that changes nothing.
func loosely(words []*queryWord) (list []clause) {
	changed := false
	for _, w := range words {
		if w.pair && w.matchCount == 0 && slices.ContainsFunc(words, func(o *queryWord) bool {
			return o.pair && o.run == w.run && o.matchCount > 0
		}) {
			changed = true
			continue
		}
		changed = changed || w.matchCount > 0 && w.correctionCount > 0
		list = append(list, clause{slices.Concat(w.matches, w.corrections), w.matchCount + w.correctionCount})
	}
	if !changed {
		return nil
	}
	return list
}

func (r Reader) expand(ctx context.Context, words []*queryWord) error {
	var parts []string
	var args []any
	const spelled = "SELECT %d, word FROM (SELECT word FROM search_spellings%s WHERE store_id = ? AND %s LIMIT %d) s%d"
	add := func(i int, condition string, most int, more ...any) {
		hint := ent.IndexHint(r.Engine, "search_spellings", ent.Primary)
		parts = append(parts, fmt.Sprintf(spelled, i, hint, condition, most, len(parts)))
		args = append(append(args, r.Store), more...)
	}
	const begins = "spelling >= ? AND spelling < ? ORDER BY spelling, id"
	for i, w := range words {
		w.matches = []string{w.text}
		if w.pair && count(w.text) > 1 {
			continue
		}
		add(i, begins, maxExpansions, whole+w.text, whole+w.text+last)
		if count(w.text) >= leastPart {
			add(i, begins, maxExpansions, ending+w.text, ending+w.text+last)
		}
		if keys := typoKeys(w.text); len(keys) > 0 {
			add(i, "spelling IN ("+marks(len(keys))+")", 4*maxExpansions, keys...)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	err := ent.Read(ctx, r.Client, func(rows *stdsql.Rows) error {
		var i int
		var word string
		if err := rows.Scan(&i, &word); err != nil {
			return err
		}
		words[i].add(word)
		return nil
	}, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return fmt.Errorf("read spellings: %w", err)
	}
	for _, w := range words {
		w.trim()
	}
	return nil
}

// last sorts after every continuation of a word.
const last = "\U0010ffff"

// typoKeys returns the spellings that lead to words of which the word may be a misspelling.
func typoKeys(word string) (keys []any) {
	letters := []rune(word)
	if len(letters) < leastTypo || len(letters) > mostTypo {
		return nil
	}
	keys = []any{deleted + word}
	for _, s := range deletions(letters) {
		keys = append(keys, whole+s, deleted+s)
	}
	return keys
}

func (w *queryWord) add(word string) {
	switch {
	case strings.Contains(word, w.text):
		if !slices.Contains(w.matches, word) {
			w.matches = append(w.matches, word)
		}
	case similar(w.text, word) && !slices.Contains(w.corrections, word):
		w.corrections = append(w.corrections, word)
	}
}

// trim keeps the best expansions: the word itself, then words that begin with it.
func (w *queryWord) trim() {
	slices.SortStableFunc(w.matches[1:], func(a, b string) int {
		x, y := strings.HasPrefix(a, w.text), strings.HasPrefix(b, w.text)
		switch {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return len(a) - len(b)
	})
	w.matches = w.matches[:min(len(w.matches), maxExpansions)]
	w.corrections = w.corrections[:min(len(w.corrections), maxExpansions)]
}

// countEntries counts the entries of the words, up to a bound, in one statement.
func (r Reader) countEntries(ctx context.Context, words []*queryWord) error {
	var parts []string
	var args []any
	const weighed = "SELECT %d, COUNT(*) FROM (SELECT 1 FROM search_entries%s WHERE store_id = ? AND word IN (%s) " +
		"LIMIT %d) e%d"
	for i, w := range words {
		for j, list := range [][]string{w.matches, w.corrections} {
			if len(list) > 0 {
				hint := ent.IndexHint(r.Engine, "search_entries", ent.Primary)
				parts = append(parts, fmt.Sprintf(weighed, 2*i+j, hint, marks(len(list)), maxDriver, len(parts)))
				args = append(append(args, r.Store), anys(list)...)
			}
		}
	}
	err := ent.Read(ctx, r.Client, func(rows *stdsql.Rows) error {
		var i, n int
		if err := rows.Scan(&i, &n); err != nil {
			return err
		}
		if i%2 == 0 {
			words[i/2].matchCount = n
		} else {
			words[i/2].correctionCount = n
		}
		return nil
	}, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return fmt.Errorf("count entries: %w", err)
	}
	return nil
}

// match returns products that satisfy all clauses: it reads the products of the rarest one and
// looks the others up.
func (r Reader) match(ctx context.Context, all []clause) (ids []xid.ID, err error) {
	slices.SortStableFunc(all, func(a, b clause) int { return a.many - b.many })
	if len(all) == 0 || all[0].many == 0 {
		return nil, nil
	}
	query, args := r.driver(all[0].words)
	for i, s := range all[1:] {
		head := " AND"
		if i == 0 {
			head = " WHERE"
		}
		query += head + " EXISTS (SELECT 1 FROM search_entries o" + ent.IndexHint(r.Engine, "search_entries", ent.Primary) +
			" WHERE o.store_id = ? AND o.word IN (" + marks(len(s.words)) + ") AND o.id = e.id)"
		args = append(append(args, r.Store), anys(s.words)...)
	}
	seen := map[xid.ID]bool{}
	err = ent.Read(ctx, r.Client, func(rows *stdsql.Rows) error {
		var id xid.ID
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if !seen[id] {
			seen[id], ids = true, append(ids, id)
		}
		if len(ids) == MaxFound {
			return errDone
		}
		return nil
	}, query, args...)
	if err != nil && !errors.Is(err, errDone) {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	return ids, nil
}

// driver returns a statement that reads the newest products of each word.
func (r Reader) driver(words []string) (query string, args []any) {
	const one = "SELECT id FROM (SELECT id FROM search_entries%s WHERE store_id = ? AND word = ? " +
		"ORDER BY id DESC LIMIT %d) w%d"
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = fmt.Sprintf(one, ent.IndexHint(r.Engine, "search_entries", ent.Primary), maxDriver/len(words), i)
		args = append(args, r.Store, w)
	}
	return "SELECT e.id FROM (" + strings.Join(parts, " UNION ALL ") + ") e", args
}

func marks(n int) string { return strings.Repeat("?, ", n-1) + "?" }

func anys(list []string) []any {
	all := make([]any, len(list))
	for i, s := range list {
		all[i] = s
	}
	return all
}
