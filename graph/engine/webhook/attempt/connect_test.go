package attempt_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// secured serves TLS on this machine and returns its address and the pool that trusts it.
func secured(t *testing.T, h http.HandlerFunc, configure func(*tls.Config)) (string, *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = new(tls.Config)
	if configure != nil {
		configure(s.TLS)
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return s.URL, pool
}

func TestTLS(t *testing.T) {
	var got *http.Request
	address, pool := secured(t, func(_ http.ResponseWriter, r *http.Request) { got = r }, func(c *tls.Config) {
		c.NextProtos = []string{"h2", "http/1.1"}
	})
	c := attempt.New(attempt.Config{Egress: egress.Policy{AllowLoopback: true}, RootCAs: pool})
	defer c.Close()
	for i := range 2 {
		result := c.Do(t.Context(), request(t, address, "{}"))
		if result.Outcome != attempt.Delivered || result.Reused != (i == 1) || got.ProtoMajor != 1 ||
			got.TLS.NegotiatedProtocol != "http/1.1" {
			t.Errorf("%+v over %s", result, got.Proto)
		}
	}
}

func TestTLSFailures(t *testing.T) {
	serve := func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }
	address, pool := secured(t, serve, nil)
	old, oldPool := secured(t, serve, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS11 })
	asking, askingPool := secured(t, serve,
		func(c *tls.Config) { c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12 })
	plain := receiver(t, serve)
	closing, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer closing.Close()
	go func() {
		for {
			c, err := closing.Accept()
			if err != nil {
				return
			}
			io.ReadFull(c, make([]byte, 5))
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}()
	for _, tc := range []struct {
		name, address string
		pool          *x509.CertPool
		detail        string
	}{
		{name: "untrusted", address: address, detail: "the certificate is signed by an unknown authority"},
		{name: "another name", address: strings.Replace(address, "127.0.0.1", "localhost", 1), pool: pool,
			detail: "the certificate is for another name"},
		{name: "TLS 1.1", address: old, pool: oldPool, detail: "the receiver refused the TLS handshake"},
		{name: "wants a certificate", address: asking, pool: askingPool,
			detail: "the receiver refused the TLS handshake"},
		{name: "no TLS", address: strings.Replace(plain, "http:", "https:", 1),
			detail: "the receiver does not speak TLS"},
		{name: "closed", address: "https://" + closing.Addr().String(),
			detail: "the connection ended during the TLS handshake"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := attempt.New(attempt.Config{Egress: egress.Policy{AllowLoopback: true}, RootCAs: tc.pool})
			defer c.Close()
			got := c.Do(t.Context(), request(t, tc.address, "{}"))
			if got.Outcome != attempt.TLSFailed || got.Detail != tc.detail || got.Status != 0 {
				t.Errorf("%+v, want %q", got, tc.detail)
			}
		})
	}
}

// The client never connects to an address that the policy refuses, whatever it was at registration.
func TestAddressRefused(t *testing.T) {
	inside := receiver(t, func(http.ResponseWriter, *http.Request) { t.Error("a request arrived inside") })
	c := attempt.New(attempt.Config{})
	defer c.Close()
	for _, address := range []string{
		inside, strings.Replace(inside, "http:", "https:", 1), strings.Replace(inside, "127.0.0.1", "localhost", 1),
		"http://169.254.169.254/latest", "https://[::1]:443", "https://10.0.0.1", "https://[::ffff:127.0.0.1]",
		"http://8.8.8.8",
	} {
		got := c.Do(t.Context(), request(t, address, "{}"))
		if got.Outcome != attempt.AddressRefused || got.Detail == "" || got.Status != 0 {
			t.Errorf("%s: %+v", address, got)
		}
	}
}

func TestConnectFailures(t *testing.T) {
	for _, tc := range []struct {
		name   string
		err    error
		want   attempt.Outcome
		detail string
	}{
		{name: "no such name", err: &net.DNSError{Err: "no such host", Name: "inside.example", IsNotFound: true},
			want: attempt.DNSFailed, detail: "the name has no address"},
		{name: "a failing name server",
			err:  &net.DNSError{Err: "server misbehaving", Server: "10.0.0.53:53", IsTemporary: true},
			want: attempt.DNSFailed, detail: "the name could not be looked up"},
		{name: "a silent name server", err: &net.DNSError{Err: "i/o timeout", IsTimeout: true},
			want: attempt.ConnectTimeout, detail: "looking the name up took too long"},
		{name: "refused", err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, want: attempt.ConnectFailed,
			detail: "the connection was refused"},
		{name: "no route", err: &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, want: attempt.ConnectFailed,
			detail: "the address cannot be reached"},
		{name: "no answer", err: &net.OpError{Op: "dial", Err: syscall.ETIMEDOUT}, want: attempt.ConnectTimeout,
			detail: "connecting took too long"},
		{name: "no descriptor", err: &net.OpError{Op: "dial", Err: syscall.EMFILE}, want: attempt.Unable,
			detail: "descriptors"},
		{name: "no descriptor on the machine", err: &net.OpError{Op: "dial", Err: syscall.ENFILE},
			want: attempt.Unable, detail: "descriptors"},
		{name: "no buffers", err: &net.OpError{Op: "dial", Err: syscall.ENOBUFS}, want: attempt.Unable,
			detail: "memory"},
		{name: "no memory", err: os.NewSyscallError("socket", syscall.ENOMEM), want: attempt.Unable,
			detail: "memory"},
		{name: "no port", err: &net.OpError{Op: "dial", Err: syscall.EADDRNOTAVAIL}, want: attempt.Unable,
			detail: "ports"},
		{name: "a network that is down", err: &net.OpError{Op: "dial", Err: syscall.ENETDOWN},
			want: attempt.Unable, detail: "route"},
		{name: "not allowed", err: fmt.Errorf("dial: %w", &egress.RefusedError{Rule: "private (10.0.0.0/8)"}),
			want: attempt.AddressRefused, detail: "private (10.0.0.0/8)"},
	} {
		for _, scheme := range []string{"http", "https"} {
			t.Run(tc.name+" over "+scheme, func(t *testing.T) {
				c := attempt.New(
					attempt.Config{Dial: func(
						context.Context, string, string,
					) (net.Conn, error) {
						return nil, tc.err
					}})
				defer c.Close()
				got := c.Do(t.Context(), request(t, scheme+"://shop.example", "{}"))
				if got.Outcome != tc.want || got.Detail != tc.detail || got.Status != 0 || got.Reused {
					t.Errorf("%+v, want %s: %s", got, tc.want, tc.detail)
				}
			})
		}
	}
}

// A missing resolver, and a port without a listener, end to end.
func TestConnectFailuresReal(t *testing.T) {
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, syscall.ECONNREFUSED
	}}
	c := attempt.New(attempt.Config{Egress: egress.Policy{AllowLoopback: true, Resolver: resolver}})
	defer c.Close()
	if got := c.Do(t.Context(), request(t, "https://shop.example", "{}")); got.Outcome != attempt.Unable ||
		got.Detail != "resolver" {
		t.Errorf("%+v", got)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	if got := c.Do(t.Context(), request(t, "http://"+address, "{}")); got.Outcome != attempt.ConnectFailed ||
		got.Detail != "the connection was refused" {
		t.Errorf("%+v", got)
	}
}
