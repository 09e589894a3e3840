package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/storefront-go/storefront/rest/hook"
)

// tap is the receiver of webhooks listen: it prints deliveries.
type tap struct {
	options *webhooksListenCmd
	secrets []string

	mu  sync.Mutex
	out io.Writer
	err error // of printing
}

// sight is a delivery as printed. If it is not verified, anyone may have sent it.
type sight struct {
	ReceivedAt string          `json:"received_at"`
	Type       string          `json:"type"`
	EventID    string          `json:"event_id"`
	ResourceID string          `json:"resource_id"`
	Sequence   int64           `json:"sequence"`
	DeliveryID string          `json:"delivery_id"`
	Attempt    int             `json:"attempt"`
	Verified   bool            `json:"verified"`
	Problem    *string         `json:"problem"` // why it is not verified
	Status     *int            `json:"status"`  // of the answer; null if the sender did not wait for it
	Body       json.RawMessage `json:"body,omitempty"`
}

func (t *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	body, e, problem := t.receive(w, r, now)
	verified := problem == nil && len(t.secrets) > 0
	seen := sight{
		ReceivedAt: now.UTC().Format(time.RFC3339Nano),
		Type:       e.Type, EventID: e.ID, ResourceID: e.Resource.ID, Sequence: e.Sequence,
		DeliveryID: e.DeliveryID, Attempt: e.Attempt, Verified: verified,
	}
	switch {
	case problem != nil:
		seen.Problem = new(problem.Error())
	case !verified:
		seen.Problem = new("no secret was given")
	}
	if t.options.Body {
		seen.Body = rawJSON(body)
	}
	status := t.options.answer(problem, e.Attempt)
	select {
	case <-time.After(t.options.Delay):
		seen.Status = &status
	case <-r.Context().Done():
	}
	t.show(seen)
	w.WriteHeader(status)
}

// receive reads and verifies a delivery. It returns what it could read even if verification fails.
func (t *tap) receive(
	w http.ResponseWriter, r *http.Request, now time.Time,
) (body []byte, e hook.Event, problem error) {
	body, problem = hook.ReadBody(w, r)
	if problem != nil {
		return nil, e, problem
	}
	e, malformed := hook.Parse(r.Header, body)
	if len(t.secrets) > 0 {
		problem = hook.Verifier{Secrets: t.secrets}.Verify(r.Header, body, now)
	}
	if problem == nil {
		problem = malformed
	}
	return body, e, problem
}

// rawJSON returns a body as JSON, or as a JSON string if it is not JSON.
func rawJSON(body []byte) json.RawMessage {
	if json.Valid(body) {
		return body
	}
	text, err := json.Marshal(string(body))
	if err != nil {
		return nil // strings always marshal
	}
	return text
}

func (t *tap) announce(at string, made *endpoint) error {
	if t.options.JSON {
		first := struct {
			URL        string  `json:"url"`
			EndpointID *string `json:"endpoint_id"`
		}{URL: at}
		if made != nil {
			first.EndpointID = &made.ID
		}
		return json.NewEncoder(t.out).Encode(first)
	}
	text := "Listening on " + at
	switch {
	case made != nil:
		text += " for the endpoint " + printable(made.ID) + ", which is deleted on exit"
	case len(t.secrets) == 0:
		text += "; nothing is verified without --secret"
	}
	_, err := fmt.Fprintln(t.out, text+".")
	return err
}

// show prints a delivery; concurrent ones are not mixed.
func (t *tap) show(s sight) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = errors.Join(t.err, t.print(s))
}

func (t *tap) print(s sight) error {
	if t.options.JSON {
		e := json.NewEncoder(t.out)
		e.SetEscapeHTML(false)
		return e.Encode(s)
	}
	trust := "verified"
	if s.Problem != nil {
		trust = "NOT VERIFIED: " + *s.Problem
	}
	answered := "no response in time"
	if s.Status != nil {
		answered = fmt.Sprintf("answered %d", *s.Status)
	}
	text := fmt.Sprintf("%s  %s  %s  #%d  %s  attempt %d  %s  %s", s.ReceivedAt, cmp.Or(s.Type, "-"),
		cmp.Or(s.ResourceID, "-"), s.Sequence, cmp.Or(s.DeliveryID, "-"), s.Attempt, answered, trust)
	if _, err := fmt.Fprintln(t.out, printable(text)); err != nil || s.Body == nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, s.Body, "", "  "); err != nil {
		return fmt.Errorf("print body: %w", err)
	}
	for line := range strings.SplitSeq(indented.String(), "\n") {
		if _, err := fmt.Fprintln(t.out, "  "+printable(line)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tap) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// printable removes terminal control characters from a text that anyone may have sent.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
