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
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/work"
)

const (
	// roundTime is how long a round begins mails.
	roundTime = 30 * time.Second
	// retryAfter and retryMax are the first and the longest pause between two tries.
	retryAfter = time.Minute
	retryMax   = time.Hour
	// giveUpAfter is when the last try is due, from when the mail was written.
	giveUpAfter = 24 * time.Hour
)

// terms are those of the lease on a mail; the attempts are its token. What takes
// longest is a conversation up to its answer, and the lease is as long even where
// it cannot be renewed: a mail that is cut off may have arrived.
var terms = lease.Terms{Length: 2 * time.Minute, Every: 15 * time.Second, Margin: 10 * time.Second}

// SenderConfig is what a [Sender] needs.
type SenderConfig struct {
	Store *ent.Store
	// Server takes the mails.
	Server Server
	// From is whom they come from; see [ParseSender].
	From *netmail.Address
	// Roots verify the server's certificate; nil for those of the system.
	Roots *x509.CertPool
	// Dial connects to the server; nil for the network.
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	Logger *slog.Logger
	// Limits are those that the operator set for all stores.
	Limits limit.Values
	// Notifier tells the people of a store of emails that are not sent.
	Notifier *Notifier
}

// Sender hands waiting mails to a mail server: each at least once, and by one
// sender at a time. Any number of processes may have one.
type Sender struct {
	SenderConfig
	guard                 work.Guard
	mender                *lease.Mender
	sent, failed, givenUp atomic.Uint64
}

// NewSender makes a sender; [Sender.Round] does its work.
func NewSender(c SenderConfig) (*Sender, error) {
	if c.Store == nil || c.From == nil || c.Server.host == "" {
		return nil, errors.New("notify: a sender needs a store, a mail server and an address to send from")
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return &Sender{SenderConfig: c, mender: newMender(c.Store)}, nil
}

// Sent returns how many mails the server has taken since the start.
func (s *Sender) Sent() uint64 { return s.sent.Load() }

// Failed returns how many tries have failed since the start.
func (s *Sender) Failed() uint64 { return s.failed.Load() }

// GivenUp returns how many mails will never be sent, of those that this sender
// tried since the start.
func (s *Sender) GivenUp() uint64 { return s.givenUp.Load() }

// Panics returns how many there have been in tries since the start.
func (s *Sender) Panics() uint64 { return s.guard.Panics() }

// Round sends the mails that are due, over one connection, for up to half a
// minute. When ctx ends, the mail at hand has five seconds more. The error says
// why the round ended early: the database is away, or the mail server is.
func (s *Sender) Round(ctx context.Context) error { return s.Store.EachShard(ctx, s.round) }

// round is [Sender.Round] on one shard, over a connection of its own.
func (s *Sender) round(ctx context.Context) error {
	end := time.Now().Add(roundTime)
	r := round{Sender: s}
	defer r.close()
	if err := s.mender.Mend(ctx); err != nil {
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

// round is what the tries of one round share.
type round struct {
	*Sender
	talk *conversation // nil before the first mail
	away error         // why the mail server could not be reached
}

// over reports whether nothing more can be sent in this round.
func (r *round) over() bool { return r.talk != nil && r.talk.broken }

func (r *round) close() {
	if r.talk != nil {
		r.talk.close()
	}
}

// try sends a mail, unless another sender is about to. The error is one that
// ends the round; that of the mail alone is in its row.
func (r *round) try(ctx context.Context, row *db.Mail) error {
	asked := time.Now()
	mine, err := r.claim(ctx, row)
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
	held.End() // or a renewal could come after the time of the next try
	return errors.Join(r.away, r.settle(ctx, row, err))
}

// send hands a mail over while the lease lasts.
func (r *round) send(ctx context.Context, held *lease.Held, row *db.Mail) error {
	m, err := compose(r.From, row)
	if err != nil {
		return err
	}
	if r.talk == nil {
		if r.talk, r.away = r.open(ctx); r.away != nil {
			return r.away
		}
	}
	if held.Lost() {
		return context.Cause(held.Context())
	}
	defer context.AfterFunc(held.Context(), r.talk.cut)()
	return r.talk.send(m)
}

// settle writes what came of a try into the row, which was claimed. What the
// server took is settled even while the program ends.
func (s *Sender) settle(ctx context.Context, row *db.Mail, failure error) error {
	ctx = context.WithoutCancel(ctx)
	if failure == nil {
		s.sent.Add(1)
		return s.remove(ctx, row)
	}
	s.failed.Add(1)
	now, last := micros.Now(), row.ID.Time().Add(giveUpAfter)
	log := s.log(row).With("reason", reason(failure))
	if final(failure) || now >= last {
		s.givenUp.Add(1)
		log.WarnContext(ctx, "mail given up")
		return s.remove(ctx, row)
	}
	next := min(now.Add(pause(row.Attempts+1)), last)
	log.InfoContext(ctx, "mail not sent yet", "next", next)
	return s.postpone(ctx, row, next)
}

func (s *Sender) log(row *db.Mail) *slog.Logger {
	return s.Logger.With("mail", row.ID, "store", row.StoreID, "try", row.Attempts+1)
}

// pause is how long to wait after the n-th try.
func pause(n int) time.Duration {
	if n > 6 { // beyond it is more than an hour
		return retryMax
	}
	return min(retryAfter<<(n-1), retryMax)
}

// final reports whether trying again is of no use: the server refuses this
// recipient or this text for good. What it says before that is about us, and
// may be mended.
func final(err error) bool {
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

// reason describes what went wrong without an address: neither the library's text
// nor the server's words are fit for a log.
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
