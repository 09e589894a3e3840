package search

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

const (
	// maxWords bounds the words of a query. Pairs of letters count as words.
	maxWords = 8
	maxAsked = 1000
	// last sorts after every continuation of a word.
	last = "\U0010ffff"
)

// Question is a search query: words, all of which must be found, a tag, and values of custom fields.
type Question struct {
	words []string
	// phone replaces the words in a search for customers if the text is a telephone number, and tag
	// is the word of a tag. Both may be empty.
	phone, tag string
	// fields are terms of [FieldTerms].
	fields []string
}

// ParseQuestion parses a query and a tag, beside stored values of custom fields. It returns nil if there
// is nothing. A query without a letter or a digit finds nothing, whatever is beside it.
func ParseQuestion(query, tag *string, fields map[string]json.RawMessage) *Question {
	q := Question{}
	switch {
	case query != nil && strings.TrimSpace(*query) != "":
		if q = Parse(*query); len(q.words) == 0 {
			return &q
		}
	case tag == nil && len(fields) == 0:
		return nil
	}
	for name, value := range fields {
		q.fields = append(q.fields, FieldTerms(name, value)...)
	}
	slices.Sort(q.fields)
	if tag != nil {
		q.tag = tagged(*tag)
	}
	return &q
}

// of returns the words by which a kind is searched.
func (q Question) of(k Kind) []string {
	words := q.words
	if k == Customers && q.phone != "" {
		words = []string{q.phone}
	}
	if q.tag != "" {
		words = append(slices.Clip(words), q.tag)
	}
	return append(slices.Clip(words), q.fields...)
}

// Parse parses a query. A query without a letter or a digit has no words.
func Parse(text string) (q Question) {
	if len(text) > maxAsked {
		text = strings.ToValidUTF8(text[:maxAsked], "")
	}
	for chunk := range strings.FieldsSeq(listings.Fold(text)) {
		for _, w := range asked(chunk) {
			if len(q.words) < maxWords && !slices.Contains(q.words, w) {
				q.words = append(q.words, w)
			}
		}
	}
	q.phone = phoneOf(text)
	return q
}

func asked(chunk string) []string {
	if a := address(chunk); a != "" {
		return []string{a}
	}
	return listings.QueryTerms(chunk)
}

// Text returns [Question.String], or nil for no question.
func (q *Question) Text() *string {
	if q == nil {
		return nil
	}
	return new(q.String())
}

// String returns the normalized query: equal strings search for the same.
func (q Question) String() string {
	text := strings.Join(q.words, " ")
	if q.phone != "" {
		text += " tel:" + q.phone
	}
	if q.tag != "" {
		text += " tag:" + q.tag[1:]
	}
	return strings.Join(append([]string{text}, q.fields...), " field:")
}

// span is the range of terms from one up to, but excluding, another.
type span struct{ from, to string }

// span returns the range of a kind's terms that begin with a word.
func (k Kind) span(word string) span {
	head := string(k) + word
	return span{head, head + last}
}

func (q Question) numbers() (list []any) {
	for _, w := range q.words {
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			list = append(list, n)
		}
	}
	return list
}
