package attempt_test

import (
	"bufio"
	"bytes"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// sink answers every request with an empty 200 as cheaply as possible.
func sink(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go swallow(c)
		}
	}()
	return "http://" + l.Addr().String() + "/hook"
}

func swallow(c net.Conn) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 16<<10)
	for {
		length := 0
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return
			}
			if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
				length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
			}
			if len(line) == 2 {
				break
			}
		}
		if _, err := r.Discard(length); err != nil {
			return
		}
		c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	}
}

// cpu returns the processor time of this process so far.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure runs f and reports the processor time of one attempt, including the sink's.
func measure(b *testing.B, f func()) {
	b.Helper()
	b.ReportAllocs()
	before := cpu(b)
	f()
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N)/1e3, "cpu-us/op")
}

func BenchmarkDo(b *testing.B) {
	c := attempt.New(attempt.Config{Egress: egress.Policy{AllowLoopback: true}})
	b.Cleanup(c.Close)
	target, err := attempt.NewTarget(sink(b), secretA)
	if err != nil {
		b.Fatal(err)
	}
	r := attempt.Request{Target: target, Body: bytes.Repeat([]byte("x"), 2000), EventID: "evt_1",
		EventType: "order.paid", DeliveryID: "dlv_1", Number: 1}
	do := func(b *testing.B) {
		if got := c.Do(b.Context(), r); got.Outcome != attempt.Delivered {
			b.Errorf("%+v", got)
		}
	}
	b.Run("one", func(b *testing.B) {
		measure(b, func() {
			for b.Loop() {
				do(b)
			}
		})
	})
	b.Run("many", func(b *testing.B) {
		b.SetParallelism(16)
		measure(b, func() {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					do(b)
				}
			})
		})
	})
}
