package domain_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/domain"
)

// zone is a small DNS server. A name has the records "TXT text", "CNAME name" and "A"; the latter
// leads to 127.0.0.1. Names with the record "down" fail.
type zone struct {
	mu      sync.Mutex
	records map[string][]string
	conn    net.PacketConn
}

func newZone(t testing.TB) *zone {
	t.Helper()
	streams, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", streams.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	z := &zone{records: map[string][]string{}, conn: conn}
	t.Cleanup(func() { conn.Close(); streams.Close() })
	go func() {
		for {
			stream, err := streams.Accept()
			if err != nil {
				return
			}
			go z.converse(stream)
		}
	}()
	go func() {
		buf := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			conn.WriteTo(z.answer(buf[:n]), from)
		}
	}()
	return z
}

// converse answers over TCP, where each message follows its length.
func (z *zone) converse(stream net.Conn) {
	defer stream.Close()
	for {
		var size uint16
		if binary.Read(stream, binary.BigEndian, &size) != nil {
			return
		}
		asked := make([]byte, size)
		if _, err := io.ReadFull(stream, asked); err != nil {
			return
		}
		answer := z.answer(asked)
		stream.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	}
}

// set replaces the records of a name; none removes it.
func (z *zone) set(name string, records ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.records[name] = records
}

func (z *zone) answer(asked []byte) []byte {
	z.mu.Lock()
	defer z.mu.Unlock()
	var m dnsmessage.Message
	if m.Unpack(asked) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Header, m.Additionals = dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, nil
	records := z.records[strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))]
	if len(records) == 0 {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, r := range records {
		kind, value, _ := strings.Cut(r, " ")
		head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}
		var body dnsmessage.ResourceBody
		switch {
		case kind == "down":
			m.RCode = dnsmessage.RCodeServerFailure
		case kind == "TXT" && q.Type == dnsmessage.TypeTXT:
			body = &dnsmessage.TXTResource{TXT: []string{value}}
		case kind == "CNAME":
			body = &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(value + ".")}
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: body})
			head.Name, body = dnsmessage.MustNewName(value+"."), &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}
		case kind == "A" && q.Type == dnsmessage.TypeA:
			body = &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}
		}
		if body != nil {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: body})
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// resolver resolves names by the zone alone.
func (z *zone) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", z.conn.LocalAddr().String())
	}}
}

// What DNS says, over the wire.
func TestProblem(t *testing.T) {
	z := newZone(t)
	e := newEngine(t, storetest.Open(t), z.resolver())
	d := &db.Domain{ID: xid.New(), Host: "www.example.com", Token: "right"}
	const name = "_storefront.www.example.com"
	for _, tc := range []struct {
		name, want string
		txt, host  []string
	}{
		{name: "no records", want: "There is no TXT record of " + name},
		{name: "the TXT record", txt: []string{"TXT other", "TXT storefront=right"}},
		{name: "another value", txt: []string{"TXT storefront=wrong"}, want: "has another value"},
		{name: "the CNAME record", host: []string{"CNAME tea.shops.test"}},
		{name: "a CNAME record to another store", host: []string{"CNAME mug.shops.test"}, want: "no CNAME record"},
		{name: "an address alone", host: []string{"A"}, want: "There is no TXT record"},
		{name: "no answer", txt: []string{"down"}, host: []string{"A"}, want: "do not answer"},
	} {
		z.set(name, tc.txt...)
		z.set(d.Host, tc.host...)
		if got := e.Problem(t.Context(), d, "tea.shops.test:8080"); tc.want == "" && got != "" ||
			!strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	if domain.TXTName(d) != name || domain.TXTValue(d) != "storefront=right" {
		t.Errorf("%s %s", domain.TXTName(d), domain.TXTValue(d))
	}
}
