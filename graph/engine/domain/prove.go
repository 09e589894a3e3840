package domain

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
)

const (
	// recordPrefix precedes the host in the name of the TXT record, so that the record is also
	// possible beside a CNAME record of the host.
	recordPrefix = "_storefront."
	// valuePrefix precedes the token in its value.
	valuePrefix = "storefront="
	// lookupTime bounds the look-ups of one check.
	lookupTime = 10 * time.Second
)

// TXTName returns the name of the TXT record that proves a domain.
func TXTName(d *db.Domain) string { return recordPrefix + d.Host }

// TXTValue returns the value of the TXT record that proves a domain.
func TXTValue(d *db.Domain) string { return valuePrefix + d.Token }

// CNAMETarget returns the target of the CNAME record that proves a domain of the store with a
// built-in host: that host without a port.
func CNAMETarget(builtIn string) string { return bare(builtIn) }

// proof is what DNS says about a domain.
type proof struct {
	proved bool
	// unsure says that DNS did not answer, which proves nothing.
	unsure bool
	// problem is why the domain is not proved, to show.
	problem string
}

// Problem returns why DNS does not prove a domain, whose store's built-in host is given; "" if it does.
func (e *Engine) Problem(ctx context.Context, d *db.Domain, builtIn string) string {
	return e.prove(ctx, d, builtIn).problem
}

// prove asks DNS whether a domain is the store's, whose built-in host is given. A TXT record with
// the domain's token proves it, and so does a CNAME record with that host.
func (e *Engine) prove(ctx context.Context, d *db.Domain, builtIn string) proof {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	// Names end in a dot, so that no search list applies.
	texts, txtErr := e.Resolver.LookupTXT(ctx, TXTName(d)+".")
	if slices.Contains(texts, TXTValue(d)) {
		return proof{proved: true}
	}
	target, cnameErr := e.Resolver.LookupCNAME(ctx, d.Host+".")
	if cnameErr == nil && bare(target) == bare(builtIn) {
		return proof{proved: true}
	}
	switch {
	case unanswered(txtErr) || unanswered(cnameErr):
		return proof{unsure: true, problem: "The name servers of the domain do not answer."}
	case len(texts) > 0:
		return proof{problem: "The TXT record of " + TXTName(d) + " has another value."}
	}
	return proof{problem: "There is no TXT record of " + TXTName(d) + ", and no CNAME record of " + d.Host +
		" with the target " + bare(builtIn) + "."}
}

// unanswered reports whether a look-up failed without an answer. A missing name or record is one.
func unanswered(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return err != nil && (!ok || !dns.IsNotFound && !strings.Contains(dns.Err, "no such host"))
}
