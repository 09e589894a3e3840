package oauth

import (
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
)

// The error codes of RFC 6749, sections 4.1.2.1 and 5.2.
const (
	InvalidRequest          = "invalid_request"
	InvalidClient           = "invalid_client"
	InvalidGrant            = "invalid_grant"
	InvalidScope            = "invalid_scope"
	InvalidTarget           = "invalid_target" // RFC 8707, section 2
	AccessDenied            = "access_denied"
	UnauthorizedClient      = "unauthorized_client"
	UnsupportedGrantType    = "unsupported_grant_type"
	UnsupportedResponseType = "unsupported_response_type"
	ServerError             = "server_error"
	TemporarilyUnavailable  = "temporarily_unavailable"
	// The error codes of RFC 7591, section 3.2.2.
	InvalidRedirectURI = "invalid_redirect_uri"
	InvalidMetadata    = "invalid_client_metadata"
)

// Error is an error response of RFC 6749. Description is plain ASCII without quotes or backslashes,
// as section 5.2 requires.
type Error struct {
	Code        string
	Description string
	// RetryAfter is set if the client may try again.
	RetryAfter time.Duration
	// Err is the cause, for the log only.
	Err error

	request *Request // whose redirect URI may carry the error; nil: none
}

// Error implements error; the text is for logs.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Description, e.Err)
	}
	return e.Code + ": " + e.Description
}

// Unwrap returns the hidden cause.
func (e *Error) Unwrap() error { return e.Err }

// Back returns the name of the app and the redirect URI with an error of the authorization
// endpoint; false if the URI is not known to be the client's (RFC 6749, section 4.1.2.1). The
// person decides whether to go there (RFC 9700, section 4.11.2), because anyone can register an app
// and send people to an invalid request.
func (e *Error) Back() (app, address string, ok bool) {
	if e.request == nil {
		return "", "", false
	}
	return e.request.App.Name, e.request.answer("error", e.Code, "error_description", e.Description), true
}

func refuse(code, description string) *Error { return &Error{Code: code, Description: description} }

func failed(doing string, err error) *Error {
	if ent.IsUnavailable(err) {
		return &Error{Code: TemporarilyUnavailable, Description: "The service is temporarily unavailable.",
			RetryAfter: time.Second, Err: fmt.Errorf("%s: %w", doing, err)}
	}
	return &Error{Code: ServerError, Description: "Internal server error.", Err: fmt.Errorf("%s: %w", doing, err)}
}
