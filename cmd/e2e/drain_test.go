package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wire is a connection for raw requests.
type wire struct {
	net.Conn
	in *bufio.Reader
}

// dial opens a connection whose reads and writes time out after patience.
func dial(t *testing.T, address string) *wire {
	t.Helper()
	d := net.Dialer{Timeout: patience}
	c, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &wire{c, bufio.NewReader(c)}
}

func (w *wire) write(t *testing.T, text string) {
	t.Helper()
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// read reads the head of an answer; its body is open.
func (w *wire) read(t *testing.T) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(w.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// underWay sends a write without its body, and returns once the server waits for that.
func underWay(t *testing.T, p *program, key, body string) *wire {
	t.Helper()
	w := dial(t, p.API)
	w.write(t, fmt.Sprintf("POST %s/products HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nIdempotency-Key: under-way\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", base,
		key, len(body)))
	if res := w.read(t); res.StatusCode != http.StatusContinue {
		t.Fatalf("the server does not wait for the body: %s", res.Status)
	}
	return w
}

// After SIGTERM the running request finishes, new ones are refused, the admin port says so at once,
// and the exit code is 0.
func TestDrain(t *testing.T) {
	s := settings{Data: demoData(t), Args: []string{"--demo"}}
	p := start(t, s)
	key := p.demo(t).Stores[0].Keys["products.write"]
	body := draft("Slow", "SLOW")
	running := underWay(t, p, key, body)
	p.cmd.Process.Signal(syscall.SIGTERM)

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p.awaitStatus(ctx, t, p.Admin+"/readyz", http.StatusServiceUnavailable)
	p.awaitStatus(ctx, t, p.Admin+"/healthz", http.StatusOK)
	p.awaitRefusal(ctx, t)

	running.write(t, body)
	if res := running.read(t); res.StatusCode != http.StatusCreated {
		t.Errorf("the running request got %s, want 201", res.Status)
	}
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	p = start(t, s)
	var list struct{ Data []struct{ Title string } }
	p.send(t, request{As: key, Path: base + "/products?sku=SLOW"}).want(t, http.StatusOK, "").decode(t, &list)
	if len(list.Data) != 1 {
		t.Errorf("the running request left %d products, want 1", len(list.Data))
	}
}

// awaitRefusal waits until the public address refuses connections.
func (p *program) awaitRefusal(ctx context.Context, t *testing.T) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(p.API, "http://"))
		if err != nil && ctx.Err() == nil {
			return
		}
		if err == nil {
			c.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("new connections are still taken")
		}
	}
}

// A request whose body never comes cannot keep the program from ending: the second signal kills.
func TestSecondSignal(t *testing.T) {
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo"}})
	underWay(t, p, p.demo(t).Stores[0].Keys["products.write"], draft("Never", "NEVER"))
	p.cmd.Process.Signal(syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p.awaitStatus(ctx, t, p.Admin+"/readyz", http.StatusServiceUnavailable)
	began := time.Now()
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.wait(t)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the second signal took %v", took)
	}
}
