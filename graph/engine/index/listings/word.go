package listings

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/facet"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/db/searchentry"
	"github.com/storefront-go/storefront/ent/db/searchspelling"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

const (
	// maxWords bounds the indexed words of a product. Title, vendor and type have fewer; the others
	// fill the rest.
	maxWords = 300
	// atOnce bounds the rows of a statement. SQLite keeps statements, which are as large as their rows.
	atOnce = 100
)

// Kinds of spellings, as their first byte.
const (
	whole   = "=" // the word itself
	deleted = "-" // the word without one letter
	ending  = "~" // an ending of the word
)

func wordsOf(p *db.Product) ([]string, error) {
	tags, err := p.Tags.List()
	if err != nil {
		return nil, fmt.Errorf("tags of %s: %w", p.PublicID(), err)
	}
	options, err := p.Options.List()
	if err != nil {
		return nil, fmt.Errorf("options of %s: %w", p.PublicID(), err)
	}
	list := append(wordsIn(p.Title), wordsIn(orEmpty(p.Vendor))...)
	list = append(list, wordsIn(orEmpty(p.ProductType))...)
	for _, tag := range tags {
		list = append(list, wordsIn(tag)...)
	}
	for _, o := range options {
		for _, value := range o.Values {
			list = append(list, wordsIn(value)...)
		}
	}
	for _, v := range variants.Of(p) { // last, because there can be more of them than words are kept
		list = append(list, skuWords(orEmpty(v.Sku))...)
	}
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(w string) bool { again := seen[w]; seen[w] = true; return again })
	return list[:min(len(list), maxWords)], nil
}

// wordsIn returns the words of a text. The last letter of a run of pairs is added, so that every
// single letter begins a word.
func wordsIn(text string) (list []string) {
	all := tokens(Fold(text))
	for i, t := range all {
		list = append(list, t.text)
		if t.pair && count(t.text) > 1 && (i+1 == len(all) || all[i+1].run != t.run) {
			_, size := utf8.DecodeLastRuneInString(t.text)
			list = append(list, t.text[len(t.text)-size:])
		}
	}
	return list
}

// skuWords returns the words of an SKU: its parts, and all of it without punctuation.
func skuWords(sku string) []string {
	parts := wordsIn(sku)
	if len(parts) > 1 {
		parts = append(parts, cut(strings.Join(parts, ""), maxWord))
	}
	return parts
}

// index writes the words of products that differ.
func (r Writer) index(ctx context.Context, products []*db.Product, shown bool) error {
	of := map[string][]xid.ID{}
	for _, p := range products {
		words, err := wordsOf(p)
		if err == nil && shown {
			words, err = r.reindex(ctx, p, words)
		}
		if err != nil {
			return err
		}
		for _, w := range words {
			of[w] = append(of[w], p.ID)
		}
	}
	words, store, values := slices.Sorted(maps.Keys(of)), viewer.From(ctx).Store, []any(nil)
	for _, w := range words {
		for _, id := range slices.SortedFunc(slices.Values(of[w]), xid.ID.Compare) {
			values = append(values, store, w, id)
		}
	}
	if err := r.insert(ctx, "search_entries", "store_id, word, id", values, ""); err != nil {
		return err
	}
	for some := range slices.Chunk(words, atOnce) {
		if err := r.spell(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// reindex removes the words that a product no longer has, and returns those that are not indexed.
func (r Writer) reindex(ctx context.Context, p *db.Product, words []string) ([]string, error) {
	query := r.Client.SearchEntry.Query().Where(searchentry.ID(p.ID))
	query.Modify(ent.ForceIndex("searchentry_store_id_id_word"), ent.ForUpdate)
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, row := range rows {
		if i := slices.Index(words, row.Word); i >= 0 {
			words = slices.Delete(words, i, i+1)
		} else {
			gone = append(gone, row.Word)
		}
	}
	if len(gone) == 0 {
		return words, nil
	}
	return words, r.forget(ctx, p.ID, searchentry.WordIn(gone...))
}

// forget removes a product from the search, restricted by the conditions.
func (r Writer) forget(ctx context.Context, id xid.ID, only ...predicate.SearchEntry) error {
	gone := r.Client.SearchEntry.Delete().Where(searchentry.ID(id)).Where(only...)
	if _, err := gone.Exec(ctx); err != nil {
		return fmt.Errorf("remove from the search: %w", err)
	}
	return nil
}

// spell writes the spellings of words that are new to the store. They stay when the last product
// with a word is removed; they then lead to nothing.
func (r Writer) spell(ctx context.Context, words []string) error {
	heads := make([]string, len(words))
	for i, w := range words {
		heads[i] = whole + w
	}
	query := r.Client.SearchSpelling.Query().Where(searchspelling.SpellingIn(heads...))
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, row := range rows {
		known[row.Word] = true
	}
	var values []any
	store := viewer.From(ctx).Store
	for _, w := range words {
		if known[w] {
			continue
		}
		sum := digest.Of([]byte(w))
		id := xid.ID(sum[:len(xid.ID{})])
		for _, s := range spellings(w) {
			values = append(values, store, s, id, w)
		}
	}
	return r.keep(ctx, "search_spellings", "store_id, spelling, id, word", values)
}

// name writes the option values that are new to the store.
func (r Writer) name(ctx context.Context, facets map[xid.ID][2]string) error {
	if len(facets) == 0 {
		return nil
	}
	ids := slices.SortedFunc(maps.Keys(facets), xid.ID.Compare)
	rows, err := r.Client.Facet.Query().Where(facet.IDIn(ids...)).Load(ctx)
	if err != nil {
		return fmt.Errorf("read the options of the store: %w", err)
	}
	for _, row := range rows {
		delete(facets, row.ID)
	}
	var values []any
	for _, id := range ids {
		if f, ok := facets[id]; ok {
			values = append(values, viewer.From(ctx).Store, id, f[0], f[1])
		}
	}
	return r.keep(ctx, "facets", "store_id, id, name, value", values)
}

// keep inserts rows and ignores existing ones.
func (r Writer) keep(ctx context.Context, table, columns string, values []any) error {
	if r.Engine == dialect.MySQL {
		return r.insert(ctx, table, columns, values, " ON DUPLICATE KEY UPDATE id = VALUES(id)")
	}
	return r.insert(ctx, table, columns, values, " ON CONFLICT DO NOTHING")
}

// insert writes its statements out, because a statement builder would cost more than the rows.
func (r Writer) insert(ctx context.Context, table, columns string, values []any, tail string) error {
	n := strings.Count(columns, ",") + 1
	row := "(" + strings.Repeat("?, ", n-1) + "?)"
	for chunk := range slices.Chunk(values, n*atOnce) {
		query := "INSERT INTO " + table + " (" + columns + ") VALUES " +
			strings.Repeat(row+", ", len(chunk)/n-1) + row + tail
		if _, err := r.Client.ExecContext(ctx, query, chunk...); err != nil {
			return fmt.Errorf("insert into %s: %w", table, err)
		}
	}
	return nil
}

// Lengths of words whose spellings are indexed, in letters.
const (
	leastTypo   = 4
	mostTypo    = 20
	leastEnding = 6
	shortest    = 4 // of an ending
)

// spellings returns all spellings that lead to a word. Words with digits, such as SKUs, are not
// corrected.
func spellings(word string) []string {
	list := []string{whole + word}
	letters := []rune(word)
	if len(letters) < leastTypo || len(letters) > mostTypo || strings.ContainsFunc(word, unicode.IsDigit) {
		return list
	}
	for _, s := range deletions(letters) {
		list = append(list, deleted+s)
	}
	for i := 2; len(letters) >= leastEnding && i <= len(letters)-shortest; i++ {
		list = append(list, ending+string(letters[i:]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// deletions returns a word without any one of its letters, and the same for the word without its
// last letter, which may be a plural ending.
func deletions(letters []rune) (list []string) {
	list = without(letters)
	if len(letters) > leastTypo {
		list = append(list, without(letters[:len(letters)-1])...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func without(letters []rune) []string {
	list := make([]string, len(letters))
	for i := range letters {
		list[i] = string(letters[:i]) + string(letters[i+1:])
	}
	return list
}

// similar reports whether the words differ by one typo: an extra, missing or wrong letter, or two
// swapped ones. Either word may have one more letter at the end.
func similar(a, b string) bool {
	x, y := []rune(a), []rune(b)
	return oneTypo(x, y) || len(x) > leastTypo && oneTypo(x[:len(x)-1], y) ||
		len(y) > leastTypo && oneTypo(x, y[:len(y)-1])
}

// oneTypo reports whether the words differ by at most one typo.
func oneTypo(x, y []rune) bool {
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) < len(y) {
		return slices.Equal(x[i:], y[i+1:])
	}
	if i == len(x) || slices.Equal(x[i+1:], y[i+1:]) {
		return true
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func count(s string) int { return utf8.RuneCountInString(s) }
