package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/demo"
)

// patience is how long the tests wait for anything: far more than needed, so that a slow machine is
// no failure.
const patience = 60 * time.Second

// settings start the program.
type settings struct {
	Data string
	Args []string // of serve, beside the addresses and the data folder
	Env  []string
	// Files limits the number of open files; 0 keeps the default.
	Files int
	// Binary is the program if it is not that of this tree.
	Binary string
}

// program is a running child.
type program struct {
	cmd   *exec.Cmd
	data  string
	began time.Time
	out   *transcript // standard output
	log   *transcript // standard error
	ended chan struct{}

	API, Admin string // scheme, host and port
}

// environment is the environment of child processes: nothing that could change their settings, and
// GORACE for the race detector.
func environment(more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir(),
		"GORACE=" + os.Getenv("GORACE")}, more...)
}

// start runs serve on free ports and returns when it is ready. The end of the
// test kills it.
func start(t *testing.T, s settings) *program {
	t.Helper()
	p := launch(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p.API = p.out.await(ctx, t, p, apiLine)
	p.Admin = p.out.await(ctx, t, p, adminLine)
	p.awaitStatus(ctx, t, p.Admin+"/readyz", http.StatusOK)
	return p
}

var (
	apiLine   = regexp.MustCompile(`(?m)^\s*API\s+(https?://[^/\s]+)\S*$`)
	adminLine = regexp.MustCompile(`(?m)^\s*Admin\s+(https?://[^/\s]+)\S*$`)
)

// launch runs serve without waiting for it.
func launch(t *testing.T, s settings) *program {
	t.Helper()
	return spawn(t, s, append([]string{"serve", "--addr", "127.0.0.1:0", "--admin-addr",
		"127.0.0.1:0", "--data", s.Data}, s.Args...)...)
}

// spawn runs the program without waiting for it; of the settings only the folder, the environment,
// the files and the binary count.
func spawn(t *testing.T, s settings, args ...string) *program {
	t.Helper()
	path := s.Binary
	if path == "" {
		path = binary(t)
	}
	cmd := exec.Command(path, args...)
	if s.Files > 0 {
		limited := fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, s.Files)
		cmd = exec.Command("sh", append([]string{"-c", limited}, cmd.Args...)...)
	}
	p := &program{cmd: cmd, data: s.Data, began: time.Now(),
		out: newTranscript(), log: newTranscript(), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Env = p.out, p.log, environment(s.Env...)
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start the program: %v", err)
	}
	go func() { p.cmd.Wait(); close(p.ended) }()
	t.Cleanup(func() {
		p.kill()
		if races := p.log.String(); strings.Contains(races, "DATA RACE") {
			t.Errorf("the program has a race:\n%s", races)
		}
		if t.Failed() {
			t.Logf("the program's log ends with:\n%s", tail(p.log.String(), 1500))
		}
	})
	return p
}

// kill kills the program.
func (p *program) kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

// stop ends the program with SIGTERM, as an operator does, and returns its exit code.
func (p *program) stop(t *testing.T) int {
	t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	return p.wait(t)
}

// wait returns the exit code of a program that ends by itself.
func (p *program) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatalf("the program does not end; its log:\n%s", tail(p.log.String(), 4000))
	}
	return p.cmd.ProcessState.ExitCode()
}

// demo reads demo.json.
func (p *program) demo(t *testing.T) *demo.File {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.data, demo.FileName))
	if err != nil {
		t.Fatal(err)
	}
	f := &demo.File{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(f); err != nil {
		t.Fatalf("demo.json: %v", err)
	}
	return f
}

// command runs another command of the program on the same data, which has to succeed.
func command(t *testing.T, args ...string) string {
	t.Helper()
	code, out, log := try(t, args...)
	if code != 0 {
		t.Fatalf("storefront %s ended with %d:\n%s%s", strings.Join(args, " "), code, out, log)
	}
	return out
}

// try runs a command and returns its exit code and what it wrote.
func try(t *testing.T, args ...string) (code int, out, log string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, binary(t), args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &stdout, &stderr, environment()
	cmd.Dir = scratch
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("run the program: %v", err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// awaitStatus requests an address until it answers with the status.
func (p *program) awaitStatus(ctx context.Context, t *testing.T, address string, status int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	last := "no answer"
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := free.Do(r); err == nil {
			res.Body.Close()
			if res.StatusCode == status {
				return
			}
			last = res.Status
		}
		select {
		case <-tick.C:
		case <-p.ended:
			t.Fatalf("the program ended; its log:\n%s", tail(p.log.String(), 4000))
		case <-ctx.Done():
			t.Fatalf("%s answers %s, want %d", address, last, status)
		}
	}
}

// transcript records what a child writes, and wakes those that wait for a line.
type transcript struct {
	mu   sync.Mutex
	text []byte
	more chan struct{}
}

func newTranscript() *transcript { return &transcript{more: make(chan struct{})} }

// Write implements io.Writer.
func (s *transcript) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, b...)
	close(s.more)
	s.more = make(chan struct{})
	return len(b), nil
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}

// await waits for a line and returns its first group.
func (s *transcript) await(ctx context.Context, t *testing.T, p *program, line *regexp.Regexp) string {
	t.Helper()
	for {
		s.mu.Lock()
		found, more := line.FindSubmatch(s.text), s.more
		s.mu.Unlock()
		if found != nil {
			return string(found[1])
		}
		select {
		case <-more:
		case <-p.ended:
			t.Fatalf("the program ended with %d:\n%s", p.cmd.ProcessState.ExitCode(), tail(p.log.String(), 4000))
		case <-ctx.Done():
			t.Fatalf("the program never wrote %s:\n%s%s", line, s, tail(p.log.String(), 4000))
		}
	}
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
