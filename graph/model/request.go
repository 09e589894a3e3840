package model

import (
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// StatusClass is a class of HTTP statuses.
type StatusClass string

// The values of [StatusClass].
const (
	StatusSuccess     StatusClass = "success" // 2xx and 3xx
	StatusClientError StatusClass = "client_error"
	StatusServerError StatusClass = "server_error"
)

// Known reports whether v is a value of the enumeration.
func (v StatusClass) Known() bool {
	return slices.Contains([]StatusClass{StatusSuccess, StatusClientError, StatusServerError}, v)
}

// MarshalStatusClass is called by the executor.
func MarshalStatusClass(v StatusClass) graphql.Marshaler { return enum(v) }

// UnmarshalStatusClass is called by the executor.
func UnmarshalStatusClass(v any) (StatusClass, error) { return unmarshal[StatusClass](v) }

// LoggedRequest is a request to the REST API with its caller.
type LoggedRequest struct {
	*db.RequestLog
	Key *APIKey     // nil for an app
	App *AppSummary // nil for a key
}

// CreatedAt returns the time of the request.
func (r *LoggedRequest) CreatedAt() micros.Time { return r.ID.Time() }

// Path returns the requested path.
func (r *LoggedRequest) Path() string {
	if r.Resource == nil {
		return r.Route
	}
	return strings.Replace(r.Route, "{id}", *r.Resource, 1)
}

// PublicCallerID returns the other store in which the store's own app made the request, or nil.
func (r *LoggedRequest) PublicCallerID() *string {
	if r.CallerStoreID == nil {
		return nil
	}
	return new(xid.Store.Format(*r.CallerStoreID))
}
