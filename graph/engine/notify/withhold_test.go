package notify_test

import (
	"context"
	"mime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbaudit "github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// email sends an email about an order to a person who never paid.
func (s *shop) email(n *notify.Notifier, to string, edit func(*notify.Email)) {
	l := notify.Email{To: to, Of: s.row.ID, Subject: "Your order", Body: "Hello", From: "Kestrel", Order: xid.New(),
		Stop: "https://shop.example/emails/stop/x"}
	if edit != nil {
		edit(&l)
	}
	s.write(func(ctx context.Context, c *db.Client) error { return n.Send(ctx, c, l) })
}

// took gives the store a first payment some days ago, and sets limits of it.
func (s *shop) took(days int, v limit.Values) {
	at := micros.Now().Add(-time.Duration(days) * 24 * time.Hour)
	s.write(func(ctx context.Context, c *db.Client) error {
		return c.Store.Update().SetLimits(document.NewLimits(v)).Exec(ctx)
	})
	s.write(func(ctx context.Context, c *db.Client) error {
		return c.Payment.Create().SetID(xid.At(at)).SetOrderID(xid.New()).SetKind(state.LedgerPayment).
			SetAmountMinor(1).SetCurrency("EUR").SetLines(document.NewLines(nil)).Exec(ctx)
	})
}

// Emails to shoppers are counted by address, network and store before they are sent. Excess emails
// are withheld and recorded in the order's history, with one notice a day.
func TestWithheld(t *testing.T) {
	known := func(l *notify.Email) { l.Stop = "" }
	for _, tc := range []struct {
		name   string
		days   int // since the first payment
		limits limit.Values
		edit   func(*notify.Email)
		one    bool // all to one address
		want   int  // of 12
	}{
		{"strangers of a new store", 1, limit.Values{limit.NewStoreMailsPerDay: 5}, nil, false, 5},
		{"strangers count as mails to strangers", 1, limit.Values{limit.MailsPerDay: 4}, nil, false, 4},
		{"customers of a new store", 1, limit.Values{limit.NewStoreMailsPerDay: 5}, known, false, 5},
		{"a proven store", 31, limit.Values{limit.NewStoreMailsPerDay: 5, limit.MailsPerDay: 5}, nil, false, 12},
		{"a trusted store", 0, limit.Values{limit.NewStoreMailsPerDay: 5, limit.NewStoreDays: 0}, nil, false, 12},
		{"too many of a proven store", 31, limit.Values{limit.OrderMailsPerDay: 7}, known, false, 7},
		{"one stranger", 31, nil, nil, true, limit.StrangerMails},
		{"one customer of a new store", 1, nil, known, true, limit.StrangerMails},
		{"one customer", 31, nil, known, true, 12},
		{"one network", 31, nil, func(l *notify.Email) { l.Network = "203.0.113.9/32" }, false, 12},
		{"another kind of email", 1, limit.Values{limit.NewStoreMailsPerDay: 1},
			func(l *notify.Email) { l.Order, l.Stop = xid.Nil, "" }, true, 12},
	} {
		t.Run(tc.name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, store *ent.Store) {
				s, p := staffed(t, store), new(post).open(t, listen(t), nil)
				s.took(tc.days, tc.limits)
				n, err := notify.New(api)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 12 {
					to := "shopper" + s.row.Handle + "@example.com"
					if tc.one && i%2 == 1 {
						to = "shopper" + s.row.Handle + "+" + strconv.Itoa(i) + "@example.com" // the same mailbox
					} else if !tc.one {
						to = "shopper" + strconv.Itoa(i) + s.row.Handle + "@example.com"
					}
					s.email(n, to, tc.edit)
				}
				sender := s.sender(plainly(p), func(c *notify.SenderConfig) { c.Notifier = n })
				s.round(sender)
				s.round(sender)
				sent, notices := 0, 0
				for _, m := range p.mails() {
					if strings.HasPrefix(m.to, "shopper") {
						sent++
					} else {
						notices++
					}
				}
				logged, err := store.DB(s.ctx).Audit.Query().Where(dbaudit.Action("order.email_withhold")).Count(s.ctx)
				if err != nil || sent != tc.want || logged != 12-tc.want || len(s.waiting()) != 0 ||
					(notices > 0) != (tc.want < 12) {
					t.Errorf("%d sent, want %d; %d in the log, %d notices, %d wait (%v)", sent, tc.want, logged, notices,
						len(s.waiting()), err)
				}
			})
		})
	}
}

// The history of an order says how each of its emails ended.
func TestHistory(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s, p := staffed(t, store), new(post).open(t, listen(t), nil)
		s.took(31, nil)
		p.rcpt = func(to string) error {
			if to != "bad@example.com" {
				return nil
			}
			return &smtp.SMTPError{Code: 550, Message: "no bad@example.com here"}
		}
		n, err := notify.New(api)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{}
		for to, of := range map[string][2]string{"ada@example.com": {"placed", "order.email_send placed"},
			"bad@example.com": {"shipped", "order.email_fail shipped: sending SMTP RCPT TO command: 550"},
			"old@example.com": {"", "order.email_send"}} {
			s.email(n, to, func(l *notify.Email) { l.About = state.OrderEmail(of[0]) })
			want = append(want, of[1])
		}
		s.email(n, "code@example.com", func(l *notify.Email) { l.Order, l.Stop = xid.Nil, "" })
		s.round(s.sender(plainly(p), nil))
		rows := store.DB(s.ctx).Audit.Query().Where(dbaudit.ActionHasPrefix("order.email_")).AllX(s.ctx)
		got := []string{}
		for _, a := range rows {
			got = append(got, a.Action)
			if a.Detail != nil {
				got[len(got)-1] += " " + *a.Detail
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// A network that orders much at many shops triggers no more emails to any recipient.
func TestWithheldNetwork(t *testing.T) {
	s, p := staffed(t, storetest.Open(t)), new(post).open(t, listen(t), nil)
	s.took(31, nil)
	n, err := notify.New(api)
	if err != nil {
		t.Fatal(err)
	}
	for i := range limit.NetworkMails + 3 {
		s.email(n, "s"+strconv.Itoa(i)+"@example.com", func(l *notify.Email) { l.Network = "198.51.100.9/32" })
	}
	s.email(n, "elsewhere@example.com", func(l *notify.Email) { l.Network = "198.51.100.10/32" })
	s.round(s.sender(plainly(p), nil))
	if got := len(p.mails()); got != limit.NetworkMails+1 {
		t.Errorf("%d sent", got)
	}
}

// A recipient who stops emails of a store gets none to strangers any more, with any spelling of the
// address.
func TestStop(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s, p := staffed(t, store), new(post).open(t, listen(t), nil)
		n, err := notify.New(api)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			err := notify.Stop(viewer.Operator(t.Context(), s.row.ID), store, notify.Address("Ada@example.com"))
			if err != nil {
				t.Fatal(err)
			}
		}
		s.email(n, "ada@example.com", nil)
		s.email(n, "ada@example.com", func(l *notify.Email) { l.Stop = "" }) // a customer by now
		s.email(n, "bob@example.com", nil)
		s.round(s.sender(plainly(p), nil))
		if got := p.mails(); len(got) != 2 {
			t.Errorf("%d sent", len(got))
		}
	})
}

// Marketing emails are counted as those to strangers, and a stop of them is none of emails about orders.
func TestMarketing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s, p := staffed(t, store), new(post).open(t, listen(t), nil)
		s.took(31, nil)
		n, err := notify.New(api)
		if err == nil {
			err = notify.StopMarketing(viewer.Operator(t.Context(), s.row.ID), store, notify.Address("Ada@example.com"))
		}
		if err != nil {
			t.Fatal(err)
		}
		marketing := func(l *notify.Email) { l.Order, l.Stop = xid.Nil, api+link.MarketingStopRoot+"x" }
		s.email(n, "ada@example.com", marketing)
		s.email(n, "ada@example.com", nil)
		for range limit.StrangerMails + 2 {
			s.email(n, "bob@example.com", marketing)
		}
		s.round(s.sender(plainly(p), nil))
		if got := len(p.mails()); got != 1+limit.StrangerMails || len(s.waiting()) != 0 {
			t.Errorf("%d sent, %d wait", got, len(s.waiting()))
		}
	})
}

// No shop name can change how a header is read, and strangers can stop emails with one click.
func TestLetterHeaders(t *testing.T) {
	s, p := staffed(t, storetest.Open(t)), new(post).open(t, listen(t), nil)
	n, err := notify.New(api)
	if err != nil {
		t.Fatal(err)
	}
	const name = "=?utf-8?q?Bank?= and a name that is as long as an encoded word of a header cannot be"
	s.email(n, "ada@example.com", func(l *notify.Email) {
		l.From, l.Subject, l.ReplyTo = name, "Order 1 at "+name, "hello@kestrel.example"
	})
	s.round(s.sender(plainly(p), nil))
	h := p.mails()[0].message(t).Header
	subject, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
	if err != nil || subject != "Order 1 at "+name {
		t.Errorf("the subject reads %q (%v)", subject, err)
	}
	from := h.Get("From")
	if strings.Contains(from, "=?") || !strings.Contains(from, " via Storefront") {
		t.Errorf("from %q", from)
	}
	if h.Get("Reply-To") != "<hello@kestrel.example>" ||
		h.Get("List-Unsubscribe") != "<https://shop.example/emails/stop/x>" ||
		h.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Errorf("%v", h)
	}
}

func TestUnlink(t *testing.T) {
	for in, want := range map[string]string{
		"Mug 0.3 l, red":                  "Mug 0.3 l, red",
		"Pay now: https://evil.example/x": "Pay now: https[:]//evil[.]example/x",
		"www.evil.example":                "www[.]evil[.]example",
		"write to me@evil.example.":       "write to me[at]evil[.]example.",
		"mailto:me":                       "mailto[:]me",
		"a.b.evil。example":                "a[.]b[.]evil[.]example",
		"Müller & Söhne. Since 1901.":     "Müller & Söhne. Since 1901.",
	} {
		if got := notify.Unlink(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
