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
	// maxAsked bounds the words of a question, pairs of letters counted.
	maxAsked = 8
	// maxMeant is how many words of the store one word of the question may mean.
	maxMeant = 12
	// maxDriven is how many products are read by the rarest word; the newest of each of
	// the words that it may mean.
	maxDriven = 1200
	// leastPart is how long a part must be that is looked for at the end of words.
	leastPart = 3
	// MaxFound is the most that a search finds.
	MaxFound = 120
)

// asked is a word of a question, with what it may mean: words that are or begin or end
// with it, and those for which it may be a mistake.
type asked struct {
	token
	meant, guessed []string
	// many counts the entries of what is meant, and guesses of what is guessed; up to a
	// bound.
	many, guesses int
}

// Question is what a visitor looks for.
type Question struct {
	text  string
	words []*asked
}

// Ask reads a question; one without words finds nothing.
func Ask(text string) Question {
	folded := strings.TrimSpace(Fold(text))
	q := Question{text: folded}
	for _, t := range tokens(folded) {
		known := slices.ContainsFunc(q.words, func(a *asked) bool { return a.text == t.text })
		if !known && len(q.words) < maxAsked {
			q.words = append(q.words, &asked{token: t})
		}
	}
	return q
}

// Find returns up to [MaxFound] products that have every word of the question: the newest
// of those that have the rarest word. A word that no product has stands for those that it
// may be a mistake for. It runs three statements, a fourth where nothing is found.
func (r Reader) Find(ctx context.Context, q Question) ([]xid.ID, error) {
	if len(q.words) == 0 {
		return nil, nil
	}
	if err := r.mean(ctx, q.words); err != nil {
		return nil, err
	}
	if err := r.weigh(ctx, q.words); err != nil {
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

// sought is words of which a product has to have one, and how many entries these have.
type sought struct {
	words []string
	many  int
}

// strictly takes words as they are typed, where there are such.
func strictly(words []*asked) (list []sought) {
	for _, w := range words {
		if w.many > 0 || len(w.guessed) == 0 {
			list = append(list, sought{w.meant, w.many})
		} else {
			list = append(list, sought{w.guessed, w.guesses})
		}
	}
	return list
}

// loosely takes every word for a possible mistake, and leaves out pairs of letters that
// no product has while another of the run is had; nil where nothing changes by that.
func loosely(words []*asked) (list []sought) {
	changed := false
	for _, w := range words {
		if w.pair && w.many == 0 && slices.ContainsFunc(words, func(o *asked) bool {
			return o.pair && o.run == w.run && o.many > 0
		}) {
			changed = true
			continue
		}
		changed = changed || w.many > 0 && w.guesses > 0
		list = append(list, sought{slices.Concat(w.meant, w.guessed), w.many + w.guesses})
	}
	if !changed {
		return nil
	}
	return list
}

// mean finds what the words may mean, in one statement.
func (r Reader) mean(ctx context.Context, words []*asked) error {
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
		w.meant = []string{w.text}
		if w.pair && count(w.text) > 1 {
			continue
		}
		add(i, begins, maxMeant, whole+w.text, whole+w.text+last)
		if count(w.text) >= leastPart {
			add(i, begins, maxMeant, ending+w.text, ending+w.text+last)
		}
		if keys := slips(w.text); len(keys) > 0 {
			add(i, "spelling IN ("+marks(len(keys))+")", 4*maxMeant, keys...)
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
		words[i].hear(word)
		return nil
	}, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return fmt.Errorf("read spellings: %w", err)
	}
	for _, w := range words {
		w.settle()
	}
	return nil
}

// last is behind every letter that a word goes on with.
const last = "\U0010ffff"

// slips are the spellings under which words are that a word may be a mistake for.
func slips(word string) (keys []any) {
	letters := []rune(word)
	if len(letters) < leastTypo || len(letters) > mostTypo {
		return nil
	}
	keys = []any{lacking + word}
	for _, s := range near(letters) {
		keys = append(keys, whole+s, lacking+s)
	}
	return keys
}

// hear takes a word of the store for one that is meant or guessed, if it is either.
func (w *asked) hear(word string) {
	switch {
	case strings.Contains(word, w.text):
		if !slices.Contains(w.meant, word) {
			w.meant = append(w.meant, word)
		}
	case alike(w.text, word) && !slices.Contains(w.guessed, word):
		w.guessed = append(w.guessed, word)
	}
}

// settle keeps the nearest words: the word itself, then those that begin with it.
func (w *asked) settle() {
	slices.SortStableFunc(w.meant[1:], func(a, b string) int {
		x, y := strings.HasPrefix(a, w.text), strings.HasPrefix(b, w.text)
		switch {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return len(a) - len(b)
	})
	w.meant = w.meant[:min(len(w.meant), maxMeant)]
	w.guessed = w.guessed[:min(len(w.guessed), maxMeant)]
}

// weigh counts the entries of the words, up to a bound, in one statement.
func (r Reader) weigh(ctx context.Context, words []*asked) error {
	var parts []string
	var args []any
	const weighed = "SELECT %d, COUNT(*) FROM (SELECT 1 FROM search_entries%s WHERE store_id = ? AND word IN (%s) " +
		"LIMIT %d) e%d"
	for i, w := range words {
		for j, list := range [][]string{w.meant, w.guessed} {
			if len(list) > 0 {
				hint := ent.IndexHint(r.Engine, "search_entries", ent.Primary)
				parts = append(parts, fmt.Sprintf(weighed, 2*i+j, hint, marks(len(list)), maxDriven, len(parts)))
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
			words[i/2].many = n
		} else {
			words[i/2].guesses = n
		}
		return nil
	}, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return fmt.Errorf("count entries: %w", err)
	}
	return nil
}

// match returns products that have one word of each: it reads those of the rarest and
// looks the others up.
func (r Reader) match(ctx context.Context, all []sought) (ids []xid.ID, err error) {
	slices.SortStableFunc(all, func(a, b sought) int { return a.many - b.many })
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

// driver reads the newest products of each of some words.
func (r Reader) driver(words []string) (query string, args []any) {
	const one = "SELECT id FROM (SELECT id FROM search_entries%s WHERE store_id = ? AND word = ? " +
		"ORDER BY id DESC LIMIT %d) w%d"
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = fmt.Sprintf(one, ent.IndexHint(r.Engine, "search_entries", ent.Primary), maxDriven/len(words), i)
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
