package egress_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/storefront-go/storefront/graph/lib/egress"
)

// TestMain looks a name up outside of all bubbles: package net keeps a channel from the first lookup
// on, which would belong to the bubble of whichever test runs first.
func TestMain(m *testing.M) {
	_, _ = names{}.resolver().LookupHost(context.Background(), "first.example")
	m.Run()
}

// names is an in-memory name server. It answers each name with its addresses, and other names with
// "no such name".
type names map[string][]string

// resolver returns a resolver that queries n over pipes, in the format of DNS over TCP.
func (n names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go n.serve(server)
		return client, nil
	}}
}

func (n names) serve(c net.Conn) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, question); err != nil {
			return
		}
		answer := n.answer(question)
		c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	}
}

func (n names) answer(question []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	list, ok := n[strings.TrimSuffix(q.Name.String(), ".")]
	if !ok {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, s := range list {
		header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60}
		switch a := netip.MustParseAddr(s); {
		case q.Type == dnsmessage.TypeA && a.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			m.Answers = append(m.Answers,
				dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// listen counts connections to a port of the loopback interface.
func listen(t *testing.T) (port string, count *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	count = new(atomic.Int32)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			c.Close()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port, count
}

func TestDialerRefuses(t *testing.T) {
	port, count := listen(t)
	resolver := names{
		"loopback.example":  {"127.0.0.1"},
		"metadata.example":  {"169.254.169.254"},
		"private.example":   {"10.0.0.7"},
		"several.example":   {"10.0.0.7", "192.168.0.1", "127.0.0.1"},
		"six.example":       {"::1"},
		"mapped.example":    {"::ffff:127.0.0.1"},
		"nat64.example":     {"64:ff9b::7f00:1"},
		"sixtofour.example": {"2002:7f00:1::"},
		"teredo.example":    {"2001::7f00:1"},
		"local.example":     {"fe80::1"},
		"unique.example":    {"fd00::1"},
		"nothing.example":   {"0.0.0.0"},
	}.resolver()
	for host, rule := range map[string]string{
		"loopback.example": "loopback", "metadata.example": "cloud metadata", "private.example": "private",
		"several.example": "", "six.example": "loopback", "mapped.example": "", "nat64.example": "NAT64",
		"sixtofour.example": "6to4", "teredo.example": "Teredo", "local.example": "link-local",
		"unique.example": "private", "nothing.example": "unspecified",
		"127.0.0.1": "loopback", "localhost": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "",
		"169.254.169.254": "cloud metadata", "168.63.129.16": "cloud metadata", "10.0.0.7": "private",
	} {
		for _, secure := range []bool{true, false} {
			c, err := egress.Policy{Resolver: resolver}.Dialer(secure)(t.Context(), "tcp", net.JoinHostPort(host, port))
			refused, ok := errors.AsType[*egress.RefusedError](err)
			if c != nil || !ok || !strings.HasPrefix(refused.Rule, rule) {
				t.Errorf("dial %s: %v, want a refusal about %q", host, err, rule)
			}
		}
	}
	if count.Load() > 0 {
		t.Errorf("%d connections came through", count.Load())
	}
}

func TestDialerAllows(t *testing.T) {
	port, count := listen(t)
	loopback := egress.Policy{AllowLoopback: true,
		Resolver: names{"a.example": {"127.0.0.1"}, "b.example": {"10.0.0.7", "127.0.0.1"}}.resolver()}
	private := egress.Policy{AllowTo: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	both := egress.Policy{AllowLoopback: true, AllowTo: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for _, tc := range []struct {
		name   string
		policy egress.Policy
		secure bool
		host   string
		ok     bool
	}{
		{name: "loopback over http", policy: loopback, host: "127.0.0.1", ok: true},
		{name: "loopback over https", policy: loopback, secure: true, host: "127.0.0.1", ok: true},
		{name: "a name of loopback", policy: loopback, secure: true, host: "a.example", ok: true},
		{name: "the allowed one of two", policy: loopback, secure: true, host: "b.example", ok: true},
		{name: "an allowed network over https", policy: private, secure: true, host: "127.0.0.1", ok: true},
		{name: "an allowed network over http", policy: private, host: "127.0.0.1"},
		{name: "an allowed network over http beside loopback", policy: both, host: "10.0.0.7"},
		{name: "the public over http", policy: both, host: "8.8.8.8"},
		{name: "another network", policy: private, secure: true, host: "10.0.0.7"},
		{name: "a private one with loopback allowed", policy: loopback, secure: true, host: "10.0.0.7"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := count.Load()
			c, err := tc.policy.Dialer(tc.secure)(t.Context(), "tcp", net.JoinHostPort(tc.host, port))
			if c != nil {
				io.Copy(io.Discard, c) // until the listener has counted and closed
				c.Close()
			}
			_, refused := errors.AsType[*egress.RefusedError](err)
			if (err == nil) != tc.ok || refused == tc.ok || (count.Load() == before+1) != tc.ok {
				t.Errorf("dial: %v, want connected: %v", err, tc.ok)
			}
		})
	}
}

// A name is looked up as it is, without the system's search list.
func TestDialerLooksUpOnce(t *testing.T) {
	_, err := egress.Policy{Resolver: names{}.resolver()}.Dialer(true)(t.Context(), "tcp", "nowhere.example:443")
	failed, ok := errors.AsType[*net.DNSError](err)
	if !ok || !failed.IsNotFound || failed.Name != "nowhere.example." {
		t.Errorf("dial a name that does not exist: %v (%+v)", err, failed)
	}
}

// The owner of a name can change its address: each dial checks the address of its own lookup.
func TestDialerChecksEachDial(t *testing.T) {
	port, _ := listen(t)
	moving := names{"a.example": {"127.0.0.1"}}
	dial := egress.Policy{AllowLoopback: true, Resolver: moving.resolver()}.Dialer(true)
	c, err := dial(t.Context(), "tcp", "a.example:"+port)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	moving["a.example"] = []string{"169.254.169.254"}
	if _, err := dial(t.Context(), "tcp", "a.example:"+port); err == nil ||
		!strings.Contains(err.Error(), "cloud metadata") {
		t.Errorf("dial after the name moved: %v", err)
	}
}

// An unresponsive name server delays a dial by three seconds, plus one for the query that probes
// it.
func TestDialerTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go io.Copy(io.Discard, server)
			return client, nil
		}}
		start := time.Now()
		_, err := egress.Policy{Resolver: silent}.Dialer(true)(t.Context(), "tcp", "shop.example:443")
		failed, ok := errors.AsType[*net.DNSError](err)
		if !ok || !failed.IsTimeout || time.Since(start) != egress.DialTime+time.Second ||
			egress.TroubleOf(err) != egress.Resolver {
			t.Errorf("dial: %v after %v", err, time.Since(start))
		}
		time.Sleep(time.Minute)
	})
}

// The text of a refusal contains no address or name.
func TestRefusedError(t *testing.T) {
	resolver := names{"hooks.example": {"10.20.30.40"}}.resolver()
	_, err := egress.Policy{Resolver: resolver}.Dialer(true)(t.Context(), "tcp", "hooks.example:443")
	refused, ok := errors.AsType[*egress.RefusedError](err)
	if !ok || refused.Error() != "address refused: private (10.0.0.0/8)" {
		t.Errorf("%v", refused)
	}
}
