package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// look is how often the load client looks how far a run is.
const look = 20 * time.Millisecond

// sink starts this program as a receiver.
func (c *children) sink(ctx context.Context, name string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	addr := free()
	p, err := c.start(name, self, "sink", "--addr", addr)
	if err != nil {
		return nil, err
	}
	p.addr = addr
	if err := p.until(ctx, func() (bool, error) { _, err := p.answered(ctx); return err == nil, nil }); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// dispatcher starts a process that delivers, to receivers on this machine. It
// works from its first moment.
func (c *children) dispatcher(name string) (*child, error) {
	admin, data := free(), filepath.Join(c.dir, name+"-"+c.data.engine)
	if admin == "" {
		return nil, errors.New("no free port on 127.0.0.1")
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	p, err := c.start(name, c.binary, "dispatch", "--database", c.data.address, "--data", data, "--admin-addr", admin,
		"--allow-loopback-webhooks")
	if err != nil {
		return nil, err
	}
	p.admin = admin
	return p, nil
}

// answered is how many deliveries a sink has answered.
func (p *child) answered(ctx context.Context) (int, error) {
	b, err := fetch(ctx, "http://"+p.addr+countPath)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(b))
}

// receipts are those of a sink.
func (p *child) receipts(ctx context.Context) (list []receipt, err error) {
	b, err := fetch(ctx, "http://"+p.addr+reportPath)
	if err != nil {
		return nil, err
	}
	return list, json.Unmarshal(b, &list)
}

// figure reads one of the process's metrics, without labels.
func (p *child) figure(ctx context.Context, name string) (float64, error) {
	b, err := fetch(ctx, "http://"+p.admin+"/metrics")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(b) {
		if value, ok := bytes.CutPrefix(line, []byte(name+" ")); ok {
			return strconv.ParseFloat(string(bytes.TrimSpace(value)), 64)
		}
	}
	return 0, fmt.Errorf("the %s has no metric %s", p.name, name)
}

// statements is how many the process has sent to its database.
func (p *child) statements(ctx context.Context) (float64, error) {
	return p.figure(ctx, "storefront_db_statements_total")
}

// fetch reads what an address of a child answers.
func fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer w.Body.Close()
	b, err := io.ReadAll(w.Body)
	if err == nil && w.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %.200s", address, w.Status, b)
	}
	return b, err
}

// until looks now and then whether something is so. The end of the process is an
// error, and so are two minutes without success.
func (p *child) until(ctx context.Context, so func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		done, err := so()
		if done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-p.ended:
			log, _ := os.ReadFile(p.log)
			return fmt.Errorf("the %s ended: %s", p.name, log[max(0, len(log)-1000):])
		case <-ctx.Done():
			log, _ := os.ReadFile(p.log)
			return fmt.Errorf("waiting for the %s: %w; its log ends with: %s", p.name, ctx.Err(),
				log[max(0, len(log)-1000):])
		}
	}
}
