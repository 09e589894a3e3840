package domain

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbdomain "github.com/storefront-go/storefront/ent/db/domain"
	"github.com/storefront-go/storefront/ent/db/domainhost"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

const (
	// Every is the time between two rounds that nothing wakes.
	Every = 5 * time.Second
	// batch is how many domains are checked at once.
	batch = 16
	// leaseTime outlasts a check and an order, which [orderTime] bounds.
	leaseTime = 5 * time.Minute
	// provedEvery is the time between two checks of a domain that the store has.
	provedEvery = time.Hour
	// MaxMissed is how many checks in a row may find no proof before the store loses the domain.
	MaxMissed = 24
)

// errTaken means that another store has the host.
var errTaken = errors.New("another store has the host")

// Round checks the domains and the senders that are due, and orders certificates.
func (e *Engine) Round(ctx context.Context) error {
	return e.Store.EachShard(ctx, func(ctx context.Context) error {
		return errors.Join(checkAll(ctx, e, e.dueDomains, e.check), checkAll(ctx, e, e.dueSenders, e.checkSender))
	})
}

func (e *Engine) dueDomains(ctx context.Context) ([]*db.Domain, error) {
	query := e.Store.Seek(ctx).Domain.Query().Where(dbdomain.BucketIn(bucket.All()...))
	query.Modify(lease.Due(batch))
	rows, err := query.Load(viewer.Everywhere(ctx))
	return rows, fault.Wrap("find due domains", err)
}

// checkAll checks the due rows, a batch at once.
func checkAll[T any](
	ctx context.Context, e *Engine, due func(context.Context) ([]T, error), check func(context.Context, T) error,
) error {
	for ctx.Err() == nil {
		rows, err := due(ctx)
		if err != nil {
			return err
		}
		failed := make([]error, len(rows))
		var all sync.WaitGroup
		for i, row := range rows {
			all.Go(func() {
				failed[i] = e.guard.Do(ctx, e.Logger, func() error { return check(ctx, row) })
			})
		}
		all.Wait()
		if err := errors.Join(failed...); err != nil || len(rows) < batch {
			return err
		}
	}
	return nil
}

// check checks a domain, unless another process has claimed it.
func (e *Engine) check(ctx context.Context, row *db.Domain) error {
	mine, err := e.queue.Claim(ctx, row.StoreID, row.ID, row.Tries, leaseTime)
	if err != nil || !mine {
		return err
	}
	row.Tries++
	ctx = viewer.Operator(ctx, row.StoreID)
	s, err := ent.Only(e.Store.DB(ctx).Store.Query().Where(store.ID(row.StoreID)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read the store of a domain: %w", err)
	}
	p := e.prove(ctx, row, e.HostOf(s.Handle))
	err = e.record(ctx, row, p)
	if ent.IsDuplicate(err) || errors.Is(err, errTaken) {
		p = proof{problem: "Another store has this domain. It loses it a day after its DNS record is gone."}
		err = e.record(ctx, row, p)
	}
	if err == nil && e.orders(row, p) {
		err = e.order(ctx, row)
	}
	if errors.Is(err, lease.ErrLost) { // removed, or claimed by another process
		return nil
	}
	return err
}

// orders reports whether a certificate is due.
func (e *Engine) orders(row *db.Domain, p proof) bool {
	return e.acme != nil && p.proved && (row.CertificateDue == nil || *row.CertificateDue <= micros.Now())
}

// record writes the outcome of a check. A duplicate key means that another store has the host.
func (e *Engine) record(ctx context.Context, row *db.Domain, p proof) error {
	return e.Store.InTx(ctx, func(ctx context.Context) error {
		if err := e.hold(ctx); err != nil {
			return err
		}
		u := e.Store.DB(ctx).Domain.Update().SetCheckedAt(micros.Now())
		then, wait := e.outcome(row, p, u), pause(row, p)
		if e.orders(row, p) { // the attempt counts before it begins, whatever becomes of this process
			wait = leaseTime
			u.SetCertificateFailures(row.CertificateFailures + 1).
				SetCertificateDue(micros.Now().Add(backoff(row.CertificateFailures)))
		}
		if err := e.write(ctx, row, u, wait); err != nil {
			return err
		}
		if then != nil {
			if err := then(ctx); err != nil {
				return err
			}
		}
		return e.Arrive(ctx)
	})
}

// write changes the row if its lease is still this process's, and makes it due after wait.
func (e *Engine) write(ctx context.Context, row *db.Domain, u *db.DomainUpdate, wait time.Duration) error {
	if err := e.queue.Delay(ctx, row.StoreID, row.ID, row.Tries, wait); err != nil {
		return err
	}
	return fault.Wrap("write a domain", u.Where(dbdomain.ID(row.ID), dbdomain.Tries(row.Tries)).Exec(ctx))
}

// outcome sets the result of a check, and returns what else it changes; nil for nothing.
func (e *Engine) outcome(row *db.Domain, p proof, u *db.DomainUpdate) func(context.Context) error {
	switch {
	case p.proved && row.ProvedAt == nil:
		u.SetMissed(0).ClearProblem().SetProvedAt(micros.Now())
		return func(ctx context.Context) error { return e.connect(ctx, row) }
	case p.proved:
		u.SetMissed(0).ClearProblem()
	case p.unsure:
		u.SetProblem(p.problem)
	default:
		u.SetMissed(row.Missed + 1).SetProblem(p.problem)
		switch {
		case row.ProvedAt == nil:
		case row.Missed == 0:
			return func(ctx context.Context) error {
				return e.inform(ctx, row, state.NotificationWarning, "The DNS record of "+row.Host+" is gone",
					p.problem+" Restore the record within a day, or the store loses the domain.")
			}
		case row.Missed+1 >= MaxMissed:
			u.ClearProvedAt().ClearCertificate().ClearCertificateUntil().ClearCertificateDue().
				SetCertificateFailures(0).ClearCertificateProblem()
			return func(ctx context.Context) error { return e.lose(ctx, row, p) }
		}
	}
	return nil
}

// connect gives the host to the store. If another store has it, the key is a duplicate.
func (e *Engine) connect(ctx context.Context, row *db.Domain) error {
	if e.Store.Sharded() { // a duplicate would abort the transaction on another shard
		there := e.Store.Aside(ctx)
		taken, err := e.Store.DB(there).DomainHost.Query().Where(domainhost.ID(row.Host)).Exist(there)
		if err != nil {
			return fmt.Errorf("look up a host: %w", err)
		}
		if taken {
			return errTaken
		}
	}
	c := e.Store.DB(ctx)
	if err := c.DomainHost.Create().SetID(row.Host).SetStoreID(row.StoreID).Exec(ctx); err != nil {
		return fmt.Errorf("take a host: %w", err)
	}
	return audit.Write(ctx, c, "domain.connect", xid.Domain, row.ID, row.Host)
}

// lose takes the host from the store.
func (e *Engine) lose(ctx context.Context, row *db.Domain, p proof) error {
	if err := e.Release(ctx, row); err != nil {
		return err
	}
	if err := audit.Write(ctx, e.Store.DB(ctx), "domain.lose", xid.Domain, row.ID, row.Host); err != nil {
		return err
	}
	return e.inform(ctx, row, state.NotificationCritical, row.Host+" is no longer connected",
		p.problem+" The shop no longer answers there. It is connected again when the record is back, unless another "+
			"store connects it first.")
}

// Release removes the host of a domain of the viewer's store from the directory.
func (e *Engine) Release(ctx context.Context, row *db.Domain) error {
	_, err := e.Store.DB(ctx).DomainHost.Delete().
		Where(domainhost.ID(row.Host), domainhost.StoreID(row.StoreID)).Exec(ctx)
	return fault.Wrap("release a host", err)
}

func (e *Engine) inform(ctx context.Context, row *db.Domain, l state.NotificationLevel, title, body string) error {
	return e.Notifier.Append(ctx, e.Store, notify.Notice{Level: l, Title: title, Body: body, Kind: xid.Domain,
		ID: row.ID})
}

// pause returns when the next check is due. A domain that is not proved is checked less and less
// often; one with a certificate also when the next one is due.
func pause(row *db.Domain, p proof) time.Duration {
	if row.ProvedAt == nil && !p.proved {
		return retry(row.ID)
	}
	wait := provedEvery
	if row.CertificateDue != nil {
		wait = min(wait, max(row.CertificateDue.Time().Sub(micros.Now().Time()), time.Minute))
	}
	return wait
}

// retry returns when to check again what is not proved: the older its row, the later.
func retry(id xid.ID) time.Duration {
	return min(max(micros.Now().Sub(id.Time())/10, time.Minute), 24*time.Hour)
}
