package attempt_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// broker starts a NATS server with the user shop and the stream SHOP of the subjects below shop. It
// returns its host and port.
func broker(t *testing.T, edit func(*server.Options)) string {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
		Username: "shop", Password: `pa"ss:word`}
	if edit != nil {
		edit(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.Addr().String()
}

// ask sends a request to the server, as its administrator, and returns the answer.
func ask(t *testing.T, address, subject, text string) (answer map[string]any) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "CONNECT {\"verbose\":false,\"user\":\"shop\",\"pass\":\"pa\\\"ss:word\"}\r\nSUB here 1\r\nPUB %s here %d\r\n%s\r\n",
		subject, len(text), text)
	for r := bufio.NewReader(c); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "{") {
			if err := json.Unmarshal([]byte(line), &answer); err != nil {
				t.Fatal(err)
			}
			return answer
		}
	}
}

// streaming is [broker] without TLS, with its stream.
func streaming(t *testing.T) string {
	t.Helper()
	address := broker(t, nil)
	ask(t, address, "$JS.API.STREAM.CREATE.SHOP",
		`{"name":"SHOP","subjects":["shop.>"],"storage":"memory","max_msg_size":4000}`)
	return address
}

// login are the custom fields with the credentials of the server's user.
func login(password string) []attempt.Field {
	return []attempt.Field{{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("shop:"+password))}}
}

// A stream stores each delivery once, with the headers of a request, and says why it does not.
func TestQueue(t *testing.T) {
	address := streaming(t)
	good := login(`pa"ss:word`)
	for _, tc := range []struct {
		name, to, id, body string
		login              []attempt.Field
		outcome            attempt.Outcome
		detail             string
	}{
		{name: "a message", to: "/shop.events", id: "dlv_1", login: good, outcome: attempt.Delivered},
		{name: "another", to: "/shop", id: "dlv_2", login: append(good, attempt.Field{"X-Own", "1"}),
			outcome: attempt.Delivered},
		{name: "the first again", to: "/shop.events", id: "dlv_1", login: good, outcome: attempt.Delivered},
		{name: "no stream", to: "/other", id: "dlv_3", login: good, outcome: attempt.ClientError,
			detail: "no stream of the server stores the subject"},
		{name: "a wrong password", to: "/shop", id: "dlv_4", login: login("x"), outcome: attempt.ClientError,
			detail: "the server refused the credentials"},
		{name: "no password", to: "/shop", id: "dlv_5", outcome: attempt.ClientError,
			detail: "the server refused the credentials"},
		{name: "a large message", to: "/shop", id: "dlv_6", login: good, body: strings.Repeat("x", 5000),
			outcome: attempt.ClientError, detail: "the stream refused the message with 400"},
		{name: "another scheme", to: "/shop", id: "dlv_7", login: []attempt.Field{{"authorization", "Digest x"}},
			outcome: attempt.ClientError, detail: "the header Authorization is neither Basic nor Bearer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := request(t, "nats://"+address+tc.to, `{"event_id":"evt_1"}`+tc.body)
			r.DeliveryID, r.Header = tc.id, tc.login
			got := client(t).Do(t.Context(), r)
			if got.Outcome != tc.outcome || got.Detail != tc.detail || len(got.Response) > 4096 {
				t.Errorf("got %+v", got)
			}
			head := attempt.Head(got.Request, attempt.Sent{EventType: r.EventType})
			if tc.outcome == attempt.Delivered &&
				(!strings.HasPrefix(head, "PUBLISH nats://"+address+tc.to+".order.paid\r\n") ||
					strings.Contains(head, "Basic")) {
				t.Errorf("the log shows %q", head)
			}
		})
	}
	stored(t, address)
}

// stored checks the two messages in the stream.
func stored(t *testing.T, address string) {
	t.Helper()
	for i, subject := range []string{"shop.events.order.paid", "shop.order.paid"} {
		found := ask(t, address, "$JS.API.STREAM.MSG.GET.SHOP", fmt.Sprintf(`{"seq":%d}`, i+1))
		m, _ := found["message"].(map[string]any)
		text := func(name string) []byte {
			b, err := base64.StdEncoding.DecodeString(fmt.Sprint(m[name]))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		_, head, _ := bytes.Cut(text("hdrs"), []byte("\r\n"))
		fields, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(head))).ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header(fields)
		if err := verify(h, text("data"), time.Now(), secretA, secretB); err != nil {
			t.Error(err)
		}
		if m["subject"] != subject || string(text("data")) != `{"event_id":"evt_1"}` || h.Get("Authorization") != "" ||
			h.Get("Nats-Msg-Id") != fmt.Sprintf("dlv_%d", i+1) || (h.Get("X-Own") == "1") != (i == 1) {
			t.Errorf("message %d: %v, %v", i+1, m["subject"], h)
		}
	}
	if got := ask(t, address, "$JS.API.STREAM.MSG.GET.SHOP", `{"seq":3}`); got["error"] == nil {
		t.Errorf("there are more messages: %v", got)
	}
}

// The credentials are sent over TLS only, to a server whose certificate is trusted; the stream is not
// reached without.
func TestQueueTLS(t *testing.T) {
	https := httptest.NewTLSServer(nil)
	defer https.Close()
	pool := x509.NewCertPool()
	pool.AddCert(https.Certificate())
	address := broker(t, func(o *server.Options) {
		o.TLS, o.TLSConfig = true, &tls.Config{Certificates: https.TLS.Certificates}
	})
	plain := broker(t, nil)
	trusted := attempt.New(attempt.Config{Egress: egress.Policy{AllowLoopback: true}, RootCAs: pool})
	defer trusted.Close()
	for _, tc := range []struct {
		name, address string
		client        *attempt.Client
		outcome       attempt.Outcome
		detail        string
	}{
		{"trusted", "tls://" + address, trusted, attempt.ClientError, "no stream of the server stores the subject"},
		{"untrusted", "tls://" + address, client(t), attempt.TLSFailed,
			"the certificate is signed by an unknown authority"},
		{"without TLS", "nats://" + address, trusted, attempt.TLSFailed, "the server requires TLS"},
		{"a server without", "tls://" + plain, trusted, attempt.TLSFailed, "the server does not offer TLS"},
		{"a private address", "tls://10.0.0.7:4222", trusted, attempt.AddressRefused, "private"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := request(t, tc.address+"/shop", "{}")
			r.Header = login(`pa"ss:word`)
			got := tc.client.Do(t.Context(), r)
			if got.Outcome != tc.outcome || !strings.HasPrefix(got.Detail, tc.detail) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// A server that hangs, lies or ends costs no more time than a receiver that does.
func TestQueueTimes(t *testing.T) {
	const info = `INFO {"headers":true}` + "\r\n"
	for _, tc := range []struct {
		name   string
		answer string
		hangs  bool
		want   attempt.Outcome
	}{
		{name: "silence", hangs: true, want: attempt.Timeout},
		{name: "silence after the introduction", answer: info, hangs: true, want: attempt.Timeout},
		{name: "pings without end", answer: info + strings.Repeat("PING\r\n", 20), hangs: true, want: attempt.Timeout},
		{name: "the end", want: attempt.Reset},
		{name: "the end after the introduction", answer: info, want: attempt.Reset},
		{name: "another protocol", answer: "SSH-2.0-Server\r\n", want: attempt.MalformedAnswer},
		{name: "no headers", answer: "INFO {}\r\n", want: attempt.ServerError},
		{name: "a long line", answer: "INFO {" + strings.Repeat(" ", 40<<10), want: attempt.MalformedAnswer},
		{name: "a long answer", answer: info + "MSG x 1 99999999\r\n", want: attempt.MalformedAnswer},
		{name: "a lie", answer: info + "MSG x 1 2\r\n{}\r\n", want: attempt.MalformedAnswer},
		{name: "an acknowledgment", answer: info + "+OK\r\nMSG x 1 14\r\n{\"stream\":\"S\"}\r\n", want: attempt.Delivered},
		{name: "a full stream", answer: info + "MSG x 1 22\r\n{\"error\":{\"code\":503}}\r\n", want: attempt.ServerError},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := dialed(t, func(c net.Conn) {
					go func() {
						io.WriteString(c, tc.answer)
						if !tc.hangs {
							synctest.Wait() // until the message was sent
							c.Close()
						}
					}()
					io.Copy(io.Discard, c)
				})
				began := time.Now()
				got := c.Do(t.Context(), request(t, "nats://127.0.0.1/shop", "{}"))
				if got.Outcome != tc.want || time.Since(began) > attempt.MaxTime {
					t.Errorf("%+v after %v", got, time.Since(began))
				}
			})
		})
	}
}

// The end of the context ends an attempt at a queue, and no receiver is blamed.
func TestQueueCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := dialed(t, func(c net.Conn) {
		go io.WriteString(c, `INFO {"headers":true}`+"\r\n")
		if _, err := c.Read(make([]byte, 1)); err == nil {
			cancel()
		}
		io.Copy(io.Discard, c)
	})
	if got := c.Do(ctx, request(t, "nats://127.0.0.1/shop", "{}")); got.Outcome != attempt.Cancelled || !got.Sent {
		t.Errorf("got %+v", got)
	}
}

func TestCheckURL(t *testing.T) {
	got := map[string]string{}
	for _, address := range []string{
		"https://a.example/x", "http://a.example/", "tls://a.example/shop", "TLS://a.example:4222/shop.events_1",
		"nats://127.0.0.1:4222/shop", "nats://a.example/shop", "tls://10.0.0.7/shop", "tls://localhost/shop",
		"tls://a.example", "tls://a.example/", "tls://a.example/shop.*", "tls://a.example/shop.>",
		"tls://a.example/a%20b", "tls://a.example/a/b", "tls://a.example/.a", "tls://a.example/a?b",
		"tls://a.example/a#b",
		"tls://u:p@a.example/a", "tls:a.example/a", "tls://a.example/a\r\nPUB b 0", "amqps://a.example/a",
	} {
		got[address] = attempt.CheckURL(egress.Policy{AllowLoopback: true}, address)
	}
	accepted := []string{}
	for address, wrong := range got {
		if wrong == "" {
			accepted = append(accepted, address)
		}
	}
	slices.Sort(accepted)
	want := []string{"TLS://a.example:4222/shop.events_1", "https://a.example/x", "nats://127.0.0.1:4222/shop",
		"tls://a.example/shop", "tls://localhost/shop"}
	if d := cmp.Diff(want, accepted); d != "" {
		t.Error(d)
	}
	if attempt.CheckURL(egress.Policy{}, "nats://127.0.0.1:4222/shop") == "" {
		t.Error("this machine is allowed without the setting")
	}
}

// Whatever a server sends, the attempt has one of the outcomes, and keeps no more than allowed.
func FuzzQueue(f *testing.F) {
	for _, seed := range []string{
		"", "INFO {}\r\n", "INFO {\"headers\":true}\r\nMSG a 1 2\r\n{}\r\n", "INFO {\"headers\":true}\r\n-ERR 'x'\r\n",
		"INFO {\"headers\":true}\r\nHMSG a 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", "INFO {\"headers\":true}\r\nPING\r\nMSG\r\n",
		"INFO {\"headers\":true}\r\nMSG a 1 -1\r\n", "INFO {\"headers\":true}\r\nMSG a 1 14\r\n{\"stream\":\"S\"}\r\n",
	} {
		f.Add([]byte(seed))
	}
	target, err := attempt.NewTarget("nats://127.0.0.1/shop", secretA)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		c := dialed(t, func(c net.Conn) {
			go io.Copy(io.Discard, c)
			c.Write(answer)
		})
		got := c.Do(t.Context(), attempt.Request{Target: target, EventID: "evt_1", EventType: "order.paid"})
		if !slices.Contains(attempt.Outcomes(), got.Outcome) || got.Outcome == attempt.Timeout ||
			len(got.Response) > 4096 {
			t.Errorf("%q: %+v", answer, got)
		}
	})
}
