package rest

import (
	"context"
	"crypto/tls"
	"io"
	"io/fs"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/graph/lib/gather"
)

const (
	// stallTimeout is how long the other side may take nothing before it is
	// dropped. However long the whole takes, it goes on.
	stallTimeout = 60 * time.Second
	// deliveryChunk is what the other side has to take in that time, in bytes.
	deliveryChunk = 16 << 10
	// sendBuffer bounds what the kernel keeps for the other side, in bytes. It lets
	// a writer go on only when a third of that is free, and by itself it keeps some
	// megabytes: somebody who takes 20 KiB a second would look dead for minutes.
	sendBuffer = 256 << 10
)

// narrow bounds the buffer of the connection that a request came on, where that
// is known.
func narrow(ctx context.Context) {
	conn := gather.Conn(ctx)
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if b, ok := conn.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = b.SetWriteBuffer(sendBuffer) // without it only the slowest suffer
	}
}

// delivery is the answer of a download on its way through [http.ServeContent]. It
// keeps the headers back until there is a first byte of the body, so that a file
// that cannot be read is an error still; and it moves the deadline of the server on.
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

// Write implements http.ResponseWriter. It drops the texts of errors, which get a
// form of our own.
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

// send writes the headers, once.
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

// clear removes what the headers say of the file, and others that are named.
func (d *delivery) clear(others ...string) {
	for _, name := range append([]string{"Content-Disposition", "Content-Length", "Accept-Ranges", "Etag"}, others...) {
		d.Header().Del(name)
	}
}

// content is a file as [http.ServeContent] reads it. Of several ranges it reads in
// a goroutine that may outlast it, so reading and closing exclude each other.
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

// failed returns the first error of reading.
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
	_ = f.from.Close() // what was read was read
}
