package egress_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/storefront-go/storefront/graph/lib/egress"
)

func TestTroubleOf(t *testing.T) {
	for errno, want := range map[syscall.Errno]egress.Trouble{
		syscall.EMFILE: egress.Descriptors, syscall.ENFILE: egress.Descriptors, syscall.ENOBUFS: egress.Memory,
		syscall.ENOMEM: egress.Memory, syscall.EADDRNOTAVAIL: egress.Ports, syscall.ENETDOWN: egress.Route,
		syscall.ECONNREFUSED: "", syscall.ETIMEDOUT: "", syscall.EHOSTUNREACH: "", syscall.ENETUNREACH: "",
		syscall.ECONNRESET: "",
	} {
		err := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", errno)}
		if got := egress.TroubleOf(err); got != want {
			t.Errorf("%v: %q, want %q", errno, got, want)
		}
	}
	if got := egress.TroubleOf(nil); got != "" {
		t.Errorf("nothing: %q", got)
	}
}

// A remote router without a route says nothing about this machine.
func TestRouteTrouble(t *testing.T) {
	far := func(addr string, errno syscall.Errno) error {
		return &net.OpError{Op: "dial", Addr: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr)), Err: errno}
	}
	for _, errno := range []syscall.Errno{syscall.ENETUNREACH, syscall.EHOSTUNREACH} {
		if got := egress.RouteTrouble(far("127.0.0.1:443", errno)); got != "" {
			t.Errorf("%v of an address with a route: %q", errno, got)
		}
		// A machine with a route to this address is misconfigured: it is for documentation only.
		const six = "[2001:db8::1]:443"
		want := egress.Trouble("")
		if !egress.Routed(six) {
			want = egress.Route
			if egress.Routed("192.0.2.1:443") {
				want = egress.Family
			}
		}
		if got := egress.RouteTrouble(far(six, errno)); got != want {
			t.Errorf("%v over IPv6: %q, want %q", errno, got, want)
		}
	}
	if got := egress.RouteTrouble(far("127.0.0.1:443", syscall.ECONNREFUSED)); got != "" {
		t.Errorf("refused: %q", got)
	}
}

// failing is a name server that fails for every name or, while up, only for names that begin with
// "broken". asked counts the queries for single labels, with which the resolver is probed.
type failing struct {
	names
	up    atomic.Bool
	asked atomic.Int32
}

func (f *failing) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go f.serve(server)
		return client, nil
	}}
}

func (f *failing) serve(c net.Conn) {
	defer c.Close()
	var size [2]byte
	for {
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, question); err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(question) != nil {
			return
		}
		name := strings.TrimSuffix(m.Questions[0].Name.String(), ".")
		answer := f.names.answer(question)
		if !strings.Contains(name, ".") {
			f.asked.Add(1)
		}
		if !f.up.Load() || strings.HasPrefix(name, "broken") {
			m.Response, m.RCode, m.Additionals = true, dnsmessage.RCodeServerFailure, nil
			answer, _ = m.Pack()
		}
		c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	}
}

// A failed lookup is the receiver's problem, unless all lookups fail.
func TestResolverTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &failing{names: names{"here.example": {"10.0.0.1"}}}
		dial := egress.Policy{Resolver: server.resolver()}.Dialer(true)
		expect := func(what, name string, want egress.Trouble) {
			t.Helper()
			_, err := dial(t.Context(), "tcp", name+":443")
			if got := egress.TroubleOf(err); got != want || err == nil {
				t.Errorf("%s: %v is %q, want %q", what, err, got, want)
			}
		}
		server.up.Store(true)
		expect("one name is broken", "broken.example", "")
		expect("another one too", "broken2.example", "")
		if n := server.asked.Load(); n == 0 || n > 2 { // A and AAAA
			t.Errorf("the resolver was asked %d times about itself", n)
		}
		expect("the address is refused", "here.example", "")
		server.up.Store(false)
		expect("all are broken, since a moment", "here.example", "")
		time.Sleep(time.Minute)
		expect("all are broken", "here.example", egress.Resolver)
		_, err := dial(t.Context(), "tcp", "here.example:443")
		if _, ok := errors.AsType[*net.DNSError](err); !ok {
			t.Errorf("the cause is lost: %v", err)
		}
		server.up.Store(true)
		expect("all is well again", "here.example", "")
	})
}

// If this machine has no file descriptor for the query, the resolver is not to blame.
func TestResolverDescriptors(t *testing.T) {
	none := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, os.NewSyscallError("socket", syscall.EMFILE)
	}}
	_, err := egress.Policy{Resolver: none}.Dialer(true)(t.Context(), "tcp", "shop.example:443")
	if got := egress.TroubleOf(err); got != egress.Descriptors {
		t.Errorf("%v is %q", err, got)
	}
}
