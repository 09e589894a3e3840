package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/storefront-go/storefront/rest/hook/conformance"
)

type webhooksTestCmd struct {
	URL    string `arg:"" help:"The address of the receiver. Give it a database for tests: it gets deliveries that look real."`
	Secret string `env:"STOREFRONT_WEBHOOK_SECRET" required:"" placeholder:"WHSEC" help:"The secret that the receiver knows, whsec_..."`
	Former string `placeholder:"WHSEC" help:"The other secret that the receiver accepts during a rotation."`
	JSON   bool   `name:"json" help:"Print one line of JSON for each check."`
}

func (c *webhooksTestCmd) Run(s *session) error {
	if at, err := url.Parse(c.URL); err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return &usageError{errors.New("want the http or https address of a receiver")}
	}
	began := time.Now()
	var passed, failed, skipped int
	for r := range conformance.Run(s.ctx, conformance.Config{URL: c.URL, Secret: c.Secret, Former: c.Former}) {
		switch {
		case r.Problem != "":
			failed++
		case r.Skipped != "":
			skipped++
		default:
			passed++
		}
		if err := c.print(s, r); err != nil {
			return err
		}
	}
	if !c.JSON {
		_, err := fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped in %v.\n", passed, failed, skipped,
			time.Since(began).Round(time.Millisecond))
		if err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("the receiver failed %d checks", failed)
	}
	return nil
}

func (c *webhooksTestCmd) print(s *session, r conformance.Result) error {
	var err error
	switch {
	case c.JSON:
		err = json.NewEncoder(s.out).Encode(r)
	case r.Problem != "":
		_, err = fmt.Fprintf(s.out, "FAIL  %s: %s.\n      %s\n", r.Name, r.Problem, r.Rule)
	case r.Skipped != "":
		_, err = fmt.Fprintf(s.out, "skip  %s: %s.\n", r.Name, r.Skipped)
	default:
		_, err = fmt.Fprintf(s.out, "ok    %s (%v)\n", r.Name, r.Took.Round(100*time.Microsecond))
	}
	return err
}
