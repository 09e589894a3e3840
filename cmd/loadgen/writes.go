package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// apiFlags say whom to load.
type apiFlags struct {
	URL    string `required:"" placeholder:"URL" help:"Base of the API, such as http://127.0.0.1:8080/api/public/v1."`
	Key    string `required:"" env:"STOREFRONT_API_KEY" help:"API key with products.write."`
	Ledger string `required:"" type:"path" help:"File that says what was sent and what was acknowledged."`
	Conns  int    `default:"16" help:"Requests at a time."`
}

// writesCommand makes products and writes the ledger.
type writesCommand struct {
	apiFlags
	Duration time.Duration `default:"10s" help:"How long to write."`
}

// Run writes until the time is over or the server is gone. A server that is
// killed meanwhile is the purpose of the command, so it is no error.
func (c *writesCommand) Run(ctx context.Context) error {
	l, err := createLedger(c.Ledger)
	if err != nil {
		return err
	}
	defer l.close()
	ctx, cancel := context.WithTimeout(ctx, c.Duration)
	defer cancel()
	api := newAPI(c.apiFlags)
	var wg sync.WaitGroup
	var sent, acknowledged, refused, lost atomic.Int64
	for range c.Conns {
		wg.Go(func() {
			for ctx.Err() == nil {
				key := rand.Text()
				if err := l.write(entry{Key: key}); err != nil {
					cancel()
					return
				}
				sent.Add(1)
				// An answer on its way is waited for: cutting it off would only
				// leave one more key without a word.
				a, err := api.create(context.WithoutCancel(ctx), key)
				switch {
				case err != nil:
					lost.Add(1)
					return
				case a.status != http.StatusCreated:
					refused.Add(1)
					continue
				}
				acknowledged.Add(1)
				if err := l.write(entry{Key: key, Status: a.status, Sum: a.sum()}); err != nil {
					cancel()
					return
				}
			}
		})
	}
	wg.Wait()
	fmt.Printf("sent %d, acknowledged %d, refused %d, without an answer %d\n",
		sent.Load(), acknowledged.Load(), refused.Load(), lost.Load())
	return l.close()
}

// api speaks to the service.
type api struct {
	apiFlags
	client http.Client
}

func newAPI(f apiFlags) *api {
	t := &http.Transport{MaxIdleConnsPerHost: f.Conns, MaxConnsPerHost: f.Conns}
	return &api{f, http.Client{Transport: t, Timeout: patience}}
}

// answer is the answer of the service.
type answer struct {
	status   int
	body     []byte
	replayed bool
}

func (a *answer) sum() string {
	s := sha256.Sum256(a.body)
	return hex.EncodeToString(s[:])
}

// create makes the product of a key.
func (a *api) create(ctx context.Context, key string) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL+"/products", bytes.NewReader(product(key)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	return a.do(r)
}

func (a *api) do(r *http.Request) (*answer, error) {
	r.Header.Set("Authorization", "Bearer "+a.Key)
	r.Header.Set("Accept", "application/json")
	w, err := a.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		return nil, err
	}
	return &answer{w.StatusCode, body, w.Header.Get("Idempotent-Replayed") == "true"}, nil
}
