package transport

import (
	"errors"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/storefront-go/storefront/graph/lib/cache"
)

const maxErrors = 10

// documents parses and validates documents, and caches the valid ones.
type documents struct {
	schema *ast.Schema
	rules  *rules.Rules
	cache  *cache.Cache[string, *ast.QueryDocument]
}

func newDocuments(schema *ast.Schema, introspection bool) *documents {
	d := &documents{schema: schema, rules: validationRules(),
		cache: cache.NewCache[string, *ast.QueryDocument](maxCachedText)}
	if !introspection {
		d.rules.AddRule("NoSchemaIntrospection", noIntrospection)
	}
	return d
}

// validationRules returns the rules of the specification, with two changes: suggestions are off,
// because they cost an edit distance for each wrong name, and [mergeable] replaces the rule about
// overlapping fields, which is quadratic.
func validationRules() *rules.Rules {
	r := rules.NewDefaultRules()
	r.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name)
	for from, to := range map[string]validator.Rule{
		rules.FieldsOnCorrectTypeRule.Name: rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
		rules.KnownArgumentNamesRule.Name:  rules.KnownArgumentNamesRuleWithoutSuggestions,
		rules.KnownTypeNamesRule.Name:      rules.KnownTypeNamesRuleWithoutSuggestions,
		rules.ScalarLeafsRule.Name:         rules.ScalarLeafsRuleWithoutSuggestions,
		rules.ValuesOfCorrectTypeRule.Name: rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	} {
		r.RemoveRule(from)
		r.AddRule(to.Name, to.RuleFunc)
	}
	r.AddRule("IntsOf32Bits", intsOf32Bits)
	return r
}

func (d *documents) get(text string) (*ast.QueryDocument, gqlerror.List) {
	if doc, ok := d.cache.Get(text); ok {
		return doc, nil
	}
	parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxTokens)
	if err != nil {
		return nil, parseError(err)
	}
	if len(parsed.Operations) == 0 {
		return nil, gqlerror.List{requestError(codeSyntax, "The document has no operation.")}
	}
	if err := measure(parsed); err != nil {
		return nil, gqlerror.List{err}
	}
	if errs := d.validate(parsed); len(errs) > 0 {
		return nil, errs
	}
	if len(text) <= maxCachedDocument {
		d.cache.Put(strings.Clone(text), parsed, int64(max(len(text), maxCachedText/maxCachedDocuments)))
	}
	return parsed, nil
}

func (d *documents) validate(doc *ast.QueryDocument) gqlerror.List {
	errs := validator.ValidateWithRules(d.schema, doc, d.rules)
	for _, op := range doc.Operations {
		if len(errs) > 0 {
			break
		}
		if err := mergeable(op); err != nil {
			errs = append(errs, err)
		}
	}
	errs = errs[:min(len(errs), maxErrors)]
	for _, err := range errs {
		err.Message, err.Extensions = shorten(err.Message), map[string]any{"code": codeInvalid}
	}
	return errs
}

func parseError(err error) gqlerror.List {
	g, ok := errors.AsType[*gqlerror.Error](err)
	if !ok {
		return gqlerror.List{requestError(codeSyntax, "The document is not GraphQL.")}
	}
	code := codeSyntax
	if strings.HasPrefix(g.Message, "exceeded token limit") { // the parser has no error type for it
		code = codeTooLarge
	}
	g.Message, g.Extensions = shorten(g.Message), map[string]any{"code": code}
	return gqlerror.List{g}
}

// Bounds of the cache. A document takes about thirty times the memory of its text.
const (
	maxCachedDocuments = 500
	maxCachedDocument  = 16 << 10
	maxCachedText      = 512 << 10
)
