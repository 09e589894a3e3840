// Package conformance tests a receiver of webhooks: it sends deliveries as the service does, and
// requests that a receiver must refuse.
//
// A test of a receiver in Go runs all checks against a server of its handler:
//
//	for r := range conformance.Run(t.Context(), conformance.Config{URL: server.URL, Secret: secret}) {
//		if r.Problem != "" {
//			t.Errorf("%s: %s", r.Name, r.Problem)
//		}
//	}
package conformance

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"
)

const (
	// Deadline is how long the sender waits for an answer.
	Deadline = 5 * time.Second
	// Total bounds all checks together.
	Total = 60 * time.Second
)

// Config says which receiver is tested. Its store should be one for tests: deliveries that it
// accepts look real.
type Config struct {
	URL    string
	Secret string // as shown, whsec_...
	// Former is the other secret that the receiver accepts during a rotation. Without it, the checks
	// about rotation are skipped.
	Former string
	// Timeout is how long to wait for an answer; default [Deadline].
	Timeout time.Duration
}

// Result is the outcome of a check. It passed if Problem and Skipped are empty.
type Result struct {
	Name string `json:"name"`
	// Rule says what a receiver must do, and why.
	Rule string `json:"rule"`
	// Problem says what the receiver did instead.
	Problem string `json:"problem,omitempty"`
	// Skipped says why the check did not run.
	Skipped string        `json:"skipped,omitempty"`
	Took    time.Duration `json:"took_ns"`
}

// check is one row of the list.
type check struct {
	name, rule string
	rotation   bool // needs the former secret
	run        func(*player) error
}

// Run runs all checks, one after the other, for at most [Total].
func Run(ctx context.Context, c Config) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		ctx, cancel := context.WithTimeout(ctx, Total)
		defer cancel()
		p := &player{ctx: ctx, Config: c}
		if p.Timeout <= 0 {
			p.Timeout = Deadline
		}
		// A redirect is an answer like any other that is not 200 to 299.
		p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for _, check := range checks() {
			if !yield(p.try(check)) {
				return
			}
		}
	}
}

func (p *player) try(c check) Result {
	r := Result{Name: c.name, Rule: c.rule}
	if c.rotation && p.Former == "" {
		r.Skipped = "no former secret was given"
		return r
	}
	began := time.Now()
	err := p.ctx.Err()
	if err == nil {
		err = c.run(p)
	}
	if r.Took = time.Since(began); err != nil {
		r.Problem = err.Error()
	}
	if p.ctx.Err() != nil {
		r.Problem = fmt.Sprintf("the checks did not end within %v", Total)
	}
	return r
}
