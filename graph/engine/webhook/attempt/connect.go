package attempt

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/storefront-go/storefront/graph/lib/egress"
)

// connector connects within [egress.DialTime].
type connector struct {
	plain, secure egress.DialFunc
	tls           *tls.Config
}

// dialApart connects in a goroutine of its own. Name lookup, connect and TLS need a deep stack,
// which a goroutine keeps; the goroutine of the attempt, which may wait among thousands, stays
// small.
func (c *connector) dialApart(ctx context.Context, at place) (conn net.Conn, err error) {
	connect := c.connect
	if at.secure {
		connect = c.connectTLS
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err = connect(ctx, "tcp", at.addr)
	}()
	<-done
	return conn, err
}

func (c *connector) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, egress.DialTime)
	defer cancel()
	conn, err := c.plain(ctx, network, addr)
	if err != nil {
		return nil, &connectError{late: ctx.Err() != nil, err: err}
	}
	return conn, nil
}

func (c *connector) connectTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, egress.DialTime)
	defer cancel()
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &connectError{err: err}
	}
	conn, err := c.secure(ctx, network, addr)
	if err != nil {
		return nil, &connectError{late: ctx.Err() != nil, err: err}
	}
	config := c.tls.Clone()
	config.ServerName = host
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close() // it was never used
		return nil, &connectError{handshake: true, late: ctx.Err() != nil, err: err}
	}
	return secured, nil
}
