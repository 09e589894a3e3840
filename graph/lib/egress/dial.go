package egress

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// DialTime is how long resolving a name and connecting may take together. A caller that adds TLS
// bounds all of it with a context of the same length.
const DialTime = 3 * time.Second

// DialFunc opens a connection, as [net.Dialer.DialContext] does.
type DialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// Dialer returns a function that checks every address before it connects to it, including each
// address of a name. Its error is or wraps a [*RefusedError] if the policy does not allow the
// address, a [*net.DNSError], or another error of net. [TroubleOf] detects failures of this
// machine.
//
// With secure, the connection is for TLS. Without, it is for plain http, which is only allowed to
// loopback addresses, with AllowLoopback.
func (p Policy) Dialer(secure bool) DialFunc {
	control := p.control(secure)
	names := newLookups(p.Resolver)
	dialer := &net.Dialer{Timeout: DialTime, Resolver: names.resolver, ControlContext: control}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		began := time.Now()
		name := rooted(addr)
		c, err := dialer.DialContext(ctx, network, name)
		if trouble := names.check(err, name != addr, began); trouble != "" && ctx.Err() != context.Canceled {
			err = &ownError{trouble, err}
		}
		return c, err
	}
}

// control checks the address that a socket is about to connect to. It runs after name resolution,
// so no second lookup can return something else.
func (p Policy) control(secure bool) func(context.Context, string, string, syscall.RawConn) error {
	guardian := p.guardian()
	return func(_ context.Context, network, address string, _ syscall.RawConn) error {
		if network != "tcp4" && network != "tcp6" {
			return &RefusedError{Rule: "not TCP"}
		}
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("dial: the address cannot be read: %w", err)
		}
		if rule := check(guardian, at.Addr()); rule != "" {
			return &RefusedError{Rule: rule}
		}
		if !secure && (!p.AllowLoopback || !at.Addr().IsLoopback()) {
			return &RefusedError{Rule: "http without TLS, which is only allowed for loopback receivers"}
		}
		return nil
	}
}

// rooted appends the root dot to a name, so that the resolver uses no search list: example.com
// never means example.com.svc.cluster.local, and takes one query instead of five. Addresses and
// single labels stay as they are.
func rooted(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".") {
		return addr
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return addr
	}
	return net.JoinHostPort(host+".", port)
}
