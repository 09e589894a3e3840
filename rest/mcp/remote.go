package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Remote is the API of another server.
type Remote struct {
	Base   string // {base_url}
	Key    string // an API key
	Agent  string // User-Agent
	Client *http.Client
}

// Do implements [API]. Its errors never contain the key.
func (r *Remote) Do(ctx context.Context, asked *Request) (status int, answer []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, asked.Method, r.Base+asked.Target, bytes.NewReader(asked.Body))
	if err != nil {
		return 0, nil, fmt.Errorf("make request: %w", err)
	}
	asked.Header(request.Header)
	request.Header.Set("Authorization", "Bearer "+r.Key)
	request.Header.Set("User-Agent", r.Agent)
	response, err := r.Client.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1))
	switch {
	case err != nil:
		return 0, nil, fmt.Errorf("the answer broke off: %w", err)
	case len(answer) > MaxAnswer:
		return 0, nil, ErrTooLarge
	case len(answer) > 0 && !strings.Contains(response.Header.Get("Content-Type"), "json"):
		return 0, nil, fmt.Errorf("the server at %s is not the API: status %d", r.Base, response.StatusCode)
	}
	return response.StatusCode, answer, nil
}

// Header sets the headers of the request other than its credential.
func (r *Request) Header(h http.Header) {
	h.Set("Accept", "application/json")
	if r.Key != "" {
		h.Set("Idempotency-Key", r.Key)
	}
	if r.Body != nil {
		h.Set("Content-Type", "application/json")
	}
}
