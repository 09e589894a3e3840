package search

import (
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

const (
	// maxWords is how many words of a question are looked for, pairs of letters counted.
	maxWords = 8
	// maxAsked is how much of a question is read, in bytes.
	maxAsked = 1000
	// last is behind every letter that a word goes on with.
	last = "\U0010ffff"
)

// Question is what somebody looks for: words, all of which have to be there, and a tag.
type Question struct {
	words []string
	// phone is the word in their place where customers are looked for by a telephone number, and tag that of a tag;
	// both may be empty.
	phone, tag string
}

// Asked reads a query and a tag; it is nil where there is neither. A query without a letter or a digit finds nothing,
// with a tag too.
func Asked(query, tag *string) *Question {
	q := Question{}
	switch {
	case query != nil && strings.TrimSpace(*query) != "":
		if q = Ask(*query); len(q.words) == 0 {
			return &q
		}
	case tag == nil:
		return nil
	}
	if tag != nil {
		q.tag = tagged(*tag)
	}
	return &q
}

// of are the words by which a kind is searched.
func (q Question) of(k Kind) []string {
	words := q.words
	if k == Customers && q.phone != "" {
		words = []string{q.phone}
	}
	if q.tag != "" {
		words = append(slices.Clip(words), q.tag)
	}
	return words
}

// Ask reads a question. One without a letter or a digit has no words.
func Ask(text string) (q Question) {
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
	return listings.Asked(chunk)
}

// String is the question as it is understood: two that look for the same are the same.
func (q Question) String() string {
	text := strings.Join(q.words, " ")
	if q.phone != "" {
		text += " tel:" + q.phone
	}
	if q.tag != "" {
		text += " tag:" + q.tag[1:]
	}
	return text
}

// span is the terms from one to before another.
type span struct{ from, to string }

// span are the terms of a kind that a word may stand for: those that begin with it.
func (k Kind) span(word string) span {
	head := string(k) + word
	return span{head, head + last}
}

// numbers are the words of the question that may be the number of an order.
func (q Question) numbers() (list []any) {
	for _, w := range q.words {
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			list = append(list, n)
		}
	}
	return list
}
