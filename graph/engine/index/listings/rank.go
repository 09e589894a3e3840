package listings

import (
	"slices"
	"strings"
)

// Texts are the texts of a found product that count for its rank.
type Texts struct {
	Title, Vendor, Type, SKU string
	Tags                     []string
}

// Weights of a word by where it matches exactly.
const (
	inTitle  = 8
	inSKU    = 10
	inOthers = 4
	asTitle  = 16 // the title begins with the query
)

// Rank returns how well a product matches the query; higher is better.
func (q Question) Rank(t Texts) (n int) {
	title := Fold(t.Title)
	titleWords, codes := wordsIn(t.Title), skuWords(t.SKU)
	others := append(wordsIn(t.Vendor), wordsIn(t.Type)...)
	for _, tag := range t.Tags {
		others = append(others, wordsIn(tag)...)
	}
	for _, w := range q.words {
		n += max(w.best(titleWords, inTitle), w.best(codes, inSKU), w.best(others, inOthers))
	}
	if strings.HasPrefix(title, q.text) {
		n += asTitle
	}
	return n
}

// best returns the weight of the best match of the word: half if a word begins with it, a quarter
// if a word contains it or is similar.
func (w *queryWord) best(words []string, most int) int {
	switch {
	case slices.Contains(words, w.text):
		return most
	case slices.ContainsFunc(words, func(o string) bool { return strings.HasPrefix(o, w.text) }):
		return most / 2
	case slices.ContainsFunc(words, func(o string) bool { return strings.Contains(o, w.text) || similar(w.text, o) }):
		return most / 4
	}
	return 0
}
