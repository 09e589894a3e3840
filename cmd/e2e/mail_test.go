package e2e

import (
	"bytes"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// post is a mail server.
type post struct {
	address string
	came    chan *netmail.Message
}

// newPost starts a mail server, and ends it with the test.
func newPost(t *testing.T) *post {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &post{address: l.Addr().String(), came: make(chan *netmail.Message, 100)}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailbag{post: p}, nil }))
	s.Domain, s.ErrorLog = "mail.test", log.New(io.Discard, "", 0)
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

// flags make a program send its emails here.
func (p *post) flags() []string {
	return []string{"--smtp-url", "smtp://" + p.address + "?tls=none", "--mail-from", "shop@example.com"}
}

// mail waits for the next email to an address, and returns its subject and text.
func (p *post) mail(t *testing.T, to string) (subject, text string) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case m := <-p.came:
			if m.Header.Get("To") != "<"+to+">" {
				continue
			}
			body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
			if err != nil {
				t.Fatal(err)
			}
			return m.Header.Get("Subject"), strings.ReplaceAll(string(body), "\r\n", "\n")
		case <-limit:
			t.Fatalf("no mail to %s", to)
		}
	}
}

// link waits for an email with a link to a path, and returns the link's path.
func (p *post) link(t *testing.T, to, path string) string {
	t.Helper()
	for {
		_, text := p.mail(t, to)
		if _, rest, found := strings.Cut(text, path); found {
			token, _, _ := strings.Cut(rest, "\n")
			return path + token
		}
	}
}

// codeForm is a sign-in code of a shopper.
var codeForm = regexp.MustCompile(`\b[0-9]{8}\b`)

// code waits for an email with a sign-in code of a shopper.
func (p *post) code(t *testing.T, to string) string {
	t.Helper()
	for {
		_, text := p.mail(t, to)
		if code := codeForm.FindString(text); code != "" {
			return code
		}
	}
}

// letter is an email to a shopper.
type letter struct{ to, subject, text, html string }

// letter waits for the next email with text and HTML.
func (p *post) letter(t *testing.T) (l letter) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case m := <-p.came:
			media, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
			l.to = m.Header.Get("To")
			if err != nil || media != "multipart/alternative" {
				continue
			}
			if l.subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
				t.Fatal(err)
			}
			parts := multipart.NewReader(m.Body, params["boundary"])
			for _, into := range []*string{&l.text, &l.html} {
				part, err := parts.NextPart()
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(part)
				if err != nil {
					t.Fatal(err)
				}
				*into = strings.ReplaceAll(string(body), "\r\n", "\n")
			}
			return l
		case <-limit:
			t.Fatal("no letter")
		}
	}
}

// mailbag is one connection.
type mailbag struct{ post *post }

func (*mailbag) Reset()                               {}
func (*mailbag) Logout() error                        { return nil }
func (*mailbag) Mail(string, *smtp.MailOptions) error { return nil }
func (*mailbag) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (e *mailbag) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	e.post.came <- m
	return nil
}
