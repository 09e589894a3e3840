package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

const (
	dialTimeout = 10 * time.Second
	// mailTimeout bounds the greeting, STARTTLS and authentication together, and then each email.
	mailTimeout = 30 * time.Second
	// hurryTimeout replaces the rest of both when the round has to end.
	hurryTimeout = 5 * time.Second
)

type connection struct {
	client  *mail.Client
	smtp    *smtp.Client
	conn    *deadlineConn
	release func() bool // releases the context
	broken  bool        // the connection is unusable
}

// open connects, encrypts and authenticates. When ctx ends, the command in progress may take
// another [hurryTimeout], because an email that is cut off may have arrived.
func (s *Sender) open(ctx context.Context) (*connection, error) {
	c := &connection{}
	client, err := mail.NewClient(s.Server.host,
		s.options(func(dialing context.Context, network, address string) (net.Conn, error) {
			raw, err := s.dial(dialing, network, address)
			if err != nil {
				return nil, err
			}
			c.conn = &deadlineConn{Conn: raw}
			c.release = context.AfterFunc(ctx, func() { c.conn.endBy(time.Now().Add(hurryTimeout)) })
			return s.implicitTLS(dialing, c.conn)
		})...)
	if err != nil {
		return nil, fmt.Errorf("prepare for the mail server: %w", err)
	}
	c.client = client
	if c.smtp, err = client.DialToSMTPClientWithContext(ctx); err != nil {
		c.broken = true
		c.close() // the library leaves it open
		return nil, fmt.Errorf("reach the mail server %s: %w", s.Server, withoutText(err))
	}
	return c, nil
}

func (s *Sender) options(dial mail.DialContextFunc) []mail.Option {
	list := []mail.Option{
		mail.WithPort(s.Server.port), mail.WithTimeout(mailTimeout), mail.WithDialContextFunc(dial),
		mail.WithTLSConfig(s.tlsConfig()), mail.WithTLSPolicy(s.Server.tls.policy()),
		// Both would follow every email without saying more than its reply.
		mail.WithoutNoop(), mail.WithoutRset(),
	}
	if s.Server.user != "" {
		// Over an unencrypted connection it authenticates only by methods that hide the password.
		list = append(list, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover),
			mail.WithUsername(s.Server.user), mail.WithPassword(s.Server.password))
	}
	return list
}

func (s *Sender) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: s.Server.host, RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
}

// policy returns the library's policy. With implicit TLS the dialer encrypts, and the library finds
// that in place: no server offers STARTTLS within TLS.
func (s security) policy() mail.TLSPolicy {
	switch s {
	case none:
		return mail.NoTLS
	case optional, implicit:
		return mail.TLSOpportunistic
	case required:
	}
	return mail.TLSMandatory
}

func (s *Sender) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	return s.Dial(ctx, network, address)
}

func (s *Sender) implicitTLS(ctx context.Context, conn net.Conn) (net.Conn, error) {
	if s.Server.tls != implicit {
		return conn, nil
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	secure := tls.Client(conn, s.tlsConfig())
	return secure, secure.HandshakeContext(ctx)
}

// send requests SMTPUTF8 only if an address needs it (RFC 6531), because the request would keep the
// email from every later server without that extension.
func (c *connection) send(m *mail.Msg) error {
	c.broken = true // until the outcome is known
	c.smtp.SkipSMTPUTF8(!needsUTF8(m))
	err := c.client.SendWithSMTPClient(c.smtp, m)
	if err == nil || m.IsDelivered() {
		c.broken = false
		return nil
	}
	// A failed email may be half sent, and the next one must not follow it.
	c.broken = c.smtp.Reset() != nil
	return err
}

// cut aborts the command in progress at once: another sender may own the email by now.
func (c *connection) cut() { c.conn.endBy(time.Now()) }

func needsUTF8(m *mail.Msg) bool {
	to, _ := m.GetRecipients() // sending reports a message without recipients
	from, _ := m.GetSender(false)
	return strings.ContainsFunc(strings.Join(append(to, from), ""), func(r rune) bool { return r >= utf8.RuneSelf })
}

func (c *connection) close() {
	if c.conn == nil {
		return
	}
	c.conn.endBy(time.Now().Add(hurryTimeout))
	if !c.broken {
		// A server that does not answer has the emails all the same.
		_ = c.smtp.Quit()
	}
	c.release()
	_ = c.conn.Close()
}

// withoutText reduces a server's error to its code, because its text may repeat an address.
func withoutText(err error) error {
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		return fmt.Errorf("it answered %d", said.Code)
	}
	return err
}

// deadlineConn is a connection with a final deadline, which later deadlines cannot extend.
type deadlineConn struct {
	net.Conn
	mu  sync.Mutex
	end time.Time // zero if there is none
}

// SetDeadline implements net.Conn.
func (b *deadlineConn) SetDeadline(t time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.end.IsZero() && t.After(b.end) {
		t = b.end
	}
	return b.Conn.SetDeadline(t)
}

func (b *deadlineConn) endBy(t time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.end.IsZero() || t.Before(b.end) {
		b.end = t
	}
	_ = b.Conn.SetDeadline(b.end) // fails only on a closed connection
}
