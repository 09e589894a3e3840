package transport

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/cost"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// parameters are the request parameters of the GraphQL-over-HTTP specification, section 5.
type parameters struct {
	query     string
	operation string
	variables map[string]any
	body      wire.Body
	// upload is the slot of a large body; nil for other bodies.
	upload *slot
}

type operation struct {
	doc       *ast.QueryDocument
	op        *ast.OperationDefinition
	text      string
	variables map[string]any
	cost      int
	body      wire.Body
	judged    *theme.Judged  // the archive of an import, or nil
	uploaded  *images.Upload // the image or file of an upload, or nil
}

func (h *handler) read(w http.ResponseWriter, r *http.Request) (parameters, error) {
	if r.Method == http.MethodGet {
		return queryParameters(r.URL.Query())
	}
	most := bodyLimit(r.Context())
	if r.ContentLength > most {
		return parameters{}, tooBig(most)
	}
	if !isJSON(r.Header.Get("Content-Type")) {
		return parameters{}, fault.New(wire.UnsupportedMediaType, "Send the request as application/json in UTF-8.")
	}
	body, upload, err := h.body(w, r, most)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		err = tooBig(most)
	}
	if err != nil {
		return parameters{upload: upload}, err
	}
	p, err := parse(body, upload != nil)
	p.upload = upload
	return p, err
}

// parse parses a body. Large bodies may contain only few values.
func parse(body []byte, upload bool) (parameters, error) {
	if upload && values(body) > maxUploadValues {
		return parameters{}, tooBig(maxBody)
	}
	if len(body) == 0 { // a Body would accept it as {}
		_, err := wire.Parse(body)
		return parameters{}, err
	}
	parsed := wire.NewBody(body)
	v, err := parsed.Value()
	if err != nil {
		return parameters{}, err
	}
	p, err := bodyParameters(v)
	p.body = parsed
	if err == nil && len(p.query) > maxBody {
		err = fault.Newf(fault.PayloadTooLarge,
			"The document is larger than %d bytes. Send files as variables.", maxBody)
	}
	return p, err
}

func tooBig(limit int64) error {
	return fault.Newf(fault.PayloadTooLarge, "The body is larger than %d bytes.", limit)
}

func isJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// bodyParameters reads the members of a request. It ignores members that the specification does not
// define, because clients add their own.
func bodyParameters(v wire.Value) (p parameters, err error) {
	if v.Kind() == wire.ArrayKind {
		return p, fault.New(fault.MalformedBody, "Batched requests are not supported.")
	}
	if v.Kind() != wire.ObjectKind {
		return p, fault.New(fault.MalformedBody, "A request must be a JSON object.")
	}
	for name, m := range v.Members() {
		want := wire.NullKind
		switch name {
		case "query":
			want, p.query = wire.StringKind, m.Text()
		case "operationName":
			want, p.operation = wire.StringKind, m.Text()
		case "variables":
			want, p.variables = wire.ObjectKind, members(m)
		case "extensions":
			want = wire.ObjectKind
		}
		if k := m.Kind(); want != wire.NullKind && k != want && k != wire.NullKind {
			return p, fault.New(fault.MalformedBody, "The member "+name+" has the wrong type.")
		}
	}
	return p, needsQuery(p)
}

func queryParameters(q url.Values) (p parameters, err error) {
	for name, values := range q {
		if len(values) > 1 {
			return p, fault.New(fault.InvalidParameter, "The parameter "+strconv.Quote(name)+" is repeated.")
		}
	}
	p.query, p.operation = q.Get("query"), q.Get("operationName")
	for _, name := range []string{"variables", "extensions"} {
		if q.Get(name) == "" {
			continue
		}
		v, err := wire.Parse([]byte(q.Get(name)))
		if err != nil || v.Kind() != wire.ObjectKind && v.Kind() != wire.NullKind {
			return p, fault.New(fault.InvalidParameter, "The parameter "+name+" is not a JSON object.")
		}
		if name == "variables" {
			p.variables = members(v)
		}
	}
	return p, needsQuery(p)
}

func needsQuery(p parameters) error {
	if p.query == "" {
		return fault.New(fault.InvalidRequest, "The member query is required.")
	}
	return nil
}

func members(v wire.Value) map[string]any {
	m := make(map[string]any, v.Len())
	for name, e := range v.Members() {
		m[name] = variable(e)
	}
	return m
}

// variable converts a JSON value into the form that the validation of variables expects. Whole
// numbers of up to 53 bits count by their value, 1.0 as 1; any other number becomes a float, which
// no integer type accepts.
func variable(v wire.Value) any {
	switch v.Kind() {
	case wire.BoolKind:
		return v.Bool()
	case wire.NumberKind:
		if n, code := v.Int(); code == "" {
			return n
		}
		f, _ := strconv.ParseFloat(v.Text(), 64) // valid by its grammar; infinite beyond the range
		return f
	case wire.StringKind:
		return v.Text()
	case wire.ArrayKind:
		list := make([]any, 0, v.Len())
		for _, e := range v.Elements() {
			list = append(list, variable(e))
		}
		return list
	case wire.ObjectKind:
		return members(v)
	}
	return nil
}

// prepare finds the operation of a request and validates it. With errors the operation is nil or
// has only its cost.
func (h *handler) prepare(p parameters) (*operation, gqlerror.List) {
	doc, errs := h.documents.get(p.query)
	if len(errs) > 0 {
		return nil, errs
	}
	op := doc.Operations.ForName(p.operation)
	if op == nil {
		return nil, gqlerror.List{requestError(codeOperation,
			"The document has no operation of this name; with several, name one.")}
	}
	variables, err := validator.VariableValues(h.documents.schema, op, p.variables)
	if err != nil {
		return nil, gqlerror.List{presentVariables(err)}
	}
	if name := notInt(op, variables); name != "" {
		return nil, gqlerror.List{requestError(codeVariables, "The variable $"+name+" does not fit: "+anInt)}
	}
	if !conditionsHold(op.SelectionSet, variables) {
		return nil, gqlerror.List{requestError(codeVariables, "The condition of a @skip or @include is null.")}
	}
	o := &operation{doc: doc, op: op, text: p.query, variables: variables, body: p.body,
		cost: cost.Of(op, variables)}
	if o.cost > maxCost {
		return o, gqlerror.List{requestError(codeTooCostly, "The operation costs "+strconv.Itoa(o.cost)+
			" points, more than "+strconv.Itoa(maxCost)+". Ask for shorter lists or fewer fields.")}
	}
	return o, nil
}

// conditionsHold reports whether the condition of every @skip and @include is not null. A nullable
// variable with a default is allowed there, and the executor panics if it is null.
func conditionsHold(set ast.SelectionSet, variables map[string]any) bool {
	for _, s := range set {
		var on ast.DirectiveList
		var below ast.SelectionSet
		switch s := s.(type) {
		case *ast.Field:
			on, below = s.Directives, s.SelectionSet
		case *ast.InlineFragment:
			on, below = s.Directives, s.SelectionSet
		case *ast.FragmentSpread:
			on, below = s.Directives, s.Definition.SelectionSet
		}
		for _, d := range on {
			if v, err := d.Arguments.ForName("if").Value.Value(variables); err != nil || v == nil {
				return false
			}
		}
		if !conditionsHold(below, variables) {
			return false
		}
	}
	return true
}

func presentVariables(err error) *gqlerror.Error {
	if g, ok := errors.AsType[*gqlerror.Error](err); ok {
		g.Message, g.Extensions = shorten(g.Message), map[string]any{"code": codeVariables}
		return g
	}
	return requestError(codeVariables, "The variables do not fit the operation.")
}
