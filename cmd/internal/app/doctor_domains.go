package app

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbdomain "github.com/storefront-go/storefront/ent/db/domain"
	"github.com/storefront-go/storefront/ent/db/mailsender"
	"github.com/storefront-go/storefront/ent/db/storehandle"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/domain"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

const (
	// diagnosedDomains is how many domains of each shard are checked.
	diagnosedDomains = 20
	// certificateWarn is how long before its end a certificate should have been renewed.
	certificateWarn = 7 * 24 * time.Hour
	// reachTime bounds the connection to a domain.
	reachTime = 3 * time.Second
)

// diagnoseDomains checks domains that stores have: their DNS records, their certificates, and
// whether they can be reached. It also checks the DNS records of addresses that stores send emails
// from. A schema without the tables has none.
func diagnoseDomains(ctx context.Context, s *ent.Store, c Config, ring *keyring.Ring) []Finding {
	rows := someOfAll(ctx, s, func(ctx context.Context) ([]*db.Domain, error) {
		return s.Seek(ctx).Domain.Query().Where(dbdomain.ProvedAtNotNil()).Limit(diagnosedDomains).Load(ctx)
	})
	senders := someOfAll(ctx, s, func(ctx context.Context) ([]*db.MailSender, error) {
		return s.Seek(ctx).MailSender.Query().Where(mailsender.ProvedAtNotNil()).Limit(diagnosedDomains).Load(ctx)
	})
	if len(rows)+len(senders) == 0 || ring == nil {
		return nil
	}
	addresses := c.Naming.addresses(c.Addr, "", c.TLSCert != "")
	base := &Base{Store: s, Ring: ring, Domains: c.Domains}
	engine, err := base.domains(addresses, nil)
	if err != nil {
		return []Finding{fail("domains", firstLine(err), "")}
	}
	var list []Finding
	for _, row := range rows {
		list = append(list, diagnoseDomain(ctx, s, engine, addresses, row)...)
	}
	for _, row := range senders {
		if problem := engine.SenderProblem(ctx, row); problem != "" {
			list = append(list, warn("domains", row.Local+"@"+row.Host+": "+problem,
				"inform the store; its emails come from the address of the service until the record is back"))
		}
	}
	if len(senders) > 0 && !c.MailOwn {
		list = append(list, warn("domains", "stores have proved addresses for emails that are not used",
			"start with --mail-own-domains"))
	}
	if len(list) == 0 {
		return []Finding{ok("domains", "%d checked: DNS, certificates and ports", len(rows)+len(senders))}
	}
	return list
}

// someOfAll returns rows of all shards; none after an error.
func someOfAll[T any](ctx context.Context, s *ent.Store, read func(context.Context) ([]T, error)) (rows []T) {
	var mu sync.Mutex
	err := s.EachShard(ctx, func(ctx context.Context) error {
		some, err := read(viewer.Everywhere(ctx))
		mu.Lock()
		defer mu.Unlock()
		rows = append(rows, some...)
		return err
	})
	if err != nil {
		return nil
	}
	return rows
}

func diagnoseDomain(ctx context.Context, s *ent.Store, e *domain.Engine, a Addresses, row *db.Domain) (list []Finding) {
	handles, err := s.DB(ctx).StoreHandle.Query().Where(storehandle.StoreID(row.StoreID)).All(viewer.Everywhere(ctx))
	if err != nil || len(handles) == 0 {
		return nil
	}
	if problem := e.Problem(ctx, row, a.StoreHost(handles[0].ID)); problem != "" {
		list = append(list, warn("domains", row.Host+": "+problem, "inform the store; it loses the domain after a day"))
	}
	if e.Certifies() {
		list = append(list, judgeCertificate(row, time.Now())...)
	}
	dial, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	for _, port := range []string{"443", "80"} {
		conn, err := (egress.Policy{}).Dialer(true)(dial, "tcp", net.JoinHostPort(row.Host, port))
		if err != nil {
			return append(list, warn("domains", row.Host+": no connection to port "+port+" from here: "+firstLine(err),
				"check that the domain's address leads to this service, and the firewall"))
		}
		_ = conn.Close() // nothing was sent
	}
	return list
}

// judgeCertificate warns of a missing certificate and of one that should have been renewed.
func judgeCertificate(row *db.Domain, now time.Time) []Finding {
	why := "the next attempt follows by itself; the dashboard shows the reason of a failure"
	if row.CertificateProblem != nil {
		why = *row.CertificateProblem
	}
	switch {
	case row.CertificateUntil == nil:
		return []Finding{warn("domains", row.Host+" has no certificate yet", why)}
	case row.CertificateUntil.Time().Sub(now) < certificateWarn:
		return []Finding{warn("domains", fmt.Sprintf("the certificate of %s ends at %s and was not renewed", row.Host,
			row.CertificateUntil.Time().UTC().Format(time.RFC3339)), why)}
	}
	return nil
}
