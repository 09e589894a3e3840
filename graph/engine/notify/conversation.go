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
	// mailTimeout bounds the greeting, STARTTLS and signing in together, and then
	// each mail.
	mailTimeout = 30 * time.Second
	// hurryTimeout is what is left of both when the round has to end.
	hurryTimeout = 5 * time.Second
)

// conversation is a connection to the mail server, over which mails go one after
// the other.
type conversation struct {
	client *mail.Client
	smtp   *smtp.Client
	conn   *bounded
	ended  func() bool // lets the context go
	broken bool        // nothing more can be said
}

// open connects, encrypts and signs in. When ctx ends, what is being said may
// take [hurryTimeout] more: a mail that was cut off half-way may have arrived.
func (s *Sender) open(ctx context.Context) (*conversation, error) {
	v := &conversation{}
	client, err := mail.NewClient(s.Server.host,
		s.options(func(dialing context.Context, network, address string) (net.Conn, error) {
			raw, err := s.dial(dialing, network, address)
			if err != nil {
				return nil, err
			}
			v.conn = &bounded{Conn: raw}
			v.ended = context.AfterFunc(ctx, func() { v.conn.endBy(time.Now().Add(hurryTimeout)) })
			return s.secured(dialing, v.conn)
		})...)
	if err != nil {
		return nil, fmt.Errorf("prepare for the mail server: %w", err)
	}
	v.client = client
	if v.smtp, err = client.DialToSMTPClientWithContext(ctx); err != nil {
		v.broken = true
		v.close() // the library leaves it open
		return nil, fmt.Errorf("reach the mail server %s: %w", s.Server, spoken(err))
	}
	return v, nil
}

// options are those of the library, with dial as its dialer.
func (s *Sender) options(dial mail.DialContextFunc) []mail.Option {
	list := []mail.Option{
		mail.WithPort(s.Server.port), mail.WithTimeout(mailTimeout), mail.WithDialContextFunc(dial),
		mail.WithTLSConfig(s.tlsConfig()), mail.WithTLSPolicy(s.Server.tls.policy()),
		// Both would follow each mail: its answer says as much.
		mail.WithoutNoop(), mail.WithoutRset(),
	}
	if s.Server.user != "" {
		// Over a connection in the clear it signs in only by what hides the password.
		list = append(list, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover),
			mail.WithUsername(s.Server.user), mail.WithPassword(s.Server.password))
	}
	return list
}

func (s *Sender) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: s.Server.host, RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
}

// policy is the library's name. Implicit TLS is the dialer's work, and what the
// library finds in place then; no server offers STARTTLS within TLS.
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

// dial connects within [dialTimeout].
func (s *Sender) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	return s.Dial(ctx, network, address)
}

// secured begins TLS where the server speaks it from the first byte.
func (s *Sender) secured(ctx context.Context, conn net.Conn) (net.Conn, error) {
	if s.Server.tls != implicit {
		return conn, nil
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	secure := tls.Client(conn, s.tlsConfig())
	return secure, secure.HandshakeContext(ctx)
}

// send hands a message over. Addresses beyond ASCII are asked for only where the
// mail has one (RFC 6531): asking without need would keep it from every server
// behind this one that lacks them.
func (v *conversation) send(m *mail.Msg) error {
	v.broken = true // until it is known how this ends
	v.smtp.SkipSMTPUTF8(!wide(m))
	err := v.client.SendWithSMTPClient(v.smtp, m)
	if err == nil || m.IsDelivered() {
		v.broken = false
		return nil
	}
	// What failed may have left half a mail behind, which the next one must not find.
	v.broken = v.smtp.Reset() != nil
	return err
}

// cut ends what is being said at once: the mail may be another sender's by now.
func (v *conversation) cut() { v.conn.endBy(time.Now()) }

// wide reports whether the addresses of a message need more than ASCII.
func wide(m *mail.Msg) bool {
	to, _ := m.GetRecipients() // none is refused when it is sent
	from, _ := m.GetSender(false)
	return strings.ContainsFunc(strings.Join(append(to, from), ""), func(r rune) bool { return r >= utf8.RuneSelf })
}

// close takes leave and closes the connection.
func (v *conversation) close() {
	if v.conn == nil {
		return
	}
	v.conn.endBy(time.Now().Add(hurryTimeout))
	if !v.broken {
		// Whoever does not answer has the mails all the same.
		_ = v.smtp.Quit()
	}
	v.ended()
	_ = v.conn.Close()
}

// spoken makes an error of what a server said without its words, in which it may
// repeat an address.
func spoken(err error) error {
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		return fmt.Errorf("it answered %d", said.Code)
	}
	return err
}

// bounded is a connection that can be ended: no later deadline counts then.
type bounded struct {
	net.Conn
	mu  sync.Mutex
	end time.Time // zero while it has none
}

// SetDeadline implements net.Conn.
func (b *bounded) SetDeadline(t time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.end.IsZero() && t.After(b.end) {
		t = b.end
	}
	return b.Conn.SetDeadline(t)
}

// endBy lets nothing be read or written after t.
func (b *bounded) endBy(t time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.end.IsZero() || t.Before(b.end) {
		b.end = t
	}
	_ = b.Conn.SetDeadline(b.end) // of a closed connection nothing is read anyway
}
