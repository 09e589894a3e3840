package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// process is a child process that is restarted whenever it ends, as by a supervisor.
type process struct {
	name   string
	binary string
	args   []string
	dir    string // the folder of its log
	ended  atomic.Int64

	mu     sync.Mutex
	cmd    *exec.Cmd
	killed bool
	api    string        // "" while it does not answer
	ready  chan struct{} // closed while it answers
	over   chan struct{} // closed when it is no longer restarted
}

// supervise keeps a process running until the context ends, then kills it.
func supervise(ctx context.Context, name, dir, binary string, args ...string) *process {
	p := &process{name: name, binary: binary, args: args, dir: dir,
		ready: make(chan struct{}), over: make(chan struct{})}
	go func() {
		defer close(p.over)
		for ctx.Err() == nil {
			if err := p.run(ctx); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			}
			pause(ctx, 200*time.Millisecond)
		}
	}()
	return p
}

func (p *process) run(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(p.dir, p.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, p.binary, p.args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir()}
	cmd.Stderr = log
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.mu.Lock()
	err = cmd.Start()
	p.cmd, p.killed = cmd, false
	p.mu.Unlock()
	if err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadBytes('\n')
	if err == nil {
		p.answers(line)
		_, err = io.Copy(io.Discard, lines)
	}
	wait := cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.api != "" {
		p.api, p.ready = "", make(chan struct{})
	}
	if !p.killed && ctx.Err() == nil {
		p.ended.Add(1)
		fmt.Fprintf(log, "the process ended by itself: %v %v\n", wait, err)
	}
	return nil
}

// answers parses the line that a process prints once it has started.
func (p *process) answers(line []byte) {
	var started struct {
		API   string `json:"api_host"`
		Admin string `json:"admin_url"`
	}
	if json.Unmarshal(line, &started) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.api = started.API
	if p.api == "" {
		p.api = started.Admin
	}
	close(p.ready)
}

func (p *process) address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.api
}

// signal sends a signal; after SIGKILL the process is restarted.
func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	p.killed = p.killed || s == syscall.SIGKILL
	if s == syscall.SIGKILL && p.api != "" {
		p.api, p.ready = "", make(chan struct{})
	}
	p.cmd.Process.Signal(s)
}

func (p *process) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	p.mu.Lock()
	ready := p.ready
	p.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		log, _ := os.ReadFile(filepath.Join(p.dir, p.name+".log"))
		return fmt.Errorf("%s does not answer: %w; its log ends with\n%s", p.name, ctx.Err(), log[max(0, len(log)-2000):])
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// errorsIn returns the errors in the logs of a folder, each once and without its time.
func errorsIn(dir string) (list []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return nil
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			_, message, ok := strings.Cut(strings.TrimSpace(line), "level=ERROR ")
			if !ok {
				continue
			}
			message = filepath.Base(name) + ": " + requestID.ReplaceAllString(message, "")
			if !slices.Contains(list, message) && len(list) < 100 {
				list = append(list, message)
			}
		}
	}
	return list
}

// requestID matches attributes in which equal errors differ.
var requestID = regexp.MustCompile(`(request_id|trace_id|span_id|took|stack)=(\"[^\"]*\"|\S+) ?`)
