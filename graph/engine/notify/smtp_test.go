package notify_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	netmail "net/mail"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// received is an email that the test server accepted.
type received struct {
	from, to string
	options  smtp.MailOptions
	secure   bool // it came over TLS
	raw      []byte
}

// message parses the email.
func (r received) message(t *testing.T) *netmail.Message {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(r.raw))
	if err != nil {
		t.Fatalf("not a valid email: %v\n%s", err, r.raw)
	}
	return m
}

// post is a mail server. A test changes its replies between rounds.
type post struct {
	address string

	mu    sync.Mutex
	rcpt  func(to string) error // the reply to RCPT; nil accepts all
	data  func() error          // the reply to the text
	mail  error                 // the reply to MAIL
	hook  func()                // runs before the reply to the text
	taken []received
	calls int // connections
}

// open starts a server on a listener.
func (p *post) open(t *testing.T, l net.Listener, edit func(*smtp.Server)) *post {
	t.Helper()
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.calls++
		return &visit{post: p, conn: c}, nil
	}))
	s.Domain, s.EnableSMTPUTF8 = "mail.test", true
	s.ErrorLog = log.New(io.Discard, "", 0)
	if edit != nil {
		edit(s)
	}
	p.address = l.Addr().String()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return p
}

// listen opens a listener on this machine.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// mails returns the emails that the server accepted since the last call.
func (p *post) mails() []received {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.taken
	p.taken = nil
	return list
}

// say changes the server's replies.
func (p *post) say(f func(p *post)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p)
}

// visit is one connection.
type visit struct {
	post *post
	conn *smtp.Conn
	mail received
}

func (v *visit) Reset()        { v.mail = received{} }
func (v *visit) Logout() error { return nil }

func (v *visit) Mail(from string, o *smtp.MailOptions) error {
	v.post.mu.Lock()
	defer v.post.mu.Unlock()
	_, secure := v.conn.TLSConnectionState()
	v.mail = received{from: from, options: *o, secure: secure}
	return v.post.mail
}

func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.post.mu.Lock()
	defer v.post.mu.Unlock()
	if v.mail.to != "" {
		return errors.New("a mail for two")
	}
	v.mail.to = to
	if v.post.rcpt != nil {
		return v.post.rcpt(to)
	}
	return nil
}

func (v *visit) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	v.post.mu.Lock()
	hook := v.post.hook
	v.post.mu.Unlock()
	if hook != nil {
		hook()
	}
	v.post.mu.Lock()
	defer v.post.mu.Unlock()
	if v.post.data != nil {
		if err := v.post.data(); err != nil {
			return err
		}
	}
	v.mail.raw = raw
	v.post.taken = append(v.post.taken, v.mail)
	return nil
}

// inside is a listener without sockets, for synctest bubbles.
type inside struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newInside() *inside { return &inside{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (i *inside) Accept() (net.Conn, error) {
	select {
	case c := <-i.conns:
		return c, nil
	case <-i.closed:
		return nil, net.ErrClosed
	}
}

func (i *inside) Close() error   { i.once.Do(func() { close(i.closed) }); return nil }
func (i *inside) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 25} }

// dial connects to the listener.
func (i *inside) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case i.conns <- server:
		return client, nil
	case <-i.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
