package notify_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// within runs f in fake time with a mail server in the same process.
func within(t *testing.T, f func(t *testing.T, s *shop, p *post, sender *notify.Sender)) {
	synctest.Test(t, func(t *testing.T) {
		s, l := open(t, storetest.Open(t)), newInside()
		p := new(post).open(t, l, nil)
		f(t, s, p, s.sender("smtp://mail.test?tls=none", func(c *notify.SenderConfig) { c.Dial = l.dial }))
	})
}

// A day of refusals: the pauses double up to an hour, and the last attempt comes a day after the
// email was written.
func TestSenderDay(t *testing.T) {
	within(t, func(t *testing.T, s *shop, p *post, sender *notify.Sender) {
		start := time.Now()
		var tries []time.Duration
		p.rcpt = func(string) error {
			tries = append(tries, time.Since(start).Round(time.Second))
			return &smtp.SMTPError{Code: 450, Message: "busy"}
		}
		s.put(xid.New(), "owner@example.com", "Hello")
		for rows := s.waiting(); len(rows) == 1 && sender.Failed() < 50; rows = s.waiting() {
			<-time.After(rows[0].DueAt.Sub(micros.Now()))
			s.round(sender)
		}
		var want []time.Duration
		for _, m := range []int{0, 1, 3, 7, 15, 31, 63} {
			want = append(want, time.Duration(m)*time.Minute)
		}
		for m := 123; m < 24*60; m += 60 {
			want = append(want, time.Duration(m)*time.Minute)
		}
		want = append(want, 24*time.Hour)
		if diff := cmp.Diff(want, tries); diff != "" {
			t.Error(diff)
		}
		if sender.GivenUp() != 1 || sender.Failed() != uint64(len(want)) || sender.Sent() != 0 {
			t.Errorf("%d given up, %d failed", sender.GivenUp(), sender.Failed())
		}
	})
}

// A sender that has to stop finishes the current email and starts no other.
func TestSenderStops(t *testing.T) {
	within(t, func(t *testing.T, s *shop, p *post, sender *notify.Sender) {
		ctx, stop := context.WithCancel(t.Context())
		p.hook = func() {
			stop()
			<-time.After(4 * time.Second)
		}
		for range 2 {
			s.put(xid.New(), "owner@example.com", "Hello")
		}
		if err := sender.Round(ctx); err != nil {
			t.Error(err)
		}
		if got := p.mails(); len(got) != 1 || s.only().Attempts != 0 || sender.Sent() != 1 {
			t.Errorf("%d emails were sent", len(got))
		}
	})
}

// A server that does not reply blocks a round for the allowed time, and a program that stops for
// five seconds.
func TestSenderHangs(t *testing.T) {
	for _, tc := range []struct {
		name string
		stop time.Duration // after the text has come
		want time.Duration
	}{{"running", time.Hour, 30 * time.Second}, {"stopped", time.Second, 6 * time.Second}} {
		t.Run(tc.name, func(t *testing.T) {
			within(t, func(t *testing.T, s *shop, p *post, sender *notify.Sender) {
				ctx, stop := context.WithTimeout(t.Context(), tc.stop)
				defer stop()
				p.hook = func() { <-time.After(10 * time.Minute) }
				s.put(xid.New(), "owner@example.com", "Hello")
				start := time.Now()
				if err := sender.Round(ctx); err != nil {
					t.Error(err)
				}
				if took := time.Since(start); took != tc.want ||
					s.only().DueAt != micros.Of(start.Add(took+time.Minute)) {
					t.Errorf("the round took %s, want %s; %v", took, tc.want, s.only())
				}
				<-time.After(10 * time.Minute) // the server wakes up
			})
		})
	}
}
