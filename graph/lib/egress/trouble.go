package egress

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Trouble is why this machine could not connect to any address of that kind. It says nothing about
// the receiver.
type Trouble string

// The values of [Trouble].
const (
	Descriptors Trouble = "descriptors" // no file descriptor left
	Memory      Trouble = "memory"      // the kernel has no memory or buffers left
	Ports       Trouble = "ports"       // no local port left
	Route       Trouble = "route"       // this machine has no route at all
	Family      Trouble = "family"      // it has routes, but none for this address family (IPv4 or IPv6)
	Resolver    Trouble = "resolver"    // name resolution does not work
)

// Troubles returns all values.
func Troubles() []Trouble { return []Trouble{Descriptors, Memory, Ports, Route, Family, Resolver} }

type ownError struct {
	trouble Trouble
	err     error
}

func (e *ownError) Error() string { return "dial: " + string(e.trouble) + ": " + e.err.Error() }

func (e *ownError) Unwrap() error { return e.err }

// TroubleOf returns the trouble of this machine that an error of a dial shows, or "".
func TroubleOf(err error) Trouble {
	if own, ok := errors.AsType[*ownError](err); ok {
		return own.trouble
	}
	errno, _ := errors.AsType[syscall.Errno](err)
	switch errno {
	case syscall.EMFILE, syscall.ENFILE:
		return Descriptors
	case syscall.ENOBUFS, syscall.ENOMEM:
		return Memory
	case syscall.EADDRNOTAVAIL:
		return Ports
	case syscall.ENETDOWN:
		return Route
	}
	return ""
}

// Unassigned public addresses (RFC 5737, RFC 3849): connecting a datagram socket to one sends
// nothing and shows whether there is a route.
var elsewhere = []string{"192.0.2.1:9", "[2001:db8::1]:9"}

// routeTrouble classifies an address that the kernel could not connect to. A remote router may have
// reported it; only a machine without a route of its own is in trouble.
func routeTrouble(err error) Trouble {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || op.Addr == nil || !unreachable(err) || routed(op.Addr.String()) {
		return ""
	}
	if slices.ContainsFunc(elsewhere, routed) {
		return Family
	}
	return Route
}

// unreachable reports errors of a kernel that has no route or does not support the address family.
// EADDRNOTAVAIL can also mean that no port is left.
func unreachable(err error) bool {
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH) ||
		errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)
}

func routed(addr string) bool {
	c, err := net.Dial("udp", addr) //nolint:noctx // nothing is sent, so nothing waits
	if err == nil {
		_ = c.Close() // nothing was sent
	}
	return !unreachable(err)
}

const (
	// provenFor is how long a successful lookup proves that the resolver works.
	provenFor = 10 * time.Second
	// probeTime bounds a query to the resolver, probeEvery how often it is sent.
	probeTime  = time.Second
	probeEvery = 5 * time.Second
)

// lookups distinguishes a resolver that fails for all names from a name that fails.
//
// A broken name server of the receiver and an unreachable resolver of ours give the same error. If
// no lookup has succeeded recently, a failure triggers a lookup of a name that cannot exist, under
// the root: a working resolver answers that it does not exist.
type lookups struct {
	resolver  *net.Resolver
	succeeded atomic.Int64 // when the last lookup did, in nanoseconds
	local     atomic.Pointer[localError]

	mu     sync.Mutex
	probed time.Time
	works  bool
}

type localError struct {
	trouble Trouble
	at      time.Time
}

// newLookups watches a resolver; nil is the system's.
func newLookups(r *net.Resolver) *lookups {
	own := net.Resolver{}
	if r != nil {
		own = net.Resolver{PreferGo: r.PreferGo, StrictErrors: r.StrictErrors, Dial: r.Dial}
	}
	l := &lookups{resolver: &own}
	dial := own.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	own.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if t := TroubleOf(err); t != "" {
			l.local.Store(&localError{t, time.Now()})
		}
		return c, err
	}
	return l
}

// check returns the trouble behind the error of a dial that began at a time. named says that the
// resolver was queried.
func (l *lookups) check(err error, named bool, began time.Time) Trouble {
	lookup, unresolved := errors.AsType[*net.DNSError](err)
	if !unresolved || lookup.IsNotFound {
		if named {
			l.succeeded.Store(time.Now().UnixNano())
		}
		return cmp.Or(routeTrouble(err), TroubleOf(err))
	}
	if last := l.local.Load(); last != nil && !last.at.Before(began) {
		return last.trouble
	}
	if time.Since(time.Unix(0, l.succeeded.Load())) < provenFor || l.answers() {
		return ""
	}
	return Resolver
}

// answers queries the resolver, unless that was done recently, and reports whether it answers.
func (l *lookups) answers() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.probed.IsZero() && time.Since(l.probed) < probeEvery {
		return l.works
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	_, err := l.resolver.LookupHost(ctx, rand.Text()+".")
	lookup, failed := errors.AsType[*net.DNSError](err)
	l.probed, l.works = time.Now(), !failed || lookup.IsNotFound
	return l.works
}
