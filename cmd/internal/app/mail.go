package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// Mail configures sending email.
type Mail struct {
	SMTPURL  string `name:"smtp-url" xor:"smtp" env:"STOREFRONT_SMTP_URL" placeholder:"URL" help:"Mail server: smtps://user:pass@host:465, or smtp://user:pass@host:587, which requires STARTTLS unless it ends with ?tls=optional or ?tls=none. Put a password into --smtp-file: others can read the arguments of a process (default: no email)."`
	SMTPFile []byte `name:"smtp-file" type:"filecontent" xor:"smtp" env:"STOREFRONT_SMTP_FILE" placeholder:"FILE" help:"File that holds the URL of the mail server with its password."`
	MailFrom string `env:"STOREFRONT_MAIL_FROM" placeholder:"ADDRESS" help:"Sender of emails, such as \"Storefront <notices@shop.example>\"; required with a mail server."`
	MailOwn  bool   `name:"mail-own-domains" env:"STOREFRONT_MAIL_OWN_DOMAINS" help:"Let stores send emails to shoppers from addresses of their own, which they prove by DNS. The mail server must accept any From; the envelope keeps the address of --mail-from."`
}

func (m Mail) server() string { return cmp.Or(m.SMTPURL, content(m.SMTPFile)) }

// check returns what is wrong, without the address and its password.
func (m Mail) check() error {
	if m.server() == "" {
		if m.MailOwn {
			return errors.New("--mail-own-domains needs --smtp-url or --smtp-file")
		}
		return nil
	}
	_, err := m.sender()
	return err
}

// own returns the address of the service if stores may send from others; "" if not.
func (m Mail) own() string {
	c, err := m.sender()
	if m.server() == "" || err != nil || !m.MailOwn {
		return ""
	}
	return c.From.Address
}

// sender returns the settings of a sender of emails: its server and address.
func (m Mail) sender() (c notify.SenderConfig, err error) {
	if c.Server, err = notify.ParseServer(m.server()); err != nil {
		return c, fmt.Errorf("--smtp-url: %w", err)
	}
	if m.MailFrom == "" {
		return c, errors.New("--mail-from is required with --smtp-url or --smtp-file")
	}
	if c.From, err = notify.ParseSender(m.MailFrom); err != nil {
		return c, fmt.Errorf("--mail-from: %w", err)
	}
	return c, nil
}

// redacted returns the mail server's host and port, or "".
func (m Mail) redacted() string {
	if s, err := notify.ParseServer(m.server()); err == nil {
		return s.String()
	}
	return ""
}

// notifier returns the writer of notices for a dashboard under api; nil without a mail server.
func (m Mail) notifier(api string, links *link.Signer) (*notify.Notifier, error) {
	if m.server() == "" {
		return nil, nil
	}
	n, err := notify.New(api)
	n.UseLinks(links)
	return n, err
}

func (s *Server) newSender(c Mail, reg prometheus.Registerer) error {
	if c.server() == "" {
		return nil
	}
	config, err := c.sender()
	if err != nil {
		return err
	}
	config.Store, config.Logger, config.Limits, config.Notifier = s.base.Store, s.log, s.base.Limits, s.base.Notifier
	if c.MailOwn { // else no email asks for the sender of its store
		config.Own = s.core.Domains.OwnSender
	}
	sender, err := notify.NewSender(config)
	if err != nil {
		return err
	}
	s.sender = sender
	return cmp.Or(
		reg.Register(counter("storefront_mail_sent_total", "Mails that the mail server took.", sender.Sent)),
		reg.Register(counter("storefront_mail_failed_total", "Tries to send a mail that failed.", sender.Failed)),
		reg.Register(counter("storefront_mail_given_up_total", "Mails that will not be tried again.", sender.GivenUp)),
		reg.Register(counter("storefront_mail_panics_total", "Panics in tries to send a mail.", sender.Panics)),
		reg.Register(sampled{mailWaiting, func(ctx context.Context) (float64, error) {
			n, err := sender.Waiting(ctx)
			return float64(n), err
		}}),
	)
}

var mailWaiting = prometheus.NewDesc("storefront_mail_waiting",
	fmt.Sprintf("Mails that are not sent yet, of all processes; counted up to %d.", notify.MaxWaiting), nil, nil)
