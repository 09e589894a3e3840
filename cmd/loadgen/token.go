package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline"
	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// tokenConns is how many clients ask for tokens at a time.
const tokenConns = 16

// perSecond bounds how many codes a side can redeem in a second. Each one is a
// transaction with a durable commit, which costs over half a millisecond of CPU in
// client, server and database together: two CPUs do less than a third of this.
// Where there are more, a stock that runs out ends the run with an error, not with
// a wrong figure.
const perSecond = 12_000

// stock are the codes that one side redeems, each once.
type stock struct {
	app *corpus.App

	mu    sync.Mutex
	codes []apikey.Secret
}

// fill brings the stock to what a turn of the length can need; what the last turn
// left is still good.
func (s *stock) fill(ctx context.Context, turn time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	missing := int(perSecond*turn.Seconds()) + tokenConns - len(s.codes)
	if missing <= 0 {
		return nil
	}
	more, err := s.app.Codes(ctx, missing)
	s.codes = append(s.codes, more...) // the oldest is redeemed first
	return err
}

// next redeems a code; nil says that there is none.
func (s *stock) next(b []byte, _, _ int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.codes) == 0 {
		return nil
	}
	code := s.codes[0]
	s.codes = s.codes[1:]
	return form(b, "grant_type=authorization_code&code="+code.Reveal()+"&client_id="+s.app.ClientID+
		"&redirect_uri="+url.QueryEscape(corpus.Callback)+"&code_verifier="+corpus.Verifier)
}

// chains are the refresh tokens of one side: every connection follows one grant,
// whose answers bring the next token, so they last as long as the grant.
type chains struct {
	app    *corpus.App
	tokens [tokenConns]string // each is its connection's own
}

// fill makes the grants at the first time.
func (c *chains) fill(ctx context.Context, _ time.Duration) error {
	if c.tokens[0] != "" {
		return nil
	}
	list, err := c.app.Tokens(ctx, tokenConns)
	for i, token := range list {
		c.tokens[i] = token.Reveal()
	}
	return err
}

// next presents the connection's token.
func (c *chains) next(b []byte, conn, _ int) []byte {
	return form(b, "grant_type=refresh_token&refresh_token="+c.tokens[conn]+"&client_id="+c.app.ClientID)
}

// took finds the next token in an answer.
func (c *chains) took(conn int, body []byte) error {
	_, rest, _ := bytes.Cut(body, []byte(`"refresh_token":"`))
	token, _, found := bytes.Cut(rest, []byte(`"`))
	if !found {
		return fmt.Errorf("an answer without a refresh token: %.300s", body)
	}
	c.tokens[conn] = string(token)
	return nil
}

// tokenFigures are those of the token endpoint.
func tokenFigures(app *corpus.App, base, server *child) []figure {
	const bound = 0.7
	exchange := func(name string, at *child) side {
		s := &stock{app: app}
		return side{name: name, at: at, next: s.next, status: 200, fill: s.fill}
	}
	refresh := func(name string, at *child) side {
		c := &chains{app: app}
		return side{name: name, at: at, next: c.next, status: 200, fill: c.fill, took: c.took}
	}
	const raw = "raw, the same statements"
	return []figure{
		{name: "code exchange, 16 connections", kind: throughput, conns: tokenConns, bound: bound,
			sides: []side{exchange(raw, base), exchange("server", server)}},
		{name: "refresh, 16 connections", kind: throughput, conns: tokenConns, bound: bound,
			sides: []side{refresh(raw, base), refresh("server", server)}},
	}
}

// tokens measures the token endpoint with a server of its own, whose memory shows
// what this load takes.
func (c *figuresCommand) tokens(ctx context.Context, r *report, all *children, base *child) (err error) {
	server, err := all.server(ctx)
	if err != nil {
		return err
	}
	defer server.stop()
	s, err := ent.Open(ctx, ent.Config{Database: all.data.address})
	if err != nil {
		return err
	}
	defer s.Close()
	app, err := corpus.Register(ctx, s, all.data.corpus)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.Remove(context.WithoutCancel(ctx))) }()
	list := tokenFigures(app, base, server)
	if err := alike(ctx, list); err != nil {
		return err
	}
	m := meter{rounds: c.Rounds, duration: c.Duration}
	if err := c.each(ctx, r, m, all.data.engine, list[:1]); err != nil {
		return err
	}
	most, err := peak(server.pid())
	if err != nil {
		return err
	}
	r.facts = append(r.facts, fact{
		"memory under code exchange, most, " + all.data.engine, fmt.Sprintf("%.1f MB", float64(most)/1e6), "",
	})
	return c.each(ctx, r, m, all.data.engine, list[1:])
}

// secrets are what differs in two answers of the token endpoint.
var secrets = regexp.MustCompile(`sf[ar]_[0-9A-Za-z]{38}`)

// alike checks that the sides of every figure answer with the same bytes but for
// the secrets.
func alike(ctx context.Context, list []figure) error {
	for _, f := range list {
		var first []byte
		for _, s := range f.sides {
			if err := s.fill(ctx, 0); err != nil {
				return err
			}
			body, err := ask(ctx, s.at, s.next(nil, 0, 0))
			if err != nil {
				return err
			}
			if s.took != nil {
				if err := s.took(0, body); err != nil {
					return err
				}
			}
			body = secrets.ReplaceAll(body, []byte("secret"))
			if first == nil {
				first = body
			}
			if !bytes.Equal(first, body) {
				return fmt.Errorf("%s: the sides answer differently:\n%s\n%s", f.name, first, body)
			}
		}
	}
	return nil
}

// form appends a POST request to the token endpoint.
func form(b []byte, body string) []byte {
	return fmt.Appendf(b, "POST %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", baseline.Exchange,
		len(body), body)
}
