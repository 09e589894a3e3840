package transport

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// single is a listener for one connection.
type single struct{ conns chan net.Conn }

func (l single) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l single) Close() error   { return nil }
func (l single) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// A body that stalls, is too slow or takes too long is cut off and its slot released. A body at a
// sufficient rate is accepted, and its processing has a separate time limit.
func TestUploadPace(t *testing.T) {
	const large = maxUpload - 1024
	for _, tc := range []struct {
		name              string
		first, each, size int // bytes at once, then per second, in total
		status            int
		ends              time.Duration
	}{
		{name: "fair", first: maxBody + 1, each: 4 * leastRate, size: large, status: 200, ends: 52 * time.Second},
		{name: "at once", first: large, size: large, status: 200},
		{name: "crawling", first: maxBody + 1, each: 10, size: large, status: 408, ends: uploadSlack},
		{name: "slow", first: maxBody + 1, each: leastRate / 2, size: large, status: 408,
			ends: 2*uploadSlack - time.Second},
		{name: "stopped", first: large - 1, size: large, status: 408, ends: uploadSlack},
		{name: "for too long", first: maxBody + 1, each: leastRate, size: large, status: 408, ends: uploadTime},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &handler{uploads: newSlots()}
				start, took := time.Now(), time.Duration(0)
				near, server := paired(func(w http.ResponseWriter, r *http.Request) {
					ctx := viewer.With(r.Context(),
						&viewer.Viewer{Store: xid.New(), Scopes: scope.Of(scope.ThemesWrite)})
					p, err := h.read(w, r.WithContext(ctx))
					p.upload.leave()
					took = time.Since(start)
					if err != nil {
						newResponse(w, r).fault(explained(err))
						return
					}
					time.Sleep(2 * uploadTime) // processing
					if r.Context().Err() != nil {
						w.WriteHeader(http.StatusInternalServerError)
					}
				})
				go func() {
					const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: " +
						"application/json\r\nContent-Length: %d\r\n\r\n"
					fmt.Fprintf(near, head, tc.size)
					body := paddedRequest(tc.size)
					for n := tc.first; len(body) > 0; n = tc.each {
						n = min(n, len(body))
						if _, err := near.Write(body[:n]); err != nil {
							return
						}
						body = body[n:]
						time.Sleep(time.Second)
					}
				}()
				res := graphtest.Must[*http.Response](t)(http.ReadResponse(bufio.NewReader(near), nil))
				io.Copy(io.Discard, res.Body)
				near.Close()
				server.Close()
				time.Sleep(2 * time.Second) // until both ends noticed
				if res.StatusCode != tc.status || took < tc.ends || took > tc.ends+2*time.Second {
					t.Errorf("%d after %s, want %d after %s", res.StatusCode, took, tc.status, tc.ends)
				}
				checkFree(t, h.uploads)
			})
		})
	}
}

// paired serves one connection in memory and returns the client's end.
func paired(h http.HandlerFunc) (near net.Conn, server *http.Server) {
	near, far := net.Pipe()
	l := single{make(chan net.Conn, 1)}
	l.conns <- far
	close(l.conns)
	server = &http.Server{ReadTimeout: 30 * time.Second, Handler: h}
	go server.Serve(l)
	return near, server
}

// paddedRequest returns a request of the size.
func paddedRequest(size int) []byte {
	const head, tail = `{"query":"{ __typename }","x":"`, `"}`
	body := make([]byte, 0, size)
	body = append(body, head...)
	for len(body) < size-len(tail) {
		body = append(body, 'x')
	}
	return append(body, tail...)
}
