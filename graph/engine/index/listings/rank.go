package listings

import (
	"slices"
	"strings"
)

// Texts are those of a product that was found.
type Texts struct {
	Title, Vendor, Type, SKU string
	Tags                     []string
}

// How much a word counts where it is; the exact word the most.
const (
	inTitle  = 8
	inSKU    = 10
	inOthers = 4
	asTitle  = 16 // the title begins with the question
)

// Rank is how well a product answers the question: the higher, the better.
func (q Question) Rank(t Texts) (n int) {
	title := Fold(t.Title)
	titleWords, codes := spoken(t.Title), coded(t.SKU)
	others := append(spoken(t.Vendor), spoken(t.Type)...)
	for _, tag := range t.Tags {
		others = append(others, spoken(tag)...)
	}
	for _, w := range q.words {
		n += max(w.best(titleWords, inTitle), w.best(codes, inSKU), w.best(others, inOthers))
	}
	if strings.HasPrefix(title, q.text) {
		n += asTitle
	}
	return n
}

// best is how much the word counts among others: half as its beginning, a quarter as a
// part or a mistake.
func (w *asked) best(words []string, most int) int {
	switch {
	case slices.Contains(words, w.text):
		return most
	case slices.ContainsFunc(words, func(o string) bool { return strings.HasPrefix(o, w.text) }):
		return most / 2
	case slices.ContainsFunc(words, func(o string) bool { return strings.Contains(o, w.text) || alike(w.text, o) }):
		return most / 4
	}
	return 0
}
