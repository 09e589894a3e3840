package attempt_test

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// The kept part of a request shows its head as it was on the wire, except for the values of custom
// fields. Nothing is kept of a request that was not sent.
func TestHead(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan []byte, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		var head []byte
		for b := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); head = append(head, b...) {
			if _, err := conn.Read(b); err != nil {
				break
			}
		}
		got <- head
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}()
	target, err := attempt.NewTarget("http://"+l.Addr().String()+"/in?a=b%20c", "whsec_c2VjcmV0", "whsec_b3RoZXI=")
	if err != nil {
		t.Fatal(err)
	}
	client := attempt.New(attempt.Config{Egress: egress.Policy{AllowLoopback: true}})
	defer client.Close()
	r := attempt.Request{Target: target, Body: []byte(`{"a":1}`), EventID: "evt_1", EventType: "order.paid",
		DeliveryID: "dlv_1", Number: 3, Header: [][2]string{{"X-Key", "s3cret"}, {"authorization", "Bearer s3cret"}}}
	result := client.Do(t.Context(), r)
	wire := string(<-got)
	if !strings.Contains(wire, "\r\nauthorization: Bearer s3cret\r\n") ||
		!strings.Contains(wire, "\r\nX-Key: s3cret\r\n") {
		t.Errorf("sent %q", wire)
	}
	want := strings.NewReplacer("Bearer s3cret", "[hidden]", "s3cret", "[hidden]").Replace(wire)
	shown := attempt.Head(result.Request, attempt.Sent{EventID: r.EventID, EventType: r.EventType,
		DeliveryID: r.DeliveryID, Number: r.Number, Began: result.Began})
	if d := cmp.Diff(want, shown); d != "" {
		t.Errorf("(-wire +shown) %s", d)
	}
	if strings.Contains(string(result.Request), "s3cret") {
		t.Errorf("kept %q", result.Request)
	}
	l.Close()
	if result := client.Do(t.Context(), r); result.Request != nil || attempt.Head(nil, attempt.Sent{}) != "" {
		t.Errorf("kept %q of what was not sent", result.Request)
	}
}

func TestMayAdd(t *testing.T) {
	for _, name := range []string{
		"Host", "content-length", "Transfer-Encoding", "Connection", "TE", "Upgrade", "Expect", "User-Agent",
		"Content-Type", "X-Service-Signature", "x-service-other", "Webhook-Id", "webhook-anything", "", "a b", "a:b",
		"X-\r\nY", "Proxy-Authorization", "Idempotency-Key", "Cookie",
	} {
		if attempt.MayAdd(name, "value") {
			t.Errorf("%q may be added", name)
		}
	}
	for _, value := range []string{"a\nb", "a\r\nb: c", "\x00", "\x7f"} {
		if attempt.MayAdd("X-Own", value) {
			t.Errorf("the value %q may be added", value)
		}
	}
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Own"} {
		if !attempt.MayAdd(name, "value") {
			t.Errorf("%q may not be added", name)
		}
	}
}
