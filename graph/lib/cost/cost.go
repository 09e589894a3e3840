// Package cost computes what a GraphQL operation costs, before it runs.
package cost

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
	// A list whose length the caller does not choose: the lines, payments or shipments of an order.
	assumedLength = 5
	// Introspection returns lists of the schema's size, whatever the arguments.
	schemaCost = 10_000
	typeCost   = 1000
	// A scan of the delivery log of an endpoint.
	logCost = 1000
	// A read of up to some thousand index keys.
	keysCost = 1000
	// A scan of thousands of rows or hundreds of lines.
	scanCost = 500
)

// logFields scan the delivery log of an endpoint.
var logFields = []string{"deliveryCount", "webhookDeliveriesRetry"}

// keyFields count rows. Searches cost the same: the lists of [searches], and lists with a query.
var keyFields = []string{"orderCounts", "productCounts"}

// searches is the type whose list fields are searches.
const searches = "SearchResult"

// readsKeys returns the extra cost of a field that counts or searches, else 0.
func (c costs) readsKeys(f *ast.Field) int {
	query := f.Definition.Arguments.ForName("query")
	lists := f.ObjectDefinition != nil && f.ObjectDefinition.Name == searches && len(f.SelectionSet) > 0
	if slices.Contains(keyFields, f.Name) || lists || c.filtersFields(f) ||
		query != nil && !query.Type.NonNull && f.Arguments.ForName("query") != nil {
		return keysCost
	}
	return 0
}

// filtersFields reports whether a list is filtered by custom fields, which is a search.
func (c costs) filtersFields(f *ast.Field) bool {
	filter := f.Arguments.ForName("filter")
	if filter == nil {
		return false
	}
	value, _ := filter.Value.Value(c.variables)
	members, _ := value.(map[string]any)
	return members["customFields"] != nil
}

// LongTexts are the fields with texts of more than 5,000 characters.
var LongTexts = []string{"Product.description", "Page.body", "Event.payload",
	"WebhookDelivery.payload", "Query.pagePreview", "Product.customFields", "ProductVariant.customFields",
	"Order.customFields", "Customer.customFields"}

// scanFields read much more than they return.
var scanFields = []string{"orderWork", "lowStock", "orderPreview", "orderLinesPreview", "report"}

// Of returns the cost of a valid operation in points: one for each object, two for each long text, a
// tenth for each other value. A list multiplies the cost below it by its first argument, capped
// like the list itself. A report costs another point for each of its days, whose orders it reads. A
// scan of a delivery log, a count or a search costs a hundred points; a computation over many rows
// costs fifty. Fields count even if @skip or @include leaves them out.
func Of(op *ast.OperationDefinition, variables map[string]any) int {
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

// own returns the cost of a field and of everything below it by their number.
func (c costs) own(f *ast.Field) int {
	switch {
	case f.Name == "__schema":
		return schemaCost + c.flat(f.SelectionSet)
	case f.Name == "__type":
		return typeCost + c.flat(f.SelectionSet)
	case slices.Contains(logFields, f.Name):
		return logCost + c.selection(f.SelectionSet)
	case slices.Contains(scanFields, f.Name):
		return scanCost + c.selection(f.SelectionSet)
	case len(f.SelectionSet) == 0 && f.ObjectDefinition != nil &&
		slices.Contains(LongTexts, f.ObjectDefinition.Name+"."+f.Name):
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

// connection returns the cost below a connection: nodes and edges times the page size, other fields
// once.
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

// length returns the requested length of a list, from one of its arguments.
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
