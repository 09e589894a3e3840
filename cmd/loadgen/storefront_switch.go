package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"time"
)

const (
	// switchBound is how long another process may show the theme before.
	switchBound = 2 * time.Second
	// switchPatience is how long is waited for it.
	switchPatience = 15 * time.Second
	// glance is how often a visitor looks meanwhile.
	glance = 50 * time.Millisecond
)

// switches measures how long after an activation through one process another one
// on the same database shows the other theme. A visitor looks at it all the while,
// so what it has in memory is the theme before. In the end the theme is active
// that was at first.
func (s *shopper) switches(ctx context.Context, r *report, all *children, rounds int) error {
	beside := *all
	beside.dir = filepath.Join(all.dir, "second") // of its log; it shares the data
	second, err := beside.server(ctx, "--no-dispatch", "--store-domain", shopDomain,
		"--data", filepath.Join(all.dir, "server-"+all.data.engine))
	if err != nil {
		return err
	}
	defer second.stop()
	conn, err := dial(ctx, second.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	v := visitor{conn, visit(s.host, "/")}
	var took []time.Duration
	for range 2 * rounds { // there and back
		d, err := s.change(ctx, v)
		if err != nil {
			return fmt.Errorf("activation: %w", err)
		}
		took = append(took, d)
	}
	r.facts = append(r.facts, switchFacts(all.data.engine, took)...)
	return nil
}

func switchFacts(engine string, took []time.Duration) []fact {
	slices.Sort(took)
	name, last := "activation until another process shows it, "+engine+", ", took[len(took)-1]
	return []fact{
		{name + "median", fmt.Sprintf("%.2f s", took[len(took)/2].Seconds()), ""},
		{fmt.Sprintf("%slongest of %d", name, len(took)), fmt.Sprintf("%.2f s", last.Seconds()),
			within(last, switchBound, "2 s")},
	}
}

// change activates the other theme and returns the time from its request to the
// first page with it that the visitor of another process got.
func (s *shopper) change(ctx context.Context, v visitor) (time.Duration, error) {
	before, err := s.active.stylesheet()
	if err != nil {
		return 0, err
	}
	after, err := s.other.stylesheet()
	if err != nil {
		return 0, err
	}
	// The process asks its database once a second: activations come at any moment
	// in between.
	for end := time.Now().Add(time.Second + rand.N(time.Second)); time.Now().Before(end); time.Sleep(glance) {
		if shown, err := v.sees(before); err != nil || !shown {
			return 0, errors.Join(errors.New("the page is not that of the theme before"), err)
		}
	}
	start := time.Now()
	if err := s.server.api(ctx, s.key, http.MethodPost, "/themes/"+s.other.ID+"/activate", "{}",
		&struct{}{}); err != nil {
		return 0, err
	}
	for {
		shown, err := v.sees(after)
		took := time.Since(start)
		switch {
		case err != nil:
			return 0, err
		case shown:
			s.active, s.other = s.other, s.active
			return took, nil
		case took > switchPatience || ctx.Err() != nil:
			return 0, errors.Join(errors.New("another process still shows the theme before"), ctx.Err())
		}
		time.Sleep(glance)
	}
}

// visitor looks at one page again and again.
type visitor struct {
	conn    *conn
	request []byte
}

// sees reports whether the page names a stylesheet.
func (v visitor) sees(stylesheet string) (bool, error) {
	status, body, err := v.conn.do(v.request)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s answered %d: %.300s", line(v.request), status, body)
	}
	return bytes.Contains(body, []byte(stylesheet)), err
}
