// Package gather sends an answer in one system call.
//
// net/http buffers 4 KB of a connection: of a longer answer it writes the headers with
// the beginning of the body, and then the rest. On the connections of [Listener] the
// first is kept until the rest has come, and both go out together (writev(2)): one
// system call fewer, and the other side is woken once.
package gather

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// buffer is what net/http keeps of an answer before it writes, in bytes.
const buffer = 4 << 10

type key struct{}

// Context is a ConnContext of [http.Server]: handlers find their connection by [Conn].
func Context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, key{}, c)
}

// Conn returns the connection that a request came on, or nil where that is not known.
func Conn(ctx context.Context) net.Conn {
	c, _ := ctx.Value(key{}).(net.Conn)
	return c
}

// Listener returns l with connections for [Write]. They are of TCP, or left as they are.
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

// conn is a connection that keeps a write until the next where more is sure to come. One
// goroutine writes, as HTTP/1 has it.
type conn struct {
	*net.TCPConn
	more  bool          // the next write is the first of two
	first *[buffer]byte // that write, once it has come
	kept  int           // bytes of first
}

var firsts = sync.Pool{New: func() any { return new([buffer]byte) }}

// Write implements net.Conn. What it keeps goes out with the next write.
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

// both writes what is kept and b, and returns the bytes of b.
func (c *conn) both(b []byte) (int, error) {
	parts := net.Buffers{c.first[:c.kept], b}
	n, err := parts.WriteTo(c.TCPConn)
	n = max(0, n-int64(c.kept))
	firsts.Put(c.first)
	c.first = nil
	return int(n), err
}

// Write writes the body of an answer, whose headers are set, Content-Length among them.
// On a connection of [Listener] headers and body go out together.
func Write(w http.ResponseWriter, r *http.Request, body []byte) (int, error) {
	c, ok := r.Context().Value(key{}).(*conn)
	if !ok || len(body) <= buffer {
		return w.Write(body)
	}
	// The headers and this body do not fit the buffer, so one write comes now and one
	// now or when the handler has returned; or none, where an answer has no body.
	c.more = true
	n, err := w.Write(body)
	c.more = false
	return n, err
}
