package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// Headers of every request or every write.
const (
	headerAuthorization  = "Authorization"
	headerAccept         = "Accept"
	headerIdempotencyKey = "Idempotency-Key"
)

// Client calls the API with one credential. It is safe for concurrent use.
//
// The embedded methods, such as CreateProductWithResponse, send one request each; [Err] turns their
// refusals into errors.
type Client struct {
	*ClientWithResponses
}

// New creates a client of the API at baseURL (which ends in /api/public/v1) with an API key or an
// OAuth access token. [WithHTTPClient] sets what sends the requests. It fails if baseURL is not an
// http address or the credential is empty.
func New(baseURL, apiKey string, opts ...ClientOption) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("base url: %w", err)
	}
	if (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("base url %q: want http(s)://host/path", baseURL)
	}
	if apiKey == "" {
		return nil, errors.New("the credential is empty")
	}
	// A copy, so that append never writes into the caller's array.
	all := append([]ClientOption{WithRequestEditorFn(prepare(apiKey))}, opts...)
	c, err := NewClientWithResponses(baseURL, all...)
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// prepare adds the credential, the media type and, to a write without one, an idempotency key.
//
// It runs once per call, so the copies of the request that the transport resends after a lost
// connection carry the same key; net/http resends requests with this header by itself.
func prepare(apiKey string) RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set(headerAuthorization, "Bearer "+apiKey)
		if r.Header.Get(headerAccept) == "" {
			r.Header.Set(headerAccept, "application/json")
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get(headerIdempotencyKey) == "" {
			r.Header.Set(headerIdempotencyKey, rand.Text())
		}
		return nil
	}
}

// Error implements error with the stable code and the text for people.
func (p *Problem) Error() string {
	return fmt.Sprintf("%s (%d, %s): %s", p.Code, p.Status, p.RequestID, p.Detail)
}

// Answer is implemented by every generated response.
type Answer interface {
	StatusCode() int
	GetApplicationProblemJSONDefault() *Problem
}

// Err returns nil for a success or a 304. Otherwise it returns the [*Problem], or an error with
// only the status if something between the client and the service answered.
func Err(a Answer) error {
	status := a.StatusCode()
	if status/100 == 2 || status == http.StatusNotModified {
		return nil
	}
	// A gateway's own JSON has no code.
	if p := a.GetApplicationProblemJSONDefault(); p != nil && p.Code != "" {
		return p
	}
	return fmt.Errorf("the answer is %d %s", status, http.StatusText(status))
}
