package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// child is a process under measurement.
type child struct {
	name  string
	addr  string // host:port
	admin string
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
	// database is the process of the database server; zero for none.
	database int
}

// build builds the server as a release does.
func build(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path,
		"github.com/storefront-go/storefront/cmd/storefront")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return nil
}

// children starts processes on the same data with the same root secret.
type children struct {
	dir    string
	binary string
	secret string
	data   *dataset
}

func newChildren(dir, binary string, d *dataset) *children {
	return &children{dir, binary, rand.Text() + rand.Text(), d}
}

// server starts the service without rate limits and waits for its first answer.
func (c *children) server(ctx context.Context, flags ...string) (*child, error) {
	addr := free()
	p, err := c.program("server", append([]string{"serve", "--addr", addr, "--rate-limit", "0"}, flags...)...)
	if err != nil {
		return nil, err
	}
	p.addr = addr
	request := get(root+"/orders?limit=20", c.data.corpus.Shops[0].Key)
	return p, p.until(ctx, time.Millisecond, func() (bool, error) {
		_, err := ask(ctx, p, request)
		return err == nil, nil
	})
}

// dispatcher starts a process that delivers to receivers on this machine.
func (c *children) dispatcher() (*child, error) {
	return c.program("dispatcher", "dispatch", "--allow-loopback-webhooks")
}

func (c *children) program(name string, args ...string) (*child, error) {
	admin, data := free(), filepath.Join(c.dir, name+"-"+c.data.engine)
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	args = append(args, "--database", c.data.address, "--data", data, "--admin-addr", admin)
	p, err := c.start(name, c.binary, args...)
	if err != nil {
		return nil, err
	}
	p.admin = admin
	return p, nil
}

// start starts a program. Its environment has the root secret and nothing that could change its
// settings, except those of Go's garbage collector.
func (c *children) start(name, program string, args ...string) (*child, error) {
	p := &child{name: name, cmd: exec.Command(program, args...), ended: make(chan struct{}),
		database: c.data.pid, log: filepath.Join(c.dir, name+"-"+c.data.engine+".log")}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = []string{"STOREFRONT_SECRET_KEY=" + c.secret}
	for _, name := range []string{"HOME", "PATH", "GOGC", "GOMEMLIMIT"} {
		if v, ok := os.LookupEnv(name); ok {
			p.cmd.Env = append(p.cmd.Env, name+"="+v)
		}
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the %s: %w", name, err)
	}
	go func() { p.cmd.Wait(); close(p.ended) }()
	return p, nil
}

// free returns an unused address, or "" if there is none.
func free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return ""
	}
	defer l.Close()
	return l.Addr().String()
}

// until polls ready until it is true. It fails when the process ends, and after two minutes.
func (p *child) until(ctx context.Context, every time.Duration, ready func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		done, err := ready()
		if done || err != nil {
			return err
		}
		select {
		case <-tick.C:
			continue
		case <-p.ended:
			err = errors.New("it has ended")
		case <-ctx.Done():
			err = ctx.Err()
			p.stop()
		}
		log, _ := os.ReadFile(p.log)
		return fmt.Errorf("wait for the %s: %w; its log ends with: %s", p.name, err, log[max(0, len(log)-1000):])
	}
}

func (p *child) pid() int { return p.cmd.Process.Pid }

func (p *child) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		p.cmd.Process.Kill()
		<-p.ended
	}
}

// statements returns how many statements the process has sent to its database.
func (p *child) statements(ctx context.Context) (float64, error) {
	const name = "storefront_db_statements_total "
	b, err := fetch(ctx, http.MethodGet, "http://"+p.admin+"/metrics", "", "")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(b) {
		if value, ok := bytes.CutPrefix(line, []byte(name)); ok {
			return strconv.ParseFloat(string(bytes.TrimSpace(value)), 64)
		}
	}
	return 0, fmt.Errorf("the %s has no metric %s", p.name, name)
}

func fetch(ctx context.Context, method, address, key, body string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", rand.Text())
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer w.Body.Close()
	b, err := io.ReadAll(w.Body)
	if err == nil && w.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s answers %s: %.300s", address, w.Status, b)
	}
	return b, err
}

func ask(ctx context.Context, c *child, request []byte) ([]byte, error) {
	conn, err := dial(ctx, c.addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.send(request, http.StatusOK)
}

// used returns the CPU time that the process and its database have used.
func (p *child) used() (own, database time.Duration, err error) {
	if own, err = cpu(p.pid()); err == nil {
		database, err = cpu(p.database)
	}
	return own, database, err
}
