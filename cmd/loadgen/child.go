package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
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
	// database is the process of the database's server; zero for none.
	database int
}

// build makes the server's binary as a release is made, and returns its size.
func build(ctx context.Context, path string) (int64, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path,
		"github.com/storefront-go/storefront/cmd/storefront")
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the server: %w\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ready makes the server's binary in a folder, unless one is named.
func ready(ctx context.Context, binary *string, dir string) error {
	if *binary != "" {
		return nil
	}
	*binary = filepath.Join(dir, "storefront")
	_, err := build(ctx, *binary)
	return err
}

// children starts servers on the same data with the same root secret.
type children struct {
	dir    string
	binary string
	secret string
	data   *dataset
}

func newChildren(dir, binary string, d *dataset) *children {
	return &children{dir, binary, rand.Text() + rand.Text(), d}
}

// server starts the service, with its rate limits off, and with further flags.
func (c *children) server(ctx context.Context, flags ...string) (*child, error) {
	addr, admin := free(), free()
	if addr == "" || admin == "" {
		return nil, errors.New("no free port on 127.0.0.1")
	}
	data := filepath.Join(c.dir, "server-"+c.data.engine)
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	p, err := c.start("server", c.binary, append([]string{"serve", "--database", c.data.address, "--data", data,
		"--addr", addr, "--admin-addr", admin, "--rate-limit", "0"}, flags...)...)
	if err != nil {
		return nil, err
	}
	p.addr, p.admin = addr, admin
	return p, p.await(ctx, c.data)
}

// start runs a program with an environment that holds the root secret and
// nothing that could change its settings, except those of Go's collector.
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

// free returns an address on which nobody listens.
func free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return ""
	}
	defer l.Close()
	return l.Addr().String()
}

// await waits for the first good answer.
func (p *child) await(ctx context.Context, d *dataset) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request := get(root+"/orders?limit=20", d.corpus.Shops[0].Key)
	last := errors.New("no answer yet")
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if c, err := dial(ctx, p.addr); err == nil {
			status, body, err := c.do(request)
			c.Close()
			if err == nil && status == 200 {
				return nil
			}
			last = fmt.Errorf("status %d: %.300s", status, body)
		}
		select {
		case <-tick.C:
		case <-p.ended:
			log, _ := os.ReadFile(p.log)
			return fmt.Errorf("the %s ended: %s", p.name, log[max(0, len(log)-1000):])
		case <-ctx.Done():
			p.stop()
			return fmt.Errorf("the %s does not serve: %w", p.name, last)
		}
	}
}

func (p *child) pid() int { return p.cmd.Process.Pid }

// stop ends the process and waits for it.
func (p *child) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		p.cmd.Process.Kill()
		<-p.ended
	}
}
