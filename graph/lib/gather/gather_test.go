package gather_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/gather"
)

// serve returns a server that answers GET /n with n bytes, with [gather.Write].
func serve(t *testing.T, listen func(net.Listener) net.Listener, observe func(*http.Request)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		observe(r)
		n, _ := strconv.Atoi(r.URL.Path[1:])
		w.Header().Set("Content-Length", strconv.Itoa(n))
		if r.URL.Query().Has("unchanged") {
			w.WriteHeader(http.StatusNotModified)
		}
		gather.Write(w, r, body(n))
	}))
	s.Listener = listen(s.Listener)
	s.Config.ConnContext = gather.Context
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// body returns n bytes without repetitions.
func body(n int) []byte {
	b := make([]byte, 0, n+8)
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "%d ", i)
	}
	return b[:n]
}

// Whatever the size and the method, every response arrives complete on one connection, and so does
// the next one.
func TestWrite(t *testing.T) {
	for name, listen := range map[string]func(net.Listener) net.Listener{
		"TCP":   gather.Listener,
		"other": func(l net.Listener) net.Listener { return gather.Listener(opaque{l}) },
		"none":  func(l net.Listener) net.Listener { return l },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, listen, func(*http.Request) {})
			c, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			from := bufio.NewReader(c)
			for _, n := range []int{0, 1, 3000, 3900, 4000, 4096, 4097, 5000, 8000, 8192, 8193, 40000, 300_000, 10} {
				for _, method := range []string{http.MethodGet, http.MethodHead, "unchanged"} {
					target := "/" + strconv.Itoa(n)
					if method == "unchanged" {
						method, target = http.MethodGet, target+"?unchanged"
					}
					fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\n\r\n", method, target)
					a, err := http.ReadResponse(from, &http.Request{Method: method})
					if err != nil {
						t.Fatalf("%s %s: %v", method, target, err)
					}
					got, err := io.ReadAll(a.Body)
					want := body(n)
					if method == http.MethodHead || a.StatusCode == http.StatusNotModified {
						want = nil
					}
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%s %s: %d bytes, %v", method, target, len(got), err)
					}
				}
			}
		})
	}
}

// opaque is a listener whose connections do not show that they are TCP.
type opaque struct{ net.Listener }

func (l opaque) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return struct{ net.Conn }{c}, err
}
