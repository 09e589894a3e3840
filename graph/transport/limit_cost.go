package transport

import (
	"math"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/graph/lib/page"
)

// Costs in tenths of a point.
const (
	leafCost   = 1
	objectCost = 10
	// A text of up to 65,535 characters.
	textCost = 20
	// A list whose length the caller does not choose: an order's lines, its
	// ledger, its shipments.
	assumedLength = 5
	// Introspection returns lists of the schema's size, whatever the arguments.
	schemaCost = 10_000
	typeCost   = 1000
	// What looks through the log of an endpoint.
	logCost = 1000
	// What reads up to some thousand keys for what it shows.
	keysCost = 1000
	// What looks through thousands of rows, or hundreds of lines.
	lookCost = 500
)

// throughLog are the fields that look through the log of an endpoint.
var throughLog = []string{"deliveryCount", "webhookDeliveriesRetry"}

// throughKeys are the fields that count, and those that search: the lists of [searches], and
// those that have a query.
var throughKeys = []string{"orderCounts", "productCounts"}

// searches is the type whose lists are searches.
const searches = "SearchResult"

// readsKeys is what a field costs because it counts or searches.
func (c costs) readsKeys(f *ast.Field) int {
	query := f.Definition.Arguments.ForName("query")
	lists := f.ObjectDefinition != nil && f.ObjectDefinition.Name == searches && len(f.SelectionSet) > 0
	if slices.Contains(throughKeys, f.Name) || lists ||
		query != nil && !query.Type.NonNull && f.Arguments.ForName("query") != nil {
		return keysCost
	}
	return 0
}

// longTexts are the fields with texts of more than 5,000 characters.
var longTexts = []string{"Product.description", "Page.body", "Event.payload",
	"WebhookDelivery.payload", "Query.pagePreview"}

// lookingThrough are the fields that read much more than they return.
var lookingThrough = []string{"orderWork", "lowStock", "orderPreview"}

// cost is what an operation may make the service do, in points: one for each
// object, two for each long text, a tenth for each other value, and everything below a list as often as
// its first argument says (capped as the list itself is). A report costs a point more
// for each of its days, whose orders it reads. What looks through the
// log of an endpoint costs a hundred points, and so does what counts or searches; what
// computes over many rows costs fifty. What @skip and @include leave out counts.
func cost(op *ast.OperationDefinition, variables map[string]any) int {
	c := costs{variables}
	return (c.selection(op.SelectionSet) + 9) / 10
}

type costs struct{ variables map[string]any }

func (c costs) selection(set ast.SelectionSet) (sum int) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			sum += c.field(s)
		case *ast.InlineFragment:
			sum += c.selection(s.SelectionSet)
		case *ast.FragmentSpread:
			sum += c.selection(s.Definition.SelectionSet)
		}
		sum = min(sum, math.MaxInt32)
	}
	return sum
}

func (c costs) field(f *ast.Field) int { return c.readsKeys(f) + c.own(f) }

// own is what a field and everything below it cost by their number.
func (c costs) own(f *ast.Field) int {
	switch {
	case f.Name == "__schema":
		return schemaCost + c.flat(f.SelectionSet)
	case f.Name == "__type":
		return typeCost + c.flat(f.SelectionSet)
	case slices.Contains(throughLog, f.Name):
		return logCost + c.selection(f.SelectionSet)
	case slices.Contains(lookingThrough, f.Name):
		return lookCost + c.selection(f.SelectionSet)
	case len(f.SelectionSet) == 0 && f.ObjectDefinition != nil &&
		slices.Contains(longTexts, f.ObjectDefinition.Name+"."+f.Name):
		return textCost
	case len(f.SelectionSet) == 0:
		return leafCost
	}
	if days := f.Definition.Arguments.ForName("days"); days != nil {
		n := c.length(f, days)
		return objectCost*(1+n) + c.connection(f.SelectionSet, n)
	}
	if first := f.Definition.Arguments.ForName("first"); first != nil && f.Definition.Type.Elem == nil {
		return objectCost + c.connection(f.SelectionSet, c.length(f, first))
	}
	one := objectCost + c.selection(f.SelectionSet)
	if f.Definition.Type.Elem == nil {
		return one
	}
	if first := f.Definition.Arguments.ForName("first"); first != nil {
		return one * c.length(f, first)
	}
	return one * assumedLength
}

// connection is what lies below a connection: nodes and edges as often as the
// page is long, the rest once.
func (c costs) connection(set ast.SelectionSet, length int) (sum int) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if s.Definition.Type.Elem != nil {
				sum += c.readsKeys(s) + (objectCost+c.selection(s.SelectionSet))*length
			} else {
				sum += c.field(s)
			}
		case *ast.InlineFragment:
			sum += c.connection(s.SelectionSet, length)
		case *ast.FragmentSpread:
			sum += c.connection(s.Definition.SelectionSet, length)
		}
		sum = min(sum, math.MaxInt32)
	}
	return sum
}

// flat counts the fields of an introspection.
func (c costs) flat(set ast.SelectionSet) (sum int) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			sum += leafCost + c.flat(s.SelectionSet)
		case *ast.InlineFragment:
			sum += c.flat(s.SelectionSet)
		case *ast.FragmentSpread:
			sum += c.flat(s.Definition.SelectionSet)
		}
	}
	return sum
}

// length is how many rows a list is asked for, by one of its arguments.
func (c costs) length(f *ast.Field, argument *ast.ArgumentDefinition) int {
	value := argument.DefaultValue
	if given := f.Arguments.ForName(argument.Name); given != nil {
		value = given.Value
	}
	if value == nil {
		return page.DefaultLimit
	}
	v, err := value.Value(c.variables)
	if err != nil {
		return page.MaxLimit
	}
	n, ok := v.(int64)
	if !ok {
		return page.DefaultLimit
	}
	return int(max(1, min(n, page.MaxLimit)))
}
