package notify

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/mailstop"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// day is the window in which emails are counted.
const day = 24 * time.Hour

type bound struct {
	ratelimit.Charge
	reason string
}

func boundOf(purpose, of string, most int64, window time.Duration, reason string) bound {
	return bound{ratelimit.Charge{Key: ratelimit.Key(purpose, of), Rate: ratelimit.Per(most, window)}, reason}
}

// withheld returns why an email must not be sent. If it may be sent, it returns "" and counts it.
// It decides once for an email, before the first attempt.
func (s *Sender) withheld(ctx context.Context, row *db.Mail) (reason string, err error) {
	toStaff := row.OrderID == nil && (row.StopURL == nil || strings.Contains(*row.StopURL, link.AlertStopRoot))
	if row.Attempts > 0 || toStaff {
		return "", nil
	}
	ctx = viewer.Operator(ctx, row.StoreID)
	if row.StopURL != nil {
		stop := Stopped
		if isMarketing(row) {
			stop = MarketingStopped
		}
		stopped, err := stop(ctx, s.Store.DB(ctx), row.Recipient)
		if err != nil || stopped {
			return "the recipient stopped emails of this store", err
		}
	}
	if row.OrderID == nil && !isMarketing(row) {
		return "", nil
	}
	bounds, err := s.bounds(ctx, row)
	if err != nil {
		return "", err
	}
	for i, b := range bounds {
		wait, err := ratelimit.Take(ctx, s.Store, b.Key, b.Rate)
		if err != nil {
			return "", err
		}
		if wait == 0 {
			continue
		}
		for _, counted := range bounds[:i] {
			err = cmp.Or(err, ratelimit.Return(ctx, s.Store, counted.Key, counted.Rate))
		}
		return b.reason, err
	}
	return "", nil
}

// isMarketing reports whether an email may be sent with the recipient's consent only.
func isMarketing(row *db.Mail) bool {
	return row.StopURL != nil && strings.Contains(*row.StopURL, link.MarketingStopRoot)
}

// bounds returns the rates of an email to a shopper: of its recipient, of the network that
// ordered, and of the store.
func (s *Sender) bounds(ctx context.Context, row *db.Mail) (list []bound, err error) {
	c := s.Store.DB(ctx)
	shop, err := c.Store.Query().Only(ctx) // the policy shows the viewer one store
	if err != nil {
		return nil, fmt.Errorf("find the store of a mail: %w", err)
	}
	own, err := shop.Limits.Over(s.Limits)
	if err != nil {
		return nil, err
	}
	proven, err := Proven(ctx, c, shop, s.Limits)
	if err != nil {
		return nil, err
	}
	store, to := row.StoreID.String(), Mailbox(row.Recipient)
	if row.StopURL != nil || !proven {
		list = append(list, boundOf("mails of a store to", store+to, limit.StrangerMails, day,
			"the address never paid this store and has got enough emails today"),
			boundOf("mails to", to, limit.AddressMails, day, "the address has got enough emails today"))
	}
	if row.StopURL != nil && row.Network != nil {
		list = append(list, boundOf("mails of a network", *row.Network, limit.NetworkMails, time.Hour,
			"too many orders came from this network within the hour"))
	}
	if proven {
		return append(list, ofStore(own, limit.OrderMailsPerDay, store)), nil
	}
	return append(list, ofStore(own, limit.NewStoreMailsPerDay, store), ofStore(own, limit.MailsPerDay, store)), nil
}

// ofStore returns a limit on the store's emails within a day, counted as core.Within does.
func ofStore(own limit.Values, name limit.Name, store string) bound {
	return boundOf(string(name), store, own.Of(name), day, "the limit "+string(name)+" of the store is reached")
}

// Mailbox returns an address without the tag after a plus, because all tags lead to one mailbox.
func Mailbox(address string) string {
	local, domain, _ := strings.Cut(address, "@")
	local, _, _ = strings.Cut(local, "+")
	return local + "@" + domain
}

// withhold removes an email that must not be sent. The history of the order records it, and once a
// day a notice inform the people of the store.
func (s *Sender) withhold(ctx context.Context, row *db.Mail, reason string) error {
	s.log(row).InfoContext(ctx, "mail withheld", "reason", reason)
	ctx = viewer.Operator(ctx, row.StoreID)
	inform := false
	if row.OrderID != nil {
		wait, err := ratelimit.Take(ctx, s.Store, ratelimit.Key("notice of withheld mails", row.StoreID.String()),
			ratelimit.Per(1, day))
		if err != nil {
			return err
		}
		inform = wait == 0
	}
	return fault.Wrap("withhold mail", s.Store.InTx(ctx, func(ctx context.Context) error {
		c := s.Store.DB(ctx)
		if mine, err := end(ctx, c, row, "order.email_withhold", reason); err != nil || !mine || !inform {
			return err
		}
		return s.Notifier.Append(ctx, s.Store, Notice{Level: state.NotificationWarning,
			Title: "Emails to shoppers are withheld",
			Body: "An email about this order was not sent: " + reason + ". The order itself is not affected. The history " +
				"of each order shows which emails were not sent. This notice comes at most once a day. Ask the operator of " +
				"the service for higher limits. They are listed at /docs/limits.",
			Kind: xid.Order, ID: *row.OrderID})
	}))
}

// Stop records that an address wants no more emails of the viewer's store to strangers. It may be
// repeated.
func Stop(ctx context.Context, store *ent.Store, address digest.Sum) error {
	err := store.InTx(ctx, func(ctx context.Context) error {
		return store.DB(ctx).MailStop.Create().SetAddress(address).Exec(ctx)
	})
	if ent.IsDuplicate(err) {
		return nil
	}
	return fault.Wrap("stop emails", err)
}

// StopMarketing records that an address of [Address] wants no more marketing emails of the viewer's
// store. It may be repeated.
func StopMarketing(ctx context.Context, store *ent.Store, address digest.Sum) error {
	return Stop(ctx, store, marketingOf(address))
}

// AllowMarketing ends what [StopMarketing] recorded: the address was proved, and wants marketing emails.
func AllowMarketing(ctx context.Context, c *db.Client, address string) error {
	_, err := c.MailStop.Delete().Where(mailstop.Address(marketingOf(Address(address)))).Exec(ctx)
	return fault.Wrap("allow marketing emails", err)
}

// MarketingStopped reports whether an address wants no marketing emails of the viewer's store, or no
// emails at all.
func MarketingStopped(ctx context.Context, c *db.Client, address string) (bool, error) {
	stopped, err := StoppedMarketing(ctx, c, []string{address})
	return err == nil && stopped(address), err
}

// StoppedMarketing returns [MarketingStopped] for any of some addresses.
func StoppedMarketing(ctx context.Context, c *db.Client, addresses []string) (func(address string) bool, error) {
	digests := make([]digest.Sum, 0, 2*len(addresses))
	for _, address := range addresses {
		of := Address(address)
		digests = append(digests, of, marketingOf(of))
	}
	stops := map[digest.Sum]bool{}
	if len(digests) > 0 {
		rows, err := c.MailStop.Query().Where(mailstop.AddressIn(digests...)).Load(ctx)
		if err != nil {
			return nil, fmt.Errorf("look for stops of marketing emails: %w", err)
		}
		for _, row := range rows {
			stops[row.Address] = true
		}
	}
	return func(address string) bool {
		of := Address(address)
		return stops[of] || stops[marketingOf(of)]
	}, nil
}

// marketingOf returns the digest by which stops of marketing emails are stored for a digest of [Address].
func marketingOf(address digest.Sum) digest.Sum {
	return digest.Of(append([]byte("marketing "), address[:]...))
}

// Stopped reports whether an address wants no more emails of the viewer's store to strangers.
func Stopped(ctx context.Context, c *db.Client, address string) (bool, error) {
	rows, err := c.MailStop.Query().Where(mailstop.Address(Address(address))).Load(ctx)
	return len(rows) > 0, fault.Wrap("look for a stop", err)
}

// Address returns the digest by which stops are stored for an email address.
func Address(address string) digest.Sum { return digest.Of([]byte(strings.ToLower(address))) }
