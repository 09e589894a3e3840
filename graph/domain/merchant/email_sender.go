package merchant

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/domain"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/model"
)

// senderRate bounds how often a store sets its sender, because a new key takes much computing.
var senderRate = ratelimit.Rate{Burst: 10, Every: 6 * time.Minute}

// EmailSending returns the address that the store's emails come from.
func (q Query) EmailSending(ctx context.Context) (*model.EmailSending, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	return q.emailSending(ctx)
}

func (r *Resolver) emailSending(ctx context.Context) (*model.EmailSending, error) {
	shown := &model.EmailSending{Allowed: r.Domains.Sends()}
	row, err := r.sender(ctx)
	if err != nil || row == nil {
		return shown, core.Explain("email sender", err)
	}
	shown.Sender = &model.EmailSender{MailSender: row, Address: row.Local + "@" + row.Host,
		TXTName: domain.RecordName(row), TXTValue: domain.RecordValue(row), Checking: row.CheckedAt == nil}
	return shown, nil
}

// sender returns the sender of the store; nil for none.
func (r *Resolver) sender(ctx context.Context) (*db.MailSender, error) {
	rows, err := r.Client(ctx).MailSender.Query().Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, fault.Wrap("read the email sender", err)
	}
	return rows[0], nil
}

// EmailSenderSet sets the address that the store's emails to shoppers come from, once it is proved.
func (m Mutation) EmailSenderSet(ctx context.Context, address string) (*model.EmailSendingPayload, error) {
	if !m.Domains.Sends() {
		return nil, fault.State(fault.InvalidTransition, "This service sends all emails from its own address.")
	}
	local, host, err := m.Domains.ParseSender(address)
	if err != nil {
		return nil, core.Invalid("address", fault.InvalidFormat, err.Error())
	}
	key := ratelimit.Key("email sender", viewer.From(ctx).Store.String())
	wait, err := ratelimit.Take(ctx, m.Store, key, senderRate)
	if err == nil && wait > 0 {
		err = fault.State(fault.LimitReached, "The address was changed several times within the hour. Try again later.")
	}
	if err != nil {
		return nil, err
	}
	// A key takes long to compute: if one is needed, it is there before the transaction begins.
	fresh := sync.OnceValues(func() (*db.MailSender, error) { return m.Domains.NewSender(ctx, local, host) })
	if now, err := m.sender(ctx); err != nil {
		return nil, err
	} else if now == nil || now.Host != host {
		if _, err := fresh(); err != nil {
			return nil, err
		}
	}
	return m.changeSender(ctx, "set", func(ctx context.Context, row *db.MailSender) (detail string, err error) {
		detail = local + "@" + host
		if row != nil && row.Host == host { // the same key signs
			if row.Local == local {
				return "", nil
			}
			return detail, m.Client(ctx).MailSender.Update().SetLocal(local).Exec(ctx)
		}
		if _, err := m.Client(ctx).MailSender.Delete().Exec(ctx); err != nil {
			return "", fmt.Errorf("remove an email sender: %w", err)
		}
		next, err := fresh()
		if err != nil {
			return "", err
		}
		ent.OnCommit(ctx, m.Domains.Wake)
		return detail, m.Client(ctx).MailSender.Create().SetID(next.ID).SetBucket(next.Bucket).SetLocal(local).
			SetHost(host).SetSelector(next.Selector).SetPrivateKey(next.PrivateKey).SetPublicKey(next.PublicKey).
			SetDueAt(0).Exec(ctx)
	})
}

// changeSender runs a change of the store's sender, which is nil for none, and returns the result.
// The change returns the detail of its audit row; "" if nothing changed.
func (m Mutation) changeSender(
	ctx context.Context, action string, edit func(context.Context, *db.MailSender) (detail string, err error),
) (*model.EmailSendingPayload, error) {
	err := m.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		if err := m.HoldStore(ctx); err != nil {
			return nil, err
		}
		row, err := m.sender(ctx)
		if err != nil {
			return nil, err
		}
		detail, err := edit(ctx, row)
		if err != nil || detail == "" {
			return nil, err
		}
		return &change.Record{Action: "email_sender." + action, Kind: xid.Store, ID: viewer.From(ctx).Store,
			Detail: detail}, nil
	})
	if err != nil {
		return nil, err
	}
	shown, err := m.emailSending(ctx)
	return &model.EmailSendingPayload{EmailSending: shown}, err
}

// EmailSenderCheck makes the sender due for its next check, unless it was just checked.
func (m Mutation) EmailSenderCheck(ctx context.Context) (*model.EmailSendingPayload, error) {
	return m.changeSender(ctx, "check", func(ctx context.Context, row *db.MailSender) (string, error) {
		if row == nil {
			return "", fault.New(fault.NotFound, "The store has no address of its own for emails.")
		}
		if row.CheckedAt == nil || row.CheckedAt.Add(checkEvery) > micros.Now() {
			return "", nil
		}
		ent.OnCommit(ctx, m.Domains.Wake)
		return row.Local + "@" + row.Host, m.Client(ctx).MailSender.Update().SetDueAt(0).ClearCheckedAt().Exec(ctx)
	})
}

// EmailSenderRemove removes the sender and its key.
func (m Mutation) EmailSenderRemove(ctx context.Context) (*model.EmailSendingPayload, error) {
	return m.changeSender(ctx, "remove", func(ctx context.Context, row *db.MailSender) (string, error) {
		if row == nil {
			return "", nil
		}
		_, err := m.Client(ctx).MailSender.Delete().Exec(ctx)
		return row.Local + "@" + row.Host, err
	})
}
