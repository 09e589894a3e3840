package notify_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// plainly returns the address of a server without TLS.
func plainly(p *post) string { return "smtp://" + p.address + "?tls=none" }

// Each recipient gets one email, once, over one connection.
func TestSender(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s, p := staffed(t, store), new(post).open(t, listen(t), nil)
		s.notify(notice())
		sender := s.sender(plainly(p), nil)
		if n, err := sender.Waiting(t.Context()); n != 3 || err != nil {
			t.Errorf("%d emails wait, %v; want 3", n, err)
		}
		rows := s.waiting()
		s.round(sender)
		s.round(sender)
		got := map[string]received{}
		for _, m := range p.mails() {
			if _, twice := got[m.to]; twice {
				t.Errorf("two emails to %s", m.to)
			}
			got[m.to] = m
		}
		if len(got) != 3 || p.calls != 1 || len(s.waiting()) != 0 || sender.Sent() != 3 || sender.Failed() != 0 {
			t.Errorf("%d emails over %d connections, %d sent, %d failed, %d wait", len(got), p.calls, sender.Sent(),
				sender.Failed(), len(s.waiting()))
		}
		for _, row := range rows {
			m := got[row.Recipient]
			if m.from != "notices@shop.example" || m.options.UTF8 {
				t.Errorf("the envelope is from %q, %+v", m.from, m.options)
			}
			want := map[string]string{
				"From": `"Storefront" <notices@shop.example>`, "To": "<" + row.Recipient + ">",
				"Subject": "Endpoint suspended (Test shop)", "Auto-Submitted": "auto-generated", "User-Agent": "",
				"X-Mailer": "", "Message-Id": "<" + row.ID.String() + "@shop.example>",
				"Date": row.ID.Time().Time().Format(time.RFC1123Z), "Content-Type": "text/plain; charset=UTF-8",
				"Content-Transfer-Encoding": "quoted-printable", "Mime-Version": "1.0",
			}
			for name, want := range want {
				if got := m.message(t).Header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			text, err := io.ReadAll(quotedprintable.NewReader(m.message(t).Body))
			if err != nil ||
				!strings.HasPrefix(string(text),
					"It failed for a day.\r\n\r\n"+api+"/dashboard/webhooks/whk_") ||
				!strings.Contains(string(text), "\r\n\r\nThis is about the store Test shop ("+s.row.Handle+").") ||
				!strings.HasSuffix(strings.TrimSpace(string(text)), "\r\n"+api+"/dashboard/notifications") {
				t.Errorf("the text is %q, %v", text, err)
			}
		}
	})
}

// A server that is down delays emails and loses none.
func TestSenderServerDown(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s, p := open(t, store), new(post).open(t, listen(t), nil)
		id := xid.New()
		s.put(id, "owner@example.com", "Hello")
		down := true
		sender := s.sender(plainly(p), func(c *notify.SenderConfig) {
			c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if down {
					return nil, errors.New("connection refused")
				}
				return new(net.Dialer).DialContext(ctx, network, address)
			}
		})
		before := micros.Now()
		if err := sender.Round(t.Context()); err == nil || !strings.Contains(err.Error(), p.address) {
			t.Errorf("the round says %v", err)
		}
		m := s.only()
		if pause := m.DueAt.Sub(before); m.Attempts != 1 || pause < time.Minute || pause > 2*time.Minute {
			t.Errorf("after %d tries the next is %s later", m.Attempts, pause)
		}
		down = false
		s.round(sender) // not due
		if got := p.mails(); len(got) != 0 {
			t.Errorf("%d emails before their time", len(got))
		}
		s.pull()
		s.round(sender)
		if got := p.mails(); len(got) != 1 || len(s.waiting()) != 0 || sender.Sent() != 1 || sender.Failed() != 1 {
			t.Errorf("%d emails, %d wait", len(got), len(s.waiting()))
		}
	})
}

// The server's reply decides what happens to an email, and to that email only.
func TestSenderRefusals(t *testing.T) {
	temporary, permanent := &smtp.SMTPError{Code: 451, Message: "later, bad@example.com"},
		&smtp.SMTPError{Code: 550, Message: "no bad@example.com here"}
	rcpt := func(err error) func(*post) {
		return func(p *post) {
			p.rcpt = func(to string) error {
				if strings.HasPrefix(to, "bad@") {
					return err
				}
				return nil
			}
		}
	}
	data := func(err error) func(*post) {
		return func(p *post) {
			first := true
			p.data = func() error {
				if first {
					first = false
					return err
				}
				return nil
			}
		}
	}
	for _, tc := range []struct {
		name  string
		say   func(*post)
		gone  bool
		other int // emails to the other recipient
	}{
		{name: "RCPT 4xx", say: rcpt(temporary), other: 1},
		{name: "RCPT 5xx", say: rcpt(permanent), gone: true, other: 1},
		{name: "DATA 4xx", say: data(temporary), other: 1},
		{name: "DATA 5xx", say: data(permanent), gone: true, other: 1},
		{name: "MAIL 5xx", say: func(p *post) { p.mail = permanent }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, store *ent.Store) {
				s, p := open(t, store), new(post).open(t, listen(t), nil)
				p.say(tc.say)
				bad := xid.At(micros.Now().Add(-time.Hour)) // tried first
				s.put(bad, "bad@example.com", "Hello")
				s.put(xid.New(), "good@example.com", "Hello")
				sender := s.sender(plainly(p), nil)
				s.round(sender)
				got := p.mails()
				if len(got) != tc.other || p.calls != 1 {
					t.Errorf("%d other emails over %d connections", len(got), p.calls)
				}
				gone := true
				for _, m := range s.waiting() {
					gone = gone && m.ID != bad
				}
				if gone != tc.gone || (sender.GivenUp() == 1) != tc.gone {
					t.Errorf("gone: %t, given up: %d", gone, sender.GivenUp())
				}
				log := s.log.String()
				if strings.Contains(log, "@") || strings.Contains(log, "given up") != tc.gone {
					t.Errorf("the log: %s", log)
				}
			})
		})
	}
}

// An email is given up a day after it was written.
func TestSenderGivesUp(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s, p := open(t, store), new(post).open(t, listen(t), nil)
		p.say(func(p *post) { p.rcpt = func(string) error { return &smtp.SMTPError{Code: 451, Message: "later"} } })
		sender := s.sender(plainly(p), nil)
		day := xid.At(micros.Now().Add(-24 * time.Hour))
		s.put(day, "late@example.com", "Hello")
		almost := xid.At(micros.Now().Add(-23*time.Hour - 59*time.Minute - 30*time.Second))
		s.put(almost, "early@example.com", "Hello")
		s.round(sender)
		m := s.only()
		if late := m.DueAt.Sub(almost.Time()) - 24*time.Hour; m.ID != almost || late.Abs() > 5*time.Second {
			t.Errorf("the next try is %s later than a day after the first", late)
		}
		if log := s.log.String(); strings.Count(log, "mail given up") != 1 || strings.Contains(log, "@") ||
			sender.GivenUp() != 1 {
			t.Errorf("the log: %s", log)
		}
	})
}

// Of two concurrent senders, one sends an email.
func TestSendersAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s, p := open(t, store), new(post).open(t, listen(t), nil)
		const mails = 60 // more than one batch
		for i := range mails {
			s.put(xid.New(), fmt.Sprintf("p%d@example.com", i), "Hello")
		}
		senders := []*notify.Sender{s.sender(plainly(p), nil), s.sender(plainly(p), nil), s.sender(plainly(p), nil)}
		var wg sync.WaitGroup
		for _, sender := range senders {
			wg.Go(func() {
				if err := sender.Round(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		times := map[string]int{}
		for _, m := range p.mails() {
			times[m.to]++
		}
		for to, n := range times {
			if n != 1 {
				t.Errorf("%d emails to %s", n, to)
			}
		}
		if len(times) != mails || len(s.waiting()) != 0 {
			t.Errorf("%d of %d emails, %d wait", len(times), mails, len(s.waiting()))
		}
	})
}

// A sender that is killed between claim and sending leaves an email that is due again when the
// claim expires, and that is the same email.
func TestSenderDies(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s, p := open(t, store), new(post).open(t, listen(t), nil)
		id := xid.New()
		s.put(id, "owner@example.com", "Hello")
		dying := s.sender(plainly(p), func(c *notify.SenderConfig) {
			c.Dial = func(context.Context, string, string) (net.Conn, error) { runtime.Goexit(); return nil, nil }
		})
		var dead sync.WaitGroup
		dead.Go(func() {
			_ = dying.Round(t.Context())
			t.Error("the sender lived")
		})
		dead.Wait()
		sender := s.sender(plainly(p), nil)
		s.round(sender)
		m := s.only()
		if left := m.DueAt.Sub(micros.Now()); len(p.mails()) != 0 || m.Attempts != 1 || left < time.Minute ||
			left > 2*time.Minute {
			t.Errorf("a claimed email was touched: %v", m)
		}
		s.pull()
		s.round(sender)
		got := p.mails()
		if len(got) != 1 || got[0].message(t).Header.Get("Message-Id") != "<"+id.String()+"@shop.example>" {
			t.Errorf("got %d emails", len(got))
		}
	})
}

// Hostile values in a row stay in their place or are not sent.
func TestSenderHostileRows(t *testing.T) {
	s, p := open(t, storetest.Open(t)), new(post).open(t, listen(t), nil)
	sender := s.sender(plainly(p), nil)
	for _, subject := range []string{
		"Hello\r\nBcc: evil@example.com\r\n\r\nBody", "a\nb", "a\rb", "=?UTF-8?q?=0D=0ABcc:_evil@example.com?=",
		strings.Repeat("x   ", 60), strings.Repeat("ü", 255), "\x00", "日本語の店の名前 " + strings.Repeat("日", 200),
	} {
		s.put(xid.New(), "owner@example.com", subject)
		s.round(sender)
		got := p.mails()
		if len(got) != 1 {
			t.Fatalf("%q: %d emails", subject, len(got))
		}
		m := got[0].message(t)
		if len(m.Header) != 9 || m.Header.Get("Bcc") != "" {
			t.Errorf("%q: the headers are %v", subject, m.Header)
		}
		want := strings.Join(strings.Fields(strings.ReplaceAll(subject, "\x00", " ")), " ")
		read, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if read != want || err != nil {
			t.Errorf("%q reads %q, %v", subject, read, err)
		}
		for line := range strings.SplitSeq(string(got[0].raw), "\r\n") {
			if len(line) > 300 || strings.ContainsAny(line, "\r\n\x00") || line != "" && strings.TrimSpace(line) == "" {
				t.Errorf("%q: the line %q", subject, line)
			}
		}
	}
	for _, to := range []string{
		"a@example.com\r\nRCPT TO:<evil@example.com>", "a@example.com> NOTIFY=NEVER", "Evil <evil@example.com>",
		"a@example.com, b@example.com", "a@b c", "", "a",
	} {
		s.put(xid.New(), to, "Hello")
		s.round(sender)
		if got := p.mails(); len(got) != 0 || len(s.waiting()) != 0 {
			t.Errorf("%q: %d emails, %d wait", to, len(got), len(s.waiting()))
		}
	}
	if sender.GivenUp() != 7 || strings.Contains(s.log.String(), "@") {
		t.Errorf("%d given up; the log: %s", sender.GivenUp(), &s.log)
	}
}

// Long lines are wrapped between words, and line breaks of the text are kept.
func TestSenderFolds(t *testing.T) {
	s, p := staffed(t, storetest.Open(t)), new(post).open(t, listen(t), nil)
	n := notice()
	long := "https://" + strings.Repeat("x", 100) + ".example"
	n.Body = strings.Repeat("Größe ", 40) + long + " end\r\n\r\n.\nFrom here"
	s.notify(n)
	s.round(s.sender(plainly(p), nil))
	m := p.mails()[0]
	text, err := io.ReadAll(quotedprintable.NewReader(m.message(t).Body))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Repeat("Größe ", 40) + long + " end . From here"
	if got := strings.Join(strings.Fields(string(text)), " "); !strings.HasPrefix(got, words) {
		t.Errorf("the text lost words: %q", got)
	}
	if !strings.Contains(string(text), "\r\nend\r\n\r\n.\r\nFrom here\r\n") {
		t.Errorf("the text lost lines: %q", text)
	}
	for line := range strings.SplitSeq(string(text), "\r\n") {
		if utf8.RuneCountInString(line) > 76 && line != long {
			t.Errorf("a line of %d characters: %q", utf8.RuneCountInString(line), line)
		}
	}
	for line := range strings.SplitSeq(string(m.raw), "\r\n") {
		if len(line) > 78 {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
	}
}

// International addresses: the domain is sent in its DNS form, and SMTPUTF8 is requested only if
// the email needs it.
func TestSenderAddresses(t *testing.T) {
	s, p := open(t, storetest.Open(t)), new(post).open(t, listen(t), nil)
	sender := s.sender(plainly(p), nil)
	got := map[string]bool{}
	for _, to := range []string{"a@bücher.example", "müller@bücher.example", "o'neil+x@example.com"} {
		s.put(xid.New(), to, "Hello")
		s.round(sender)
		for _, m := range p.mails() {
			got[m.to] = m.options.UTF8
		}
	}
	want := map[string]bool{"a@xn--bcher-kva.example": false, "müller@xn--bcher-kva.example": true,
		"o'neil+x@example.com": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
