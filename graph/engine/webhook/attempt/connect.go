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

// dial connects to a place.
func (c *connector) dial(ctx context.Context, at place) (net.Conn, error) {
	if at.secure {
		return c.connectTLS(ctx, "tcp", at.addr)
	}
	return c.connect(ctx, "tcp", at.addr)
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
