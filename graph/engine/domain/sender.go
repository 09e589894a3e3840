package domain

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/mailsender"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// keyBits is the size of the keys: verifiers need not accept larger ones (RFC 8301, section 3.2).
const keyBits = 2048

// errSender is shown.
var errSender = errors.New("Enter an email address, such as shop@example.com.") //nolint:staticcheck // shown

// Sends reports whether the emails of stores may come from addresses of their own.
func (e *Engine) Sends() bool { return e.ServiceMail != "" }

// ParseSender returns the parts of an email address from which a store wants to send. The text of
// its error can be shown.
func (e *Engine) ParseSender(entered string) (local, host string, err error) {
	local, host, ok := strings.Cut(strings.TrimSpace(entered), "@")
	if !ok || !plainLocal(local) || strings.ContainsAny(host, "/:@") {
		return "", "", errSender
	}
	if host, err = e.Normalize(host); err != nil {
		return "", "", err
	}
	if e.services(host) {
		return "", "", errReserved
	}
	return local, host, nil
}

// services reports whether the service itself sends from a host, or from one above it.
func (e *Engine) services(host string) bool {
	own := strings.ToLower(e.ServiceMail[strings.LastIndexByte(e.ServiceMail, '@')+1:])
	return own != "" && (host == own || strings.HasSuffix(host, "."+own))
}

// localBytes are the bytes of an accepted local part: of those that need no quotes (RFC 5321,
// section 4.1.2) the usual ones.
const localBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-"

// plainLocal reports whether a text is the local part of an address that needs no quotes.
func plainLocal(s string) bool {
	return s != "" && len(s) <= limit.EmailLocal && s[0] != '.' && s[len(s)-1] != '.' &&
		!strings.Contains(s, "..") && strings.Trim(s, localBytes) == ""
}

// NewSender returns a sender of the viewer's store with a new key, which is not stored yet.
func (e *Engine) NewSender(ctx context.Context, local, host string) (*db.MailSender, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, fmt.Errorf("generate a key: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a key: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("encode a public key: %w", err)
	}
	id := xid.New()
	return &db.MailSender{ID: id, Bucket: bucket.Of(viewer.From(ctx).Store), Local: local, Host: host,
		Selector: "sf-" + hex.EncodeToString(id[8:]), PrivateKey: e.senderKeys.Seal(private, id[:]),
		PublicKey: base64.StdEncoding.EncodeToString(public)}, nil
}

// RecordName returns the name of the TXT record that publishes the key of a sender (RFC 6376,
// section 3.6.2.1).
func RecordName(s *db.MailSender) string { return s.Selector + "._domainkey." + s.Host }

// RecordValue returns the value of the TXT record that publishes the key of a sender.
func RecordValue(s *db.MailSender) string { return "v=DKIM1; k=rsa; p=" + s.PublicKey }

// OwnSender returns the sender of a store that DNS proves; nil for none. A key that does not open
// is logged and counts as none, so that emails leave anyway.
func (e *Engine) OwnSender(ctx context.Context, store xid.ID) (*notify.OwnSender, error) {
	ctx = viewer.Operator(ctx, store)
	rows, err := e.Store.DB(ctx).MailSender.Query().Where(mailsender.ProvedAtNotNil()).Load(ctx)
	if err != nil || len(rows) == 0 || !e.Sends() || e.operators(rows[0].Host) || e.services(rows[0].Host) {
		return nil, fault.Wrap("read the sender of a store", err)
	}
	row := rows[0]
	key, err := e.openKey(row)
	if err != nil {
		e.Logger.WarnContext(ctx, "the key of a sender cannot be used", "store", store, "error", err)
		return nil, nil
	}
	return &notify.OwnSender{Address: row.Local + "@" + row.Host, Selector: row.Selector, Key: key}, nil
}

func (e *Engine) openKey(row *db.MailSender) (*rsa.PrivateKey, error) {
	text, err := e.senderKeys.Open(row.PrivateKey, row.ID[:])
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(text)
	if err != nil {
		return nil, err
	}
	own, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("it is a %T", key)
	}
	return own, nil
}

// SenderProblem returns why DNS does not prove a sender; "" if it does.
func (e *Engine) SenderProblem(ctx context.Context, s *db.MailSender) string {
	return e.proveSender(ctx, s).problem
}

// proveSender asks DNS whether it publishes the key of a sender. A record means that those who control
// the host agree, because only this store has the key.
func (e *Engine) proveSender(ctx context.Context, s *db.MailSender) proof {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	name := RecordName(s)
	texts, err := e.Resolver.LookupTXT(ctx, name+".")
	switch {
	case unanswered(err):
		return proof{unsure: true, problem: "The name servers of the domain do not answer."}
	case len(texts) == 0:
		return proof{problem: "There is no TXT record of " + name + "."}
	case len(texts) > 1:
		return proof{problem: "There are several TXT records of " + name + ". Keep one."}
	case !publishes(texts[0], s.PublicKey):
		return proof{problem: "The TXT record of " + name + " has another value."}
	}
	return proof{proved: true}
}

// publishes reports whether the text of a record publishes a key (RFC 6376, section 3.6.1): a list
// of tags, in any order and with spaces anywhere. A record with tags that stores are not asked to
// publish proves nothing, because such tags restrict what the key signs.
func publishes(record, key string) bool {
	want := map[string]string{"v": "DKIM1", "k": "rsa", "p": key}
	for tag := range strings.SplitSeq(strings.TrimSuffix(strings.Join(strings.Fields(record), ""), ";"), ";") {
		name, value, _ := strings.Cut(tag, "=")
		if wanted, ok := want[name]; !ok || value != wanted {
			return false
		}
		delete(want, name)
	}
	_, missing := want["p"]
	return !missing
}

func (e *Engine) dueSenders(ctx context.Context) ([]*db.MailSender, error) {
	if !e.Sends() {
		return nil, nil
	}
	query := e.Store.Seek(ctx).MailSender.Query().Where(mailsender.BucketIn(bucket.All()...))
	query.Modify(lease.Due(batch))
	rows, err := query.Load(viewer.Everywhere(ctx))
	return rows, fault.Wrap("find due senders", err)
}

// checkSender checks a sender, unless another process has claimed it.
func (e *Engine) checkSender(ctx context.Context, row *db.MailSender) error {
	mine, err := e.senders.Claim(ctx, row.StoreID, row.ID, row.Tries, leaseTime)
	if err != nil || !mine {
		return err
	}
	row.Tries++
	ctx = viewer.Operator(ctx, row.StoreID)
	p := e.proveSender(ctx, row)
	err = e.Store.InTx(ctx, func(ctx context.Context) error {
		if err := e.senders.Delay(ctx, row.StoreID, row.ID, row.Tries, senderPause(row, p)); err != nil {
			return err
		}
		u := e.Store.DB(ctx).MailSender.Update().Where(mailsender.ID(row.ID)).SetCheckedAt(micros.Now())
		if p.proved {
			u.ClearProblem()
		} else {
			u.SetProblem(p.problem)
		}
		switch {
		case p.proved && row.ProvedAt == nil:
			u.SetProvedAt(micros.Now())
			err = e.recordSender(ctx, row, "email_sender.connect")
		case !p.proved && !p.unsure && row.ProvedAt != nil:
			u.ClearProvedAt()
			err = e.loseSender(ctx, row, p)
		default:
			err = nil // of a former attempt
		}
		if err != nil {
			return err
		}
		return u.Exec(ctx)
	})
	if errors.Is(err, lease.ErrLost) { // removed, or claimed by another process
		return nil
	}
	return fault.Wrap("check a sender", err)
}

func (e *Engine) recordSender(ctx context.Context, row *db.MailSender, action string) error {
	return audit.Write(ctx, e.Store.DB(ctx), action, xid.Store, row.StoreID, row.Local+"@"+row.Host)
}

// loseSender informs the people of a store whose emails come from the service's address again.
func (e *Engine) loseSender(ctx context.Context, row *db.MailSender, p proof) error {
	if err := e.recordSender(ctx, row, "email_sender.lose"); err != nil {
		return err
	}
	return e.Notifier.Append(ctx, e.Store, notify.Notice{Level: state.NotificationWarning,
		Title: "Emails no longer come from " + row.Local + "@" + row.Host,
		Body: p.problem + " Until the record is back, emails to shoppers come from the address of this service. " +
			"None is lost.", Kind: xid.Store, ID: row.StoreID})
}

// senderPause returns when the next check is due.
func senderPause(row *db.MailSender, p proof) time.Duration {
	if p.proved || row.ProvedAt != nil {
		return provedEvery
	}
	return retry(row.ID)
}
