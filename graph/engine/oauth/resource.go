package oauth

import (
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
)

// resource returns the path of a resource that a client names (RFC 8707, section 2), and reports
// whether this server has it. The issuer itself, whose path is empty, means all of them.
func (s *Server) resource(named string) (path string, ok bool) {
	path, ok = strings.CutPrefix(named, s.Issuer)
	path = strings.TrimSuffix(path, "/")
	return path, ok && (path == "" || slices.Contains(s.Resources, path))
}

func errTarget() *Error {
	return refuse(InvalidTarget, "The resource is not one of this server, or not the one that was consented to.")
}

// target validates the resource of a token request. A grant for all resources is bound by the first
// request that names one: path is then not nil.
func (s *Server) target(g *db.Grant, named string) (path *string, err error) {
	if named == "" {
		return nil, nil
	}
	found, ok := s.resource(named)
	switch {
	case !ok || g.Resource != nil && *g.Resource != found:
		return nil, errTarget()
	case g.Resource == nil && found != "":
		return &found, nil
	}
	return nil, nil
}
