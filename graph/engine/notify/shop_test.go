package notify_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// api is the API host of the tests.
const api = "https://shop.example"

// shop is a store whose people get emails.
type shop struct {
	*ent.Store
	t   testing.TB
	ctx context.Context
	row *db.Store
	log journal
}

func open(t *testing.T, s *ent.Store) *shop {
	t.Helper()
	ctx, row := storetest.Merchant(t, s)
	return &shop{Store: s, t: t, ctx: ctx, row: row}
}

// write runs a change in the store.
func (s *shop) write(f func(ctx context.Context, c *db.Client) error) {
	s.t.Helper()
	if err := s.InTx(s.ctx, func(ctx context.Context) error { return f(ctx, s.DB(ctx)) }); err != nil {
		s.t.Fatal(err)
	}
}

// hire creates a person with the role and the address.
func (s *shop) hire(role viewer.Role, email string) {
	s.t.Helper()
	id, now := xid.New(), micros.Now()
	s.write(func(ctx context.Context, c *db.Client) error {
		return c.User.Create().SetID(id).SetEmail(email).SetName("Ada").SetUpdatedAt(now).Exec(ctx)
	})
	s.write(func(ctx context.Context, c *db.Client) error {
		return c.Staff.Create().SetID(id).SetRole(role).SetUpdatedAt(now).Exec(ctx)
	})
}

// rename gives the store a name that no form accepts.
func (s *shop) rename(name string) {
	s.t.Helper()
	s.write(func(ctx context.Context, c *db.Client) error { return c.Store.Update().SetName(name).Exec(ctx) })
}

// notice returns the notice that the tests send.
func notice() notify.Notice {
	return notify.Notice{Level: state.NotificationCritical, Title: "Endpoint suspended", Body: "It failed for a day.",
		Kind: xid.WebhookEndpoint, ID: xid.New(), Developers: true}
}

// notify writes a notice that also goes out by email.
func (s *shop) notify(n notify.Notice) {
	s.t.Helper()
	notifier, err := notify.New(api)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(func(ctx context.Context, _ *db.Client) error { return notifier.Append(ctx, s.Store, n) })
}

// put writes an unchecked email into the outbox.
func (s *shop) put(id xid.ID, recipient, subject string) {
	s.t.Helper()
	s.write(func(ctx context.Context, c *db.Client) error {
		return c.Mail.Create().SetID(id).SetBucket(bucket.Of(s.row.ID)).SetDueAt(id.Time()).
			SetRecipient(recipient).SetSubject(subject).SetBody("Hello.").Exec(ctx)
	})
}

// waiting returns the outbox of the store.
func (s *shop) waiting() []*db.Mail {
	s.t.Helper()
	rows, err := s.DB(s.ctx).Mail.Query().Order(db.Asc(mail.FieldID)).All(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return rows
}

// only returns the single waiting email.
func (s *shop) only() *db.Mail {
	s.t.Helper()
	rows := s.waiting()
	if len(rows) != 1 {
		s.t.Fatalf("%d emails wait, want 1", len(rows))
	}
	return rows[0]
}

// pull makes everything due now.
func (s *shop) pull() {
	s.t.Helper()
	s.write(func(ctx context.Context, c *db.Client) error { return c.Mail.Update().SetDueAt(micros.Now()).Exec(ctx) })
}

// sender returns a sender to an address such as smtp://127.0.0.1:25?tls=none.
func (s *shop) sender(address string, edit func(*notify.SenderConfig)) *notify.Sender {
	s.t.Helper()
	server, err := notify.ParseServer(address)
	if err != nil {
		s.t.Fatal(err)
	}
	from, err := notify.ParseSender("Storefront <notices@shop.example>")
	if err != nil {
		s.t.Fatal(err)
	}
	c := notify.SenderConfig{Store: s.Store, Server: server, From: from,
		Logger: slog.New(slog.NewTextHandler(&s.log, nil))}
	if edit != nil {
		edit(&c)
	}
	sender, err := notify.NewSender(c)
	if err != nil {
		s.t.Fatal(err)
	}
	return sender
}

// round runs a round that must not fail.
func (s *shop) round(sender *notify.Sender) {
	s.t.Helper()
	if err := sender.Round(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// journal is a log that is read while it is written.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}
