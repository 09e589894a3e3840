package attempt

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/storefront-go/storefront/graph/lib/egress"
)

const (
	// firstPart is how much of a request is written before waiting for the answer; few requests are
	// larger. The rest of a larger one is written during the wait, since a receiver may answer
	// before it has read everything, and read no more.
	firstPart = 32 << 10
	// maxSessions is how many TLS sessions are kept for short handshakes.
	maxSessions = 1024
)

var past = time.Unix(1, 0)

// conn is a connection to a receiver, used by one attempt at a time.
type conn struct {
	net.Conn
	place  place
	pool   *pool
	reused bool      // an attempt was answered on it
	until  time.Time // when it is no longer kept
	first  [1]byte   // of an answer
}

func (c *conn) close() {
	_ = c.Conn.Close() // everything was read that had to be
	c.pool.closed()
}

// connect returns a kept connection, or a new one, with the answer's deadline, which is latest or
// earlier.
func (c *Client) connect(ctx context.Context, at place, latest time.Time) (*conn, error) {
	for kept := c.pool.take(at); kept != nil; kept = c.pool.take(at) {
		over := !time.Now().Before(kept.until)
		if !over && kept.alive() && kept.limit(latest) == nil {
			return kept, nil
		}
		kept.close()
		if !over {
			c.pool.broke(at)
		}
	}
	c.pool.room()
	opened, err := c.dial(ctx, at, at.secure)
	if err != nil {
		c.pool.closed()
		if egress.TroubleOf(err) == egress.Descriptors {
			c.pool.closeKept() // the only descriptors that can be released here
		}
		return nil, err
	}
	fresh := &conn{Conn: opened, place: at, pool: c.pool}
	if err := fresh.limit(latest); err != nil {
		fresh.close()
		return nil, err
	}
	return fresh, nil
}

func (c *conn) limit(latest time.Time) error {
	at := time.Now().Add(answerTime)
	if at.After(latest) {
		at = latest
	}
	return c.SetDeadline(at)
}

// alive reports whether a kept connection may serve another attempt: the receiver has not closed it
// and has sent nothing unasked. It does not block.
func (c *conn) alive() bool {
	if c.SetReadDeadline(time.Time{}) != nil {
		return false
	}
	socket := c.Conn
	secure, encrypted := c.Conn.(*tls.Conn)
	if encrypted {
		socket = secure.NetConn()
	}
	if s, ok := socket.(syscall.Conn); ok {
		raw, err := s.SyscallConn()
		if err != nil || !quiet(raw) {
			return false
		}
		if !encrypted {
			return true
		}
	}
	// This covers what TLS has read already, and connections that are not sockets.
	if c.SetReadDeadline(past) != nil {
		return false
	}
	n, err := c.Read(c.first[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
}

type exchange struct {
	*conn
	release func() bool   // detaches the connection from the context's end
	rest    chan struct{} // closed when the rest of a large request was written, or failed; nil without
	whole   bool          // the whole request was written; read after rest
}

// send writes a request. It returns an error only if none of it was written.
func (c *Client) send(ctx context.Context, r *Request, began time.Time) (*exchange, error) {
	buf := c.requests.Get().(*[]byte)
	*buf = append(r.Target.appendHead((*buf)[:0], r, began), r.Body...)
	latest := began.Add(egress.DialTime + answerTime)
	for {
		conn, err := c.connect(ctx, r.Target.place, latest)
		if err != nil {
			c.requests.Put(buf)
			return nil, err
		}
		x := &exchange{conn: conn}
		// From here on, the end of the context interrupts the connection.
		x.release = context.AfterFunc(ctx, x.interrupt)
		if err := ctx.Err(); err != nil {
			x.close()
			c.requests.Put(buf)
			return nil, err
		}
		n, err := x.Write((*buf)[:min(len(*buf), firstPart)])
		if n == 0 && err != nil && (x.reused && closedByPeer(err) || egress.TroubleOf(err) != "") && ctx.Err() == nil {
			x.close()
			if x.reused {
				c.pool.broke(x.place)
				continue
			}
			c.requests.Put(buf)
			return nil, &connectError{err: err}
		}
		c.writeRest(x, buf, n, err)
		return x, nil
	}
}

// writeRest writes the rest of the request and releases the buffer. Errors show when the answer is
// read: it may have arrived all the same.
func (c *Client) writeRest(x *exchange, buf *[]byte, n int, err error) {
	if n == len(*buf) || err != nil {
		x.whole = err == nil
		c.giveBack(buf)
		return
	}
	x.rest = make(chan struct{})
	go func() {
		defer close(x.rest)
		_, err := x.Write((*buf)[n:])
		x.whole = err == nil
		c.giveBack(buf)
	}()
}

// giveBack keeps the buffer of a request for the next one, unless it is large.
func (c *Client) giveBack(buf *[]byte) {
	if cap(*buf) <= 2*firstPart {
		c.requests.Put(buf)
	}
}

func (c *conn) interrupt() { _ = c.SetDeadline(past) }

// await waits for the first byte of the answer. Meanwhile the attempt holds no buffer: thousands
// may wait.
func (x *exchange) await() error {
	for {
		if n, err := x.Read(x.first[:]); n > 0 || err != nil {
			return err
		}
	}
}

func (x *exchange) close() {
	x.release()
	x.conn.close()
	if x.rest != nil {
		<-x.rest
	}
}

// keep keeps the connection for the next attempt, if the whole request was written and the context
// has not interrupted it.
func (x *exchange) keep(d time.Duration) {
	if x.rest != nil {
		select {
		case <-x.rest:
		default:
			x.close()
			return
		}
	}
	if !x.release() || !x.whole {
		x.conn.close()
		return
	}
	x.pool.put(x.conn, d)
}

// dial connects to a place within [egress.DialTime]. With secure, the connection is one for TLS, which
// begins at once if the place says so, or else later.
func (c *Client) dial(ctx context.Context, at place, secure bool) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, egress.DialTime)
	defer cancel()
	connect := c.plain
	if secure {
		connect = c.secure
	}
	conn, err := connect(ctx, "tcp", at.addr)
	if err != nil {
		return nil, &connectError{late: ctx.Err() != nil, err: err}
	}
	if !at.secure {
		return conn, nil
	}
	config := c.tls.Clone()
	config.ServerName = at.host
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close() // it was never used
		return nil, &connectError{handshake: true, late: ctx.Err() != nil, err: err}
	}
	return secured, nil
}
