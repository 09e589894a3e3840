// Package gather sends a response in one system call.
//
// net/http buffers 4 KB per connection: it writes the headers of a longer response with the
// beginning of the body, and then the rest. Connections of [Listener] hold the first write until
// the rest arrives and send both together (writev(2)). That saves a system call, and the client is
// woken once.
package gather

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// buffer is the size of net/http's write buffer, in bytes.
const buffer = 4 << 10

type key struct{}

// Context is a ConnContext of [http.Server]. It makes the connection available to [Conn].
func Context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, key{}, c)
}

// Conn returns the connection of a request, or nil if it is unknown.
func Conn(ctx context.Context) net.Conn {
	c, _ := ctx.Value(key{}).(net.Conn)
	return c
}

// Listener returns l with TCP connections that support [Write]. Other connections are unchanged.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp}, err
	}
	return c, err
}

// conn is a connection that holds a write until the next one if another is sure to follow. As in
// HTTP/1, one goroutine writes.
type conn struct {
	*net.TCPConn
	more  bool          // the next write is the first of two
	first *[buffer]byte // that write, once it has been made
	kept  int           // bytes in first
}

var firsts = sync.Pool{New: func() any { return new([buffer]byte) }}

// Write implements net.Conn. The next write sends what it holds back.
func (c *conn) Write(b []byte) (int, error) {
	if c.first != nil {
		return c.both(b)
	}
	if c.more && len(b) <= buffer {
		c.more = false
		c.first = firsts.Get().(*[buffer]byte)
		c.kept = copy(c.first[:], b)
		return len(b), nil
	}
	return c.TCPConn.Write(b)
}

// both writes the held bytes and b, and returns how many bytes of b were written.
func (c *conn) both(b []byte) (int, error) {
	parts := net.Buffers{c.first[:c.kept], b}
	n, err := parts.WriteTo(c.TCPConn)
	n = max(0, n-int64(c.kept))
	firsts.Put(c.first)
	c.first = nil
	return int(n), err
}

// Write writes the body of a response whose headers are set, including Content-Length. On a
// connection of [Listener], headers and body are sent together.
func Write(w http.ResponseWriter, r *http.Request, body []byte) (int, error) {
	c, ok := r.Context().Value(key{}).(*conn)
	if !ok || len(body) <= buffer {
		return w.Write(body)
	}
	// Headers and body exceed the buffer, so net/http makes one write now, and one now or when the
	// handler returns; or none, if the response has no body.
	c.more = true
	n, err := w.Write(body)
	c.more = false
	return n, err
}
