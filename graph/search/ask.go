package search

import (
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/graph/shelf"
)

const (
	// maxWords is how many words of a question are looked for, pairs of letters counted.
	maxWords = 8
	// maxAsked is how much of a question is read, in bytes.
	maxAsked = 1000
	// last is behind every letter that a word goes on with.
	last = "\U0010ffff"
)

// Question is what somebody looks for: words, all of which have to be there.
type Question struct{ words []string }

// Ask reads a question. One without a letter or a digit has no words.
func Ask(text string) (q Question) {
	if len(text) > maxAsked {
		text = strings.ToValidUTF8(text[:maxAsked], "")
	}
	for chunk := range strings.FieldsSeq(shelf.Fold(text)) {
		for _, w := range asked(chunk) {
			if len(q.words) < maxWords && !slices.Contains(q.words, w) {
				q.words = append(q.words, w)
			}
		}
	}
	return q
}

func asked(chunk string) []string {
	if a := address(chunk); a != "" {
		return []string{a}
	}
	return shelf.Asked(chunk)
}

// String is the question as it is understood: two that look for the same are the same.
func (q Question) String() string { return strings.Join(q.words, " ") }

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
