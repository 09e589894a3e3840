package egress

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// DialTime is how long resolving a name and connecting may take together. The
// caller who adds TLS gives a context with the same bound over all of it.
const DialTime = 3 * time.Second

// DialFunc opens a connection, as [net.Dialer.DialContext] does.
type DialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// Dialer returns a function that judges every address before it connects, also
// each of several that one name has. Its error is, or wraps, a [*RefusedError]
// where the policy does not allow the address, a [*net.DNSError] or another
// error of net. [TroubleOf] tells those that are this machine's own.
//
// With secure, the connection is for TLS. Without, it is for http in the clear,
// which goes to loopback addresses only, and only with AllowLoopback.
func (p Policy) Dialer(secure bool) DialFunc {
	control := p.control(secure)
	names := newLookups(p.Resolver)
	dialer := &net.Dialer{Timeout: DialTime, Resolver: names.resolver, ControlContext: control}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		began := time.Now()
		name := rooted(addr)
		c, err := dialer.DialContext(ctx, network, name)
		if trouble := names.judge(err, name != addr, began); trouble != "" && ctx.Err() != context.Canceled {
			err = &ownError{trouble, err}
		}
		return c, err
	}
}

// control judges the address that a socket is about to connect to: after the
// look-up, so there is no second look-up that could answer something else.
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
		return p.allow(guardian, at.Addr(), secure)
	}
}

func (p Policy) allow(guardian *ssrf.Guardian, a netip.Addr, secure bool) error {
	if rule := judge(guardian, a); rule != "" {
		return &RefusedError{Rule: rule}
	}
	if !secure && (!p.AllowLoopback || !a.IsLoopback()) {
		return &RefusedError{Rule: "http without TLS, which only loopback receivers may use"}
	}
	return nil
}

// rooted ends a name with the dot of the root, so that a look-up tries no search
// list: example.com never means example.com.svc.cluster.local, and costs one
// question instead of five. Addresses and single labels stay as they are.
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
