package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// registration is the temporary endpoint of webhooks listen.
type registration struct {
	Events []string `placeholder:"TYPE" help:"Register an endpoint for these events, such as order.paid, and delete it at the end."`
	Key    string   `env:"STOREFRONT_API_KEY" placeholder:"SFK" help:"An API key with webhooks.write and the read scope of each event, for --events."`
	API    string   `env:"STOREFRONT_API_HOST" default:"http://127.0.0.1:8080" help:"The API's host, for --events."`
	URL    string   `placeholder:"URL" help:"The address to register if it differs from --addr, such as that of a tunnel."`
}

type endpoint struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

func (r registration) check() error {
	if len(r.Events) == 0 {
		return nil
	}
	if r.Key == "" {
		return errors.New("--events: want --key too")
	}
	if u, err := url.Parse(r.API); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("--api: want http:// or https:// and a host")
	}
	return nil
}

func (r registration) register(ctx context.Context, at string) (*endpoint, error) {
	if r.URL != "" {
		at = r.URL
	}
	body, err := json.Marshal(map[string]any{
		"url": at, "events": r.Events, "description": "storefront webhooks listen",
	})
	if err != nil {
		return nil, fmt.Errorf("register endpoint: %w", err)
	}
	answer, err := r.call(ctx, http.MethodPost, "/webhooks", body, http.StatusCreated)
	if err != nil {
		return nil, fmt.Errorf("register endpoint: %w", err)
	}
	var made endpoint
	if err := json.Unmarshal(answer, &made); err != nil || made.ID == "" || made.Secret == "" {
		return nil, errors.New("register endpoint: the response has no id and secret")
	}
	return &made, nil
}

// remove deletes the endpoint; a missing one is no error.
func (r registration) remove(ctx context.Context, id string) error {
	_, err := r.call(ctx, http.MethodDelete, "/webhooks/"+url.PathEscape(id), nil, http.StatusNoContent,
		http.StatusNotFound)
	if err != nil {
		return fmt.Errorf("delete endpoint %s: %w", printable(id), err)
	}
	return nil
}

// apiClient follows no redirects, so that a credential goes only to the given host.
var apiClient = &http.Client{
	Timeout:       15 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// call sends one request with the key and returns up to 1 MiB of the answer. The signal that ends
// ctx does not cancel the call, so that its outcome is known and can be undone.
func (r registration) call(ctx context.Context, method, path string, body []byte, want ...int) ([]byte, error) {
	req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), method, strings.TrimRight(r.API, "/")+
		"/api/public/v1"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+r.Key)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Idempotency-Key", rand.Text())
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := apiClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	if slices.Contains(want, res.StatusCode) {
		return answer, nil
	}
	return nil, refusal(res.StatusCode, answer)
}

// refusal returns the problem of an answer (RFC 9457) as an error.
func refusal(status int, answer []byte) error {
	var problem struct {
		Detail string `json:"detail"`
		Errors []struct {
			Pointer string `json:"pointer"`
			Detail  string `json:"detail"`
		} `json:"errors"`
	}
	parts := []string{fmt.Sprintf("the API answered %d", status)}
	if json.Unmarshal(answer, &problem) == nil && problem.Detail != "" {
		parts = append(parts, problem.Detail)
		for _, e := range problem.Errors {
			parts = append(parts, strings.TrimPrefix(e.Pointer, "#/")+": "+e.Detail)
		}
	}
	return errors.New(printable(strings.Join(parts, ": ")))
}
