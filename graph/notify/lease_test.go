package notify_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/notify"
)

// While a mail is on its way, it is no other sender's: its claim is renewed.
func TestClaimRenewed(t *testing.T) {
	within(t, func(t *testing.T, s *shop, p *post, sender *notify.Sender) {
		var left time.Duration
		p.hook = func() {
			<-time.After(25 * time.Second)
			left = s.waiting()[0].DueAt.Sub(micros.Now())
		}
		s.put(xid.New(), "owner@example.com", "Hello")
		s.round(sender)
		if left < 105*time.Second || sender.Sent() != 1 {
			t.Errorf("the claim was %s from its end, %d sent", left, sender.Sent())
		}
	})
}

// A panic ends the try of one mail; the others of the round are sent, and it is
// tried again.
func TestPanics(t *testing.T) {
	within(t, func(t *testing.T, s *shop, p *post, sender *notify.Sender) {
		dial, calls := sender.Dial, 0
		sender.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if calls++; calls == 1 {
				panic("a server nobody foresaw")
			}
			return dial(ctx, network, address)
		}
		for range 2 {
			s.put(xid.New(), "owner@example.com", "Hello")
		}
		s.round(sender)
		rows := s.waiting()
		if len(rows) != 1 || sender.Sent() != 1 || sender.Failed() != 1 || sender.Panics() != 1 ||
			rows[0].DueAt <= micros.Now() {
			t.Fatalf("%d wait, %d sent, %d failed, %d panics", len(rows), sender.Sent(), sender.Failed(),
				sender.Panics())
		}
		<-time.After(rows[0].DueAt.Sub(micros.Now()))
		s.round(sender)
		if len(s.waiting()) != 0 || sender.Sent() != 2 {
			t.Errorf("%d wait, %d sent", len(s.waiting()), sender.Sent())
		}
	})
}
