package transport

import (
	"bufio"
	"errors"
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

// single hands out one connection.
type single struct{ conns chan net.Conn }

func (l single) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l single) Close() error   { return nil }
func (l single) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// A body that stops, crawls or takes too long is ended, and its slot is free again;
// one at a fair rate is not, and the work on it has its own time.
func TestUploadPace(t *testing.T) {
	const large = maxUpload - 1024
	for _, tc := range []struct {
		name              string
		first, each, size int // bytes at once, then each second, of how many
		status            int
		ends              time.Duration
	}{
		{"fair", DefaultBody + 1, 4 * leastRate, large, 200, 52 * time.Second},
		{"at once", large, 0, large, 200, 0},
		{"crawling", DefaultBody + 1, 10, large, 408, uploadSlack},
		{"slow", DefaultBody + 1, leastRate / 2, large, 408, 2*uploadSlack - time.Second},
		{"stopped", large - 1, 0, large, 408, uploadSlack},
		{"for too long", DefaultBody + 1, 2 * leastRate, large, 408, uploadTime},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				status, took := pacedUpload(t, tc.first, tc.each, tc.size)
				if status != tc.status || took < tc.ends || took > tc.ends+2*time.Second {
					t.Errorf("%d after %s, want %d after %s", status, took, tc.status, tc.ends)
				}
			})
		})
	}
}

// pacedUpload sends a body as fast as it is told, and returns the status and when
// the body was whole or given up.
func pacedUpload(t *testing.T, first, each, size int) (status int, took time.Duration) {
	h := &handler{Config: Config{MaxBody: DefaultBody}, uploads: newSlots()}
	start := time.Now()
	server := &http.Server{ReadTimeout: 30 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := viewer.With(r.Context(), &viewer.Viewer{Store: xid.New(), Scopes: scope.Of(scope.ThemesWrite)})
		p, err := h.read(w, r.WithContext(ctx))
		p.upload.leave()
		took = time.Since(start)
		if err != nil {
			newResponse(w, r).fault(explained(err))
			return
		}
		time.Sleep(2 * uploadTime)
		if r.Context().Err() != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})}
	near, far := net.Pipe()
	l := single{make(chan net.Conn, 1)}
	l.conns <- far
	go server.Serve(l)
	go func() {
		fmt.Fprintf(near, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)
		body := paddedRequest(size)
		for n := first; len(body) > 0; n = each {
			n = min(n, len(body))
			if _, err := near.Write(body[:n]); err != nil {
				return
			}
			body = body[n:]
			time.Sleep(time.Second)
		}
	}()
	res := graphtest.Must[*http.Response](t)(http.ReadResponse(bufio.NewReader(near), nil))
	if _, err := io.Copy(io.Discard, res.Body); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	near.Close()
	close(l.conns)
	time.Sleep(2 * time.Second) // until both ends have seen it
	checkFree(t, h.uploads)
	return res.StatusCode, took
}

// paddedRequest is a request of the size.
func paddedRequest(size int) []byte {
	const head, tail = `{"query":"{ __typename }","x":"`, `"}`
	body := make([]byte, 0, size)
	body = append(body, head...)
	for len(body) < size-len(tail) {
		body = append(body, 'x')
	}
	return append(body, tail...)
}
