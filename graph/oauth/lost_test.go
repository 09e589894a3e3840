package oauth_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// TestLostAnswer loses the answer to a COMMIT that took effect. The step is not
// taken a second time, and one's own mark is no second presentation: the app gets
// the tokens that were made.
func TestLostAnswer(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return // SQLite has no link to lose
	}
	for _, step := range []string{"exchange", "refresh"} {
		t.Run(step, func(t *testing.T) {
			p := newProxy(t, storetest.MySQL(t))
			s, err := ent.Open(t.Context(), ent.Config{Database: p.address})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			st := newStage(t, s)
			try, _ := st.steps(step)
			p.lose.Store(true)
			token, err := try()
			if err != nil || p.lose.Load() {
				t.Fatalf("got %v; the answer was lost: %v", err, !p.lose.Load())
			}
			if !st.opens(token.Access) || st.only().RevokedAt != nil {
				t.Error("the tokens are dead")
			}
			if _, err := st.refresh(token.Refresh); err != nil {
				t.Errorf("the refresh token: %v", err)
			}
		})
	}
}

// proxy stands between the program and its database.
type proxy struct {
	network, server string
	address         string // of the database through the proxy
	lose            atomic.Bool
}

var place = regexp.MustCompile(`@(?:unix\(([^)]*)\)|([^/]*))/`)

func newProxy(t *testing.T, address string) *proxy {
	t.Helper()
	m := place.FindStringSubmatch(address)
	if m == nil {
		t.Fatal("the database's address has no place")
	}
	p := &proxy{network: "unix", server: m[1]}
	if m[1] == "" {
		p.network, p.server = "tcp", m[2]
	}
	dir, err := os.MkdirTemp("", "sf") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p.address = strings.Replace(address, m[0], "@unix("+l.Addr().String()+")/", 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

// serve copies both ways. Once lose is set, the next COMMIT is sent on, its answer
// awaited and kept, and the link cut.
func (p *proxy) serve(client net.Conn) {
	defer client.Close()
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
			if bytes.HasSuffix(b[:n], []byte("\x03COMMIT")) && p.lose.CompareAndSwap(true, false) {
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
