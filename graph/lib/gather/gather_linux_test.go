package gather_test

import (
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/storefront-go/storefront/graph/lib/gather"
)

// A response of 20 KB is sent in one segment; those of the loopback interface hold 64 KB.
func TestOneSegment(t *testing.T) {
	sent := make(chan net.Conn, 1)
	s := serve(t, gather.Listener, func(r *http.Request) { sent <- gather.Conn(r.Context()) })
	before := uint32(0)
	for range 3 {
		a, err := s.Client().Get(s.URL + "/20000")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, a.Body); err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if after := segments(t, <-sent); after != before+1 {
			t.Errorf("%d segments for one answer", after-before)
		} else {
			before = after
		}
	}
}

// segments returns how many segments with data a connection has sent.
func segments(t *testing.T, c net.Conn) (n uint32) {
	t.Helper()
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			t.Error(err)
			return
		}
		n = info.Data_segs_out
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
