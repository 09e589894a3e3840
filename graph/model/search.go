package model

// SearchResult is a search over everything: each kind is searched for when it is asked for.
type SearchResult struct {
	Query string
	// First is how many of each kind are shown at most.
	First int
}
