package webhook_test

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
)

// sink answers every request with 200, as cheaply as possible, and counts them.
func sink(tb testing.TB) (url string, n *atomic.Int64) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	n = new(atomic.Int64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go swallow(c, n)
		}
	}()
	return "http://" + l.Addr().String() + "/hook", n
}

func swallow(c net.Conn, n *atomic.Int64) {
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
		n.Add(1)
		c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	}
}

// BenchmarkDrain delivers a backlog of events of 1 KB from the outbox to one receiver, through some
// endpoints.
func BenchmarkDrain(b *testing.B) {
	for _, endpoints := range []int{1, 100} {
		b.Run("sqlite/"+strconv.Itoa(endpoints), func(b *testing.B) { drain(b, storetest.Unlinted(b), endpoints) })
		if storetest.HaveMySQL(b) {
			b.Run("mysql/"+strconv.Itoa(endpoints),
				func(b *testing.B) { drain(b, storetest.UnlintedMySQL(b), endpoints) })
		}
	}
}

func drain(b *testing.B, s *ent.Store, endpoints int) {
	shop := open(b, s)
	url, n := sink(b)
	// Each event goes to one of ten endpoints, or to all if there are fewer.
	for range endpoints {
		shop.endpoint(url, event.ProductUpdated)
	}
	events := max(b.N/endpoints, 1)
	object := append(append([]byte(`"`), bytes.Repeat([]byte("x"), 700)...), '"')
	for chunk := range slices.Chunk(make([]product, events), 200) {
		shop.tx(func(ctx context.Context) error {
			for i := range chunk {
				p := &chunk[i]
				p.id, p.sequence, p.at = xid.New(), 1, outbox.After(0)
				err := outbox.Append(ctx, s.DB(ctx),
					outbox.Resource{Store: shop.store, ID: p.id, Version: 1, Sequence: 1, At: p.at},
					outbox.Entry{Type: event.ProductUpdated, Changed: []string{"title"}, Object: object})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	before := s.Statements()
	b.ResetTimer()
	shop.engine.Start(b.Context())
	want := int64(events * endpoints)
	for n.Load() < want {
		<-time.After(time.Millisecond)
	}
	b.StopTimer()
	b.ReportMetric(float64(want)/b.Elapsed().Seconds(), "deliveries/s")
	b.ReportMetric(float64(s.Statements()-before)/float64(want), "statements/op")
	stop(shop.engine)
}
