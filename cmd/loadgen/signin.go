package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// signInCommand measures how long one person's sign-in takes while strangers guess at
// other accounts, each from a network of its own. The server is there already, with
// --trusted-proxies for this machine, so that X-Forwarded-For names the networks.
type signInCommand struct {
	URL      string        `help:"The server's {api_host}." default:"http://127.0.0.1:8080"`
	Email    string        `help:"Who signs in." required:""`
	Password string        `help:"Their password." required:""`
	Guesses  int           `help:"Guesses a second." default:"100"`
	Networks int           `help:"Networks that they come from." default:"5000"`
	For      time.Duration `help:"How long." default:"20s"`
}

// Run implements the command: once for a browser that is known, once for one that is not.
func (c *signInCommand) Run(ctx context.Context) error {
	for _, known := range []bool{true, false} {
		if err := c.measure(ctx, known); err != nil {
			return err
		}
	}
	return nil
}

func (c *signInCommand) measure(ctx context.Context, known bool) error {
	ctx, cancel := context.WithTimeout(ctx, c.For)
	defer cancel()
	g := &guessers{statuses: map[int]int{}}
	var wg sync.WaitGroup
	wg.Go(func() { g.run(ctx, c) })
	took, refused, err := c.signIns(ctx, known)
	cancel()
	wg.Wait()
	if err != nil {
		return err
	}
	if len(took) == 0 {
		return errors.New("nobody was signed in")
	}
	slices.Sort(took)
	at := func(q int) time.Duration { return took[min(len(took)*q/100, len(took)-1)].Round(time.Millisecond) }
	fmt.Fprintf(os.Stdout, "known browser %v: %d sign-ins, %d refused, p50 %v, p99 %v, most %v; guesses by status %v\n",
		known, len(took), refused, at(50), at(99), took[len(took)-1].Round(time.Millisecond), g.statuses)
	return nil
}

// signIns signs in again and again, and measures those that were let in.
func (c *signInCommand) signIns(ctx context.Context, known bool) (took []time.Duration, refused int, err error) {
	cookie := ""
	for {
		began := time.Now()
		status, device, err := c.post(ctx, c.Email, c.Password, "203.0.113.1", cookie)
		switch {
		case err != nil:
			return took, refused, inTime(ctx, err)
		case status == http.StatusSeeOther:
			took = append(took, time.Since(began))
		case status == http.StatusServiceUnavailable:
			refused++
		default:
			return nil, 0, fmt.Errorf("sign-in: status %d", status)
		}
		if known {
			cookie = cmp.Or(device, cookie)
		}
		if !pause(ctx, 50*time.Millisecond) {
			break
		}
	}
	return took, refused, nil
}

// inTime is an error, unless the time was over.
func inTime(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // that is how a request ends when the time is over
	}
	return err
}

// post sends the form of the sign-in page, and returns the status and the cookie of the
// browser.
func (c *signInCommand) post(ctx context.Context, email, password, network, cookie string) (
	status int, device string, err error,
) {
	form := url.Values{"email": {email}, "password": {password}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("X-Forwarded-For", network)
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	for _, set := range res.Cookies() {
		if strings.HasSuffix(set.Name, "device") {
			device = set.Name + "=" + set.Value
		}
	}
	return res.StatusCode, device, res.Body.Close()
}

// guessers send wrong passwords at a steady rate, whatever becomes of them.
type guessers struct {
	mu       sync.Mutex
	statuses map[int]int
}

func (g *guessers) run(ctx context.Context, c *signInCommand) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for i := 0; pause(ctx, time.Second/time.Duration(c.Guesses)); i++ {
		wg.Go(func() {
			n := i % c.Networks
			status, _, err := c.post(ctx, fmt.Sprintf("person-%d@example.com", i), "wrong",
				fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255), "")
			g.mu.Lock()
			defer g.mu.Unlock()
			if err == nil {
				g.statuses[status]++
			}
		})
	}
}

// pause waits, and reports whether there is more to do.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
