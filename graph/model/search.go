package model

// SearchResult is a search over all kinds of resources. Each kind is searched when its field is
// resolved.
type SearchResult struct {
	Query string
	// First is the maximum number of results of each kind.
	First int
}
