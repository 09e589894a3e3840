package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/graph/engine/notify"
)

// Mail configures sending email.
type Mail struct {
	SMTPURL string `name:"smtp-url" xor:"smtp" env:"STOREFRONT_SMTP_URL" placeholder:"URL" help:"Mail server: smtps://user:pass@host:465, or smtp://user:pass@host:587, which requires STARTTLS unless it ends with ?tls=optional or ?tls=none. Put a password into --smtp-file: others can read the arguments of a process (default: no email)."`
	// SMTPFile is a file that holds SMTPURL.
	SMTPFile []byte `name:"smtp-file" type:"filecontent" xor:"smtp" env:"STOREFRONT_SMTP_FILE" placeholder:"FILE" help:"File that holds the URL of the mail server with its password."`
	MailFrom string `env:"STOREFRONT_MAIL_FROM" placeholder:"ADDRESS" help:"Sender of emails, such as \"Storefront <notices@shop.example>\"; required with a mail server."`
}

// server returns the URL of the mail server, or "".
func (m Mail) server() string { return cmp.Or(m.SMTPURL, content(m.SMTPFile)) }

// check returns what is wrong, without the address and its password.
func (m Mail) check() error {
	if m.server() == "" {
		return nil
	}
	if _, err := notify.ParseServer(m.server()); err != nil {
		return fmt.Errorf("--smtp-url: %w", err)
	}
	if m.MailFrom == "" {
		return errors.New("--mail-from is required with --smtp-url or --smtp-file")
	}
	if _, err := notify.ParseSender(m.MailFrom); err != nil {
		return fmt.Errorf("--mail-from: %w", err)
	}
	return nil
}

// redacted returns the mail server's host and port, or "".
func (m Mail) redacted() string {
	if s, err := notify.ParseServer(m.server()); err == nil {
		return s.String()
	}
	return ""
}

// notifier returns the writer of notices for a dashboard under api; nil without a mail server, if
// notices appear only on the dashboard.
func (m Mail) notifier(api string) (*notify.Notifier, error) {
	if m.server() == "" {
		return nil, nil
	}
	return notify.New(api)
}

// newSender creates the sender of emails if there is a mail server.
func (s *Server) newSender(c Mail, reg prometheus.Registerer) error {
	if c.server() == "" {
		return nil
	}
	server, err := notify.ParseServer(c.server())
	if err != nil {
		return fmt.Errorf("--smtp-url: %w", err)
	}
	from, err := notify.ParseSender(c.MailFrom)
	if err != nil {
		return fmt.Errorf("--mail-from: %w", err)
	}
	s.sender, err = notify.NewSender(notify.SenderConfig{
		Store: s.base.Store, Server: server, From: from, Logger: s.log,
		Limits: s.base.Limits, Notifier: s.base.Notifier,
	})
	if err != nil {
		return err
	}
	return registerMail(reg, s.sender)
}

func registerMail(reg prometheus.Registerer, sender *notify.Sender) error {
	return cmp.Or(
		reg.Register(counter("storefront_mail_sent_total", "Mails that the mail server took.", sender.Sent)),
		reg.Register(counter("storefront_mail_failed_total", "Tries to send a mail that failed.", sender.Failed)),
		reg.Register(counter("storefront_mail_given_up_total", "Mails that will not be tried again.", sender.GivenUp)),
		reg.Register(counter("storefront_mail_panics_total", "Panics in tries to send a mail.", sender.Panics)),
		reg.Register(waiting{sender}),
	)
}

// waitingTimeout bounds the query that a scrape of the metrics causes.
const waitingTimeout = 2 * time.Second

// waiting collects how many emails are queued. It has no value while the database is down.
type waiting struct{ sender *notify.Sender }

var mailWaiting = prometheus.NewDesc("storefront_mail_waiting",
	fmt.Sprintf("Mails that are not sent yet, of all processes; counted up to %d.", notify.MaxWaiting), nil, nil)

// Describe implements prometheus.Collector.
func (waiting) Describe(out chan<- *prometheus.Desc) { out <- mailWaiting }

// Collect implements prometheus.Collector.
func (w waiting) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), waitingTimeout)
	defer cancel()
	if n, err := w.sender.Waiting(ctx); err == nil {
		out <- prometheus.MustNewConstMetric(mailWaiting, prometheus.GaugeValue, float64(n))
	}
}
