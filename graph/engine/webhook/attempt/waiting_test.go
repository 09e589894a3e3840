package attempt_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// hangs is the argument that makes this program a receiver which never answers. Its memory is then
// not counted as the sender's.
const hangs = "hangs"

// hang serves until standard input ends. It writes its address, and a line for each request.
func hang(scheme string) {
	var mu sync.Mutex
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		fmt.Println("request")
		mu.Unlock()
		<-r.Context().Done()
	}))
	if scheme == "https" {
		s.StartTLS()
	} else {
		s.Start()
	}
	fmt.Println(s.URL)
	bufio.NewReader(os.Stdin).ReadByte()
	os.Exit(0)
}

// hanging starts such a receiver and returns its address, and a function that waits for requests.
func hanging(tb testing.TB, scheme string) (address string, await func(requests int)) {
	tb.Helper()
	cmd := exec.Command(os.Args[0], hangs, scheme)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	lines.Scan()
	return strings.TrimSpace(lines.Text()), func(requests int) {
		for range requests {
			if !lines.Scan() {
				tb.Fatal("the receiver has ended")
			}
		}
	}
}

// held returns the memory that this process has from the system by the runtime's account, which
// does not wait for the kernel, without its free part.
func held() uint64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased - (m.HeapIdle - m.HeapReleased)
}

// waiting returns how many bytes each of many attempts holds while it waits for an answer, with a
// body of 1,000 bytes.
func waiting(tb testing.TB, scheme string, many int) int {
	tb.Helper()
	address, await := hanging(tb, scheme)
	pool := x509.NewCertPool()
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS() // has the same certificate
	pool.AddCert(server.Certificate())
	server.Close()
	c := attempt.New(attempt.Config{Egress: egress.Policy{AllowLoopback: true}, RootCAs: pool, MaxConns: many})
	defer c.Close()
	target, err := attempt.NewTarget(address, secretA)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	var work sync.WaitGroup
	var failed atomic.Int64
	before := held()
	release := make(chan struct{}, 64) // connects at once
	for range many {
		release <- struct{}{}
		work.Go(func() {
			r := attempt.Request{Target: target, Body: []byte(strings.Repeat("x", 1000)), EventID: "evt_1"}
			if got := c.Do(ctx, r); got.Outcome != attempt.Cancelled {
				failed.Add(1)
			}
		})
		await(1)
		<-release
	}
	after := held()
	cancel()
	work.Wait()
	if failed.Load() > 0 {
		tb.Fatalf("%d of %d attempts did not wait", failed.Load(), many)
	}
	return (int(after) - int(before)) / many // other memory may have been freed
}

// Thousands of attempts may wait for an answer.
func TestWaitingMemory(t *testing.T) {
	// The race detector adds a half to the 8 KB that http takes without it.
	for scheme, most := range map[string]int{"http": 16 << 10, "https": 24 << 10} {
		if each := waiting(t, scheme, 150); each > most {
			t.Errorf("over %s a waiting attempt holds %d bytes, want at most %d", scheme, each, most)
		}
	}
}

// BenchmarkWaiting reports the memory of each of many waiting attempts.
func BenchmarkWaiting(b *testing.B) {
	for _, scheme := range []string{"http", "https"} {
		b.Run(scheme, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(float64(waiting(b, scheme, 500)), "B/attempt")
			}
		})
	}
}
