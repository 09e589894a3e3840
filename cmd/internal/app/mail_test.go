package app

import (
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent/storetest"
)

// The email metrics exist if email is configured, and count the queue.
func TestMailMetrics(t *testing.T) {
	s := &Server{log: slog.New(slog.DiscardHandler), base: &Base{Store: storetest.Open(t)}}
	reg := prometheus.NewRegistry()
	if err := s.newSender(Mail{}, reg); err != nil || s.sender != nil {
		t.Errorf("without a server: %v, %v", s.sender, err)
	}
	if n, err := (Mail{}).notifier("https://shop.example", nil); n != nil || err != nil {
		t.Errorf("without a server: %v, %v", n, err)
	}
	m := Mail{SMTPURL: "smtps://mail.example", MailFrom: "a@shop.example"}
	if err := s.newSender(m, reg); err != nil || s.sender == nil {
		t.Fatalf("with a server: %v", err)
	}
	if n, err := m.notifier("https://shop.example", nil); n == nil || err != nil {
		t.Errorf("with a server: %v, %v", n, err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, f := range families {
		got[f.GetName()] = true
	}
	for _, name := range []string{"storefront_mail_sent_total", "storefront_mail_failed_total",
		"storefront_mail_given_up_total", "storefront_mail_panics_total", "storefront_mail_waiting"} {
		if !got[name] {
			t.Errorf("%s is missing from %v", name, got)
		}
	}
}
