package notify_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// The claim on an email is renewed while it is being sent, so no other sender takes it.
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

// A panic ends the attempt at one email. The others of the round are sent, and this one is retried.
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

// The clock is set back by an hour after a sender that is gone claimed one email and another was
// written. The new one is sent at once and the claimed one within the length of a lease; an email
// that waits after several attempts is left alone.
func TestClockPutBack(t *testing.T) {
	within(t, func(t *testing.T, s *shop, _ *post, sender *notify.Sender) {
		ahead := micros.Now().Add(time.Hour)
		for range 3 {
			s.put(xid.New(), "owner@example.com", "Hello")
		}
		for i, row := range s.waiting() {
			s.write(func(ctx context.Context, c *db.Client) error {
				return c.Mail.Update().Where(mail.ID(row.ID)).SetAttempts([]int{0, 1, 7}[i]).
					SetDueAt([]micros.Time{ahead, ahead.Add(2 * time.Minute), ahead}[i]).Exec(ctx)
			})
		}
		s.round(sender)
		if sender.Sent() != 1 {
			t.Errorf("%d sent at once, want the one that nobody had tried", sender.Sent())
		}
		for range 15 {
			s.round(sender)
			<-time.After(10 * time.Second)
		}
		if rows := s.waiting(); len(rows) != 1 || rows[0].Attempts != 7 || sender.Sent() != 2 {
			t.Errorf("%d wait, %d sent", len(rows), sender.Sent())
		}
	})
}

// A claim that is renewed is kept, however far ahead it lies.
func TestClockPutBackAndSenderLives(t *testing.T) {
	within(t, func(t *testing.T, s *shop, _ *post, sender *notify.Sender) {
		s.put(xid.New(), "owner@example.com", "Hello")
		for range 20 {
			s.write(func(ctx context.Context, c *db.Client) error {
				return c.Mail.Update().SetAttempts(1).SetDueAt(micros.Now().Add(time.Hour)).Exec(ctx)
			})
			s.round(sender)
			<-time.After(15 * time.Second)
		}
		if len(s.waiting()) != 1 || sender.Sent() != 0 {
			t.Errorf("%d wait, %d sent", len(s.waiting()), sender.Sent())
		}
	})
}
