package storetest

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy is a proxy between a program and its MySQL database.
type Proxy struct {
	// Address is the address of the database through the proxy.
	Address string
	// LoseCommit, once set, makes the proxy forward the next message that ends with COMMIT, drop
	// its answer, and cut the connection. Doing so resets it.
	LoseCommit atomic.Bool
	// Refuse, while set, makes the proxy close each new connection.
	Refuse   atomic.Bool
	Accepted atomic.Int64

	network, server string
	mu              sync.Mutex
	queries         []string
	links           []net.Conn // from the program, including ended ones
}

var hostPattern = regexp.MustCompile(`@(?:unix\(([^)]*)\)|([^/]*))/`)

// NewProxy starts a proxy for the database at an address of [MySQL]. It ends with the test.
func NewProxy(t testing.TB, address string) *Proxy {
	t.Helper()
	m := hostPattern.FindStringSubmatch(address)
	if m == nil {
		t.Fatal("the database's address has no host")
	}
	p := &Proxy{network: "unix", server: m[1]}
	if m[1] == "" {
		p.network, p.server = "tcp", m[2]
	}
	dir, err := os.MkdirTemp("", "sf") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p.Address = strings.Replace(address, m[0], "@unix("+l.Addr().String()+")/", 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.Accepted.Add(1)
			p.mu.Lock()
			p.links = append(p.links, c)
			p.mu.Unlock()
			go p.serve(c)
		}
	}()
	return p
}

// Cut closes all open connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.links {
		c.Close()
	}
	p.links = nil
}

// Queries returns the texts of the messages since the last call, each truncated to one read of the
// connection.
func (p *Proxy) Queries() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queries
	p.queries = nil
	return q
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	if p.Refuse.Load() {
		return
	}
	server, err := net.Dial(p.network, p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var cut atomic.Bool
	go func() {
		defer server.Close()
		b := make([]byte, 64<<10)
		for {
			n, err := client.Read(b)
			if err != nil {
				return
			}
			p.note(b[:n])
			if bytes.HasSuffix(b[:n], []byte("COMMIT")) && p.LoseCommit.CompareAndSwap(true, false) {
				cut.Store(true)
			}
			if _, err := server.Write(b[:n]); err != nil {
				return
			}
		}
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := server.Read(b)
		if err != nil || cut.Load() {
			return
		}
		if _, err := io.Copy(client, bytes.NewReader(b[:n])); err != nil {
			return
		}
	}
}

// note records the text of a query. It follows the length, the sequence number 0 and the command 3
// (COM_QUERY).
func (p *Proxy) note(b []byte) {
	if len(b) < 5 || b[3] != 0 || b[4] != 3 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queries = append(p.queries, string(b[5:]))
}
