package rest

import (
	"context"
	"crypto/tls"
	"io"
	"io/fs"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// stallTimeout is how long the client may read nothing before it is disconnected. A download as
	// a whole may take any time.
	stallTimeout = 60 * time.Second
	// deliveryChunk is how many bytes the client has to read in that time.
	deliveryChunk = 16 << 10
	// sendBuffer bounds the kernel's buffer for the client, in bytes. The kernel lets a writer go
	// on only when a third is free, and its default of some megabytes would make a client that
	// reads 20 KiB a second look dead for minutes.
	sendBuffer = 256 << 10
)

type connKey struct{}

// WithConn is a ConnContext of [http.Server]: downloads bound the buffer of their connection.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// narrow bounds the send buffer of the connection of a request, if it is known.
func narrow(ctx context.Context) {
	conn, _ := ctx.Value(connKey{}).(net.Conn)
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if b, ok := conn.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = b.SetWriteBuffer(sendBuffer) // without it only the slowest clients suffer
	}
}

// delivery is the answer of a download on its way through [http.ServeContent]. It holds the headers
// back until the first byte of the body, so that a file that cannot be read still becomes an error
// answer, and it extends the server's deadline while the client reads.
type delivery struct {
	c       *call
	control *http.ResponseController
	status  int
	sent    bool
}

func newDelivery(c *call) *delivery {
	narrow(c.ctx)
	return &delivery{c: c, control: http.NewResponseController(c.w)}
}

// Header implements http.ResponseWriter.
func (d *delivery) Header() http.Header { return d.c.w.Header() }

// WriteHeader implements http.ResponseWriter.
func (d *delivery) WriteHeader(status int) {
	if d.status == 0 {
		d.status = status
	}
}

// Write implements http.ResponseWriter. It drops error texts, which the caller replaces.
func (d *delivery) Write(b []byte) (written int, err error) {
	if d.status >= http.StatusBadRequest {
		return len(b), nil
	}
	d.send()
	for err == nil && written < len(b) {
		_ = d.control.SetWriteDeadline(time.Now().Add(stallTimeout)) // a writer without deadlines waits
		var n int
		n, err = d.c.w.Write(b[written:min(len(b), written+deliveryChunk)])
		written += n
		d.c.written += int64(n)
	}
	d.c.aborted = d.c.aborted || err != nil
	return written, err
}

func (d *delivery) send() {
	if d.sent {
		return
	}
	d.sent = true
	if d.status == 0 {
		d.status = http.StatusOK
	}
	d.c.status = d.status
	d.c.w.WriteHeader(d.status)
}

// clear removes the headers that describe the file, and others by name.
func (d *delivery) clear(others ...string) {
	for _, name := range append([]string{"Content-Disposition", "Content-Length", "Accept-Ranges", "Etag"}, others...) {
		d.Header().Del(name)
	}
}

// content is a file as [http.ServeContent] reads it. For several ranges, ServeContent reads in a
// goroutine that may outlast the call, so reads and close exclude each other.
type content struct {
	mu      sync.Mutex
	from    io.ReadSeekCloser
	closed  bool
	failure atomic.Pointer[error]
}

// Read implements io.Reader.
func (f *content) Read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, fs.ErrClosed
	}
	n, err := f.from.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF itself
		f.failure.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Seek implements io.Seeker.
func (f *content) Seek(offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, fs.ErrClosed
	}
	at, err := f.from.Seek(offset, whence)
	if err != nil {
		f.failure.CompareAndSwap(nil, &err)
	}
	return at, err
}

func (f *content) failed() error {
	if err := f.failure.Load(); err != nil {
		return *err
	}
	return nil
}

func (f *content) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	_ = f.from.Close() // all that was needed has been read
}
