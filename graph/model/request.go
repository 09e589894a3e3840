package model

import (
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// StatusClass is a class of answers.
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

// MarshalStatusClass is for the executor.
func MarshalStatusClass(v StatusClass) graphql.Marshaler { return enum(v) }

// UnmarshalStatusClass is for the executor.
func UnmarshalStatusClass(v any) (StatusClass, error) { return unmarshal[StatusClass](v) }

// LoggedRequest is a request of the REST API with who asked.
type LoggedRequest struct {
	*db.RequestLog
	Key *APIKey     // nil for an app
	App *AppSummary // nil for a key
}

// CreatedAt is when the request came.
func (r *LoggedRequest) CreatedAt() micros.Time { return r.ID.Time() }

// Path is the path that was asked for.
func (r *LoggedRequest) Path() string {
	if r.Resource == nil {
		return r.Route
	}
	return strings.Replace(r.Route, "{id}", *r.Resource, 1)
}

// PublicCallerID is the other store in which the store's own app asked.
func (r *LoggedRequest) PublicCallerID() *string {
	if r.CallerStoreID == nil {
		return nil
	}
	return new(xid.Store.Format(*r.CallerStoreID))
}
