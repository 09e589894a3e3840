package merchant

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbdomain "github.com/storefront-go/storefront/ent/db/domain"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/domain"
	"github.com/storefront-go/storefront/graph/model"
)

// checkEvery is the shortest time between two checks of a domain that people ask for.
const checkEvery = 10 * time.Second

// Domains returns the domains of the store, by host.
func (q Query) Domains(ctx context.Context) ([]*model.Domain, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	return q.shownDomains(ctx)
}

func (r *Resolver) shownDomains(ctx context.Context) ([]*model.Domain, error) {
	s, err := r.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	rows, err := r.Client(ctx).Domain.Query().Order(db.Asc(dbdomain.FieldHost)).Load(ctx)
	if err != nil {
		return nil, core.Explain("domains", err)
	}
	return core.Map(rows, func(d *db.Domain) *model.Domain { return r.shownDomain(s, d) }), nil
}

func (r *Resolver) shownDomain(s *db.Store, d *db.Domain) *model.Domain {
	shown := &model.Domain{Domain: d, Status: state.DomainConnected, TXTName: domain.TXTName(d),
		TXTValue: domain.TXTValue(d), CnameTarget: domain.CNAMETarget(r.HostOf(s.Handle)),
		Primary:  s.Domain != nil && *s.Domain == d.Host,
		Checking: d.CheckedAt == nil}
	switch {
	case d.ProvedAt == nil:
		shown.Status = state.DomainPending
	case d.Missed > 0:
		shown.Status = state.DomainFailing
	}
	if r.Domains.Certifies() {
		shown.Certificate = &model.DomainCertificate{ExpiresAt: d.CertificateUntil, Problem: d.CertificateProblem}
		if d.CertificateProblem != nil {
			shown.Certificate.RetryAt = d.CertificateDue
		}
	}
	return shown
}

// DomainAdd adds a host to the store. Visitors arrive at the first one once it is connected.
func (m Mutation) DomainAdd(ctx context.Context, host string) (*model.DomainPayload, error) {
	host, err := m.Domains.Normalize(host)
	if err != nil {
		return nil, core.Invalid("host", fault.InvalidFormat, err.Error())
	}
	row, err := core.Commit(ctx, m.Core, xid.Domain, func(ctx context.Context) (*db.Domain, *change.Record, error) {
		if err := m.HoldStore(ctx); err != nil {
			return nil, nil, err
		}
		others, err := m.Client(ctx).Domain.Query().Load(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("read domains: %w", err)
		}
		if len(others) >= limit.Domains {
			return nil, nil, fault.State(fault.LimitReached,
				fmt.Sprintf("A store has at most %d domains. Remove one first.", limit.Domains))
		}
		row, err := m.Client(ctx).Domain.Create().SetID(xid.New()).SetHost(host).SetToken(rand.Text()).
			SetBucket(bucket.Of(viewer.From(ctx).Store)).SetDueAt(0).SetPreferred(len(others) == 0).Save(ctx)
		if ent.IsDuplicate(err) {
			err = core.Invalid("host", fault.Taken, "The store already has this domain.")
		}
		if err != nil {
			return nil, nil, err
		}
		ent.OnCommit(ctx, m.Domains.Wake)
		return row, &change.Record{Action: "domain.add", Kind: xid.Domain, ID: row.ID, Detail: host}, nil
	})
	return m.domainPayload(ctx, row, err)
}

// domainPayload returns the result of a change of a domain.
func (m Mutation) domainPayload(ctx context.Context, row *db.Domain, err error) (*model.DomainPayload, error) {
	if err != nil {
		return nil, err
	}
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	return &model.DomainPayload{Domain: m.shownDomain(s, row)}, nil
}

// lockedDomain reads a domain of the store with its public id and locks it until the commit.
func (m Mutation) lockedDomain(ctx context.Context, id string) (*db.Domain, error) {
	uid, err := core.ParseID(xid.Domain, id)
	if err != nil {
		return nil, err
	}
	return core.Row(ctx, m.Client(ctx).Domain.Query().Where(dbdomain.ID(uid)), ent.ForUpdate)
}

// DomainCheck makes a domain due for its next check, unless it was just checked.
func (m Mutation) DomainCheck(ctx context.Context, id string) (*model.DomainPayload, error) {
	row, err := core.Commit(ctx, m.Core, xid.Domain, func(ctx context.Context) (*db.Domain, *change.Record, error) {
		row, err := m.lockedDomain(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if row.CheckedAt == nil || row.CheckedAt.Add(checkEvery) > micros.Now() {
			return row, nil, nil
		}
		row.CheckedAt = nil
		ent.OnCommit(ctx, m.Domains.Wake)
		err = m.Client(ctx).Domain.Update().Where(dbdomain.ID(row.ID)).SetDueAt(0).ClearCheckedAt().Exec(ctx)
		return row, &change.Record{Action: "domain.check", Kind: xid.Domain, ID: row.ID, Detail: row.Host}, err
	})
	return m.domainPayload(ctx, row, err)
}

// DomainPrefer chooses where visitors arrive: at a domain, or at the built-in host for nil.
func (m Mutation) DomainPrefer(ctx context.Context, id *string) (*model.DomainsPayload, error) {
	err := m.Commit(ctx, xid.Domain, func(ctx context.Context) (*change.Record, error) {
		if err := m.HoldStore(ctx); err != nil { // of concurrent choices, the last one counts
			return nil, err
		}
		record := &change.Record{Action: "domain.prefer", Kind: xid.Store, ID: viewer.From(ctx).Store}
		others := m.Client(ctx).Domain.Update().Where(dbdomain.Preferred(true)).SetPreferred(false)
		if id != nil {
			row, err := m.lockedDomain(ctx, *id)
			if err != nil {
				return nil, err
			}
			record.Kind, record.ID, record.Detail = xid.Domain, row.ID, row.Host
			others.Where(dbdomain.IDNEQ(row.ID))
			err = m.Client(ctx).Domain.Update().Where(dbdomain.ID(row.ID)).SetPreferred(true).Exec(ctx)
			if err != nil {
				return nil, fmt.Errorf("prefer a domain: %w", err)
			}
		}
		if err := others.Exec(ctx); err != nil {
			return nil, fmt.Errorf("prefer no other domain: %w", err)
		}
		return record, m.Domains.Arrive(ctx)
	})
	if err != nil {
		return nil, err
	}
	all, err := m.shownDomains(ctx)
	return &model.DomainsPayload{Domains: all}, err
}

// DomainRemove removes a domain with its certificate.
func (m Mutation) DomainRemove(ctx context.Context, id string) (*model.DomainRemovePayload, error) {
	err := m.Commit(ctx, xid.Domain, func(ctx context.Context) (*change.Record, error) {
		if err := m.HoldStore(ctx); err != nil {
			return nil, err
		}
		row, err := m.lockedDomain(ctx, id)
		if err != nil {
			return nil, err
		}
		if _, err := m.Client(ctx).Domain.Delete().Where(dbdomain.ID(row.ID)).Exec(ctx); err != nil {
			return nil, fmt.Errorf("remove a domain: %w", err)
		}
		if err := m.Domains.Release(ctx, row); err != nil {
			return nil, err
		}
		return &change.Record{Action: "domain.remove", Kind: xid.Domain, ID: row.ID, Detail: row.Host},
			m.Domains.Arrive(ctx)
	})
	if err != nil {
		return nil, err
	}
	return &model.DomainRemovePayload{RemovedID: &id}, nil
}
