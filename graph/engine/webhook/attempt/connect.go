package attempt

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/storefront-go/storefront/graph/lib/egress"
)

// dial connects to a place within [egress.DialTime].
func (c *Client) dial(ctx context.Context, at place) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, egress.DialTime)
	defer cancel()
	connect := c.plain
	if at.secure {
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
