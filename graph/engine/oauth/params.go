package oauth

import (
	"net/url"
	"slices"

	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Params are a request's parameters. An empty one counts as absent (RFC 6749, section 3.1).
type Params struct {
	values map[string]string
	// repeated are the names that were given more than once, which makes the request invalid. The
	// first value of each is kept, for checks that must not depend on this.
	repeated []string
}

// ParseForm parses a query or a form body.
func ParseForm(raw string) (Params, error) {
	form, err := url.ParseQuery(raw)
	if err != nil {
		return Params{}, refuse(InvalidRequest, "The parameters are not form encoded.")
	}
	p := Params{values: make(map[string]string, len(form))}
	for name, values := range form {
		if len(values) > 1 {
			p.repeated = append(p.repeated, name)
		}
		p.values[name] = values[0]
	}
	slices.Sort(p.repeated)
	return p, nil
}

// ParseJSON parses a JSON body (spec, section 5): an object whose known members are strings, as
// strict as every JSON body of the service.
func ParseJSON(body []byte) (Params, error) {
	v, err := wire.Parse(body)
	if err != nil || v.Kind() != wire.ObjectKind {
		return Params{}, refuse(InvalidRequest, "The body is not a JSON object with each member once.")
	}
	p := Params{values: map[string]string{}}
	for _, name := range known {
		switch m, ok := v.Get(name); {
		case !ok || m.Kind() == wire.NullKind:
		case m.Kind() != wire.StringKind:
			return Params{}, refuse(InvalidRequest, "The member "+name+" is not a string.")
		default:
			p.values[name] = m.Text()
		}
	}
	return p, nil
}

var known = []string{"grant_type", "code", "redirect_uri", "client_id", "client_secret", "code_verifier",
	"refresh_token", "scope", "resource", "token", "token_type_hint"}

// Get returns a parameter, or "".
func (p Params) Get(name string) string { return p.values[name] }

// checkRepeated refuses parameters that were given more than once (RFC 6749, section 3.1).
func (p Params) checkRepeated() *Error {
	if len(p.repeated) == 0 {
		return nil
	}
	return refuse(InvalidRequest, "A parameter is given more than once.")
}

func (p Params) isRepeated(name string) bool { return slices.Contains(p.repeated, name) }
