package notify

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	netmail "net/mail"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbmail "github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/work"
)

const (
	// roundTime is how long a round starts new emails.
	roundTime = 30 * time.Second
	// retryAfter and retryMax are the first and the longest pause between attempts.
	retryAfter = time.Minute
	retryMax   = time.Hour
	// giveUpAfter is when the last attempt is due, counted from when the email was written.
	giveUpAfter = 24 * time.Hour
)

// terms are the terms of the lease on an email. The attempts are its token. The lease outlasts the
// longest SMTP exchange even if it cannot be renewed, because an email that is cut off may have
// arrived.
var terms = lease.Terms{Length: 2 * time.Minute, Every: 15 * time.Second, Margin: 10 * time.Second}

// SenderConfig holds the dependencies of a [Sender].
type SenderConfig struct {
	Store  *ent.Store
	Server Server
	// From is the sender of the emails; see [ParseSender].
	From *netmail.Address
	// Roots verify the server's certificate; nil for the system's.
	Roots *x509.CertPool
	// Own returns a store's own sender of emails to shoppers; nil for the service's. A nil func
	// returns none.
	Own func(ctx context.Context, store xid.ID) (*OwnSender, error)
	// Dial connects to the server; nil for the network.
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	Logger *slog.Logger
	// Limits are the operator's limits for all stores.
	Limits limit.Values
	// Notifier informs the people of a store of emails that are withheld.
	Notifier *Notifier
}

// Sender hands waiting emails to a mail server: each at least once, and by one sender at a time.
// Any number of processes may run one.
type Sender struct {
	SenderConfig
	guard                 work.Guard
	queue                 lease.Queue
	repairer              *lease.ClockRepair
	sent, failed, givenUp atomic.Uint64
}

// NewSender returns a sender. [Sender.Round] does its work.
func NewSender(c SenderConfig) (*Sender, error) {
	if c.Store == nil || c.From == nil || c.Server.host == "" {
		return nil, errors.New("notify: a sender needs a store, a mail server and an address to send from")
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	queue := lease.Queue{Store: c.Store, Table: dbmail.Table, Owner: dbmail.FieldStoreID, Tries: dbmail.FieldAttempts}
	return &Sender{SenderConfig: c, queue: queue, repairer: queue.Repair(terms, pause, 7)}, nil
}

// Sent returns how many emails the server has accepted since the start.
func (s *Sender) Sent() uint64 { return s.sent.Load() }

// Failed returns how many attempts have failed since the start.
func (s *Sender) Failed() uint64 { return s.failed.Load() }

// GivenUp returns how many emails this sender has given up since the start.
func (s *Sender) GivenUp() uint64 { return s.givenUp.Load() }

// Panics returns how many attempts have panicked since the start.
func (s *Sender) Panics() uint64 { return s.guard.Panics() }

// Round sends the due emails over one connection per shard, for up to half a minute. When ctx ends,
// the email in progress has five more seconds. An error means that the database or the mail server
// is unavailable.
func (s *Sender) Round(ctx context.Context) error { return s.Store.EachShard(ctx, s.round) }

// round is [Sender.Round] on one shard, over its own connection.
func (s *Sender) round(ctx context.Context) error {
	end := time.Now().Add(roundTime)
	r := round{Sender: s}
	defer r.close()
	if err := s.repairer.Run(ctx); err != nil {
		return err
	}
	for more := true; more; {
		rows, err := s.due(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if ctx.Err() != nil || !time.Now().Before(end) {
				return nil
			}
			if err := r.try(ctx, row); err != nil || r.over() {
				return err
			}
		}
		more = len(rows) == batch
	}
	return nil
}

// round is the state that the attempts of one round share.
type round struct {
	*Sender
	conn    *connection // nil before the first email
	dialErr error       // why the mail server could not be reached
}

func (r *round) over() bool { return r.conn != nil && r.conn.broken }

func (r *round) close() {
	if r.conn != nil {
		r.conn.close()
	}
}

// try sends an email, unless another sender has claimed it. The error is one that ends the round; a
// failure of this email only is recorded in its row.
func (r *round) try(ctx context.Context, row *db.Mail) error {
	asked := time.Now()
	mine, err := r.queue.Claim(ctx, row.StoreID, row.ID, row.Attempts, terms.Length)
	if err != nil || !mine {
		return err
	}
	if reason, err := r.withheld(ctx, row); err != nil || reason != "" {
		if err != nil {
			return err
		}
		return r.withhold(ctx, row, reason)
	}
	held := terms.Take(context.WithoutCancel(ctx), asked)
	r.keep(held, row)
	err = r.guard.Do(ctx, r.log(row), func() error { return r.send(ctx, held, row) })
	held.End() // otherwise a renewal could overwrite the time of the next attempt
	return errors.Join(r.dialErr, r.settle(ctx, row, err))
}

func (r *round) send(ctx context.Context, held *lease.Held, row *db.Mail) error {
	var own *OwnSender
	if r.Own != nil && row.SenderName != nil { // a store writes
		var err error
		if own, err = r.Own(ctx, row.StoreID); err != nil {
			return err
		}
	}
	m, err := compose(r.From, own, row)
	if err != nil {
		return err
	}
	if r.conn == nil {
		if r.conn, r.dialErr = r.open(ctx); r.dialErr != nil {
			return r.dialErr
		}
	}
	if held.Lost() {
		return context.Cause(held.Context())
	}
	defer context.AfterFunc(held.Context(), r.conn.cut)()
	err = r.conn.send(m)
	if own == nil || !permanent(err) || r.conn.broken {
		return err
	}
	r.log(row).WarnContext(ctx, "the mail server refuses an email from a store's own address", "reason", reason(err))
	if m, err = compose(r.From, nil, row); err != nil {
		return err
	}
	return r.conn.send(m)
}

// settle records the outcome of an attempt in the claimed row. An accepted email is settled even
// while the program shuts down.
func (s *Sender) settle(ctx context.Context, row *db.Mail, failure error) error {
	ctx = context.WithoutCancel(ctx)
	if failure == nil {
		s.sent.Add(1)
		return s.remove(ctx, row, "order.email_send", "")
	}
	s.failed.Add(1)
	now, last := micros.Now(), row.ID.Time().Add(giveUpAfter)
	log := s.log(row).With("reason", reason(failure))
	if permanent(failure) || now >= last {
		s.givenUp.Add(1)
		log.WarnContext(ctx, "mail given up")
		return s.remove(ctx, row, "order.email_fail", publicReason(failure))
	}
	wait := min(pause(row.Attempts+1), last.Sub(now))
	log.InfoContext(ctx, "mail not sent yet", "next", now.Add(wait))
	return s.postpone(ctx, row, wait)
}

func (s *Sender) log(row *db.Mail) *slog.Logger {
	return s.Logger.With("mail", row.ID, "store", row.StoreID, "try", row.Attempts+1)
}

func pause(n int) time.Duration {
	if n > 6 { // later ones would exceed an hour
		return retryMax
	}
	return min(retryAfter<<(n-1), retryMax)
}

// permanent reports whether retrying is pointless: the server refuses this recipient or this text
// for good. Refusals of earlier commands are about the service and may be fixed.
func permanent(err error) bool {
	if errors.Is(err, errAddress) {
		return true
	}
	failed, ok := errors.AsType[*mail.SendError](err)
	if !ok || failed.ErrorCode() < 500 {
		return false
	}
	switch failed.Reason {
	case mail.ErrSMTPRcptTo, mail.ErrSMTPData, mail.ErrSMTPDataClose:
		return true
	}
	return false
}

// publicReason says why an email was given up, without naming the mail server of the operator.
func publicReason(err error) string {
	if _, ok := errors.AsType[*mail.SendError](err); ok || errors.Is(err, errAddress) {
		return reason(err)
	}
	return "the mail server could not be reached"
}

// reason describes a failure without an address. Neither the library's text nor the server's is fit
// for a log.
func reason(err error) string {
	failed, ok := errors.AsType[*mail.SendError](err)
	if !ok {
		return err.Error()
	}
	text := failed.Reason.String()
	if code := failed.ErrorCode(); code != 0 {
		text += ": " + strconv.Itoa(code)
	}
	return text
}
