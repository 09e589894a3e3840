package app

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/rest/account"
)

// people returns what signs people in, and warns if signing in is not safe.
func (s *Server) people(ctx context.Context, c Config, core *graph.Resolver) (*account.Account, error) {
	allowed := c.signInAllowed(s.API)
	if !allowed {
		s.log.WarnContext(ctx, "sign-in, consent and tokens are off: plain http on an address that is not loopback "+
			"(serve https, or --insecure-http)",
			"addr", c.Addr, "api_host", s.API)
	}
	return account.New(account.Config{Sessions: s.base.Sessions, Core: core, APIHost: s.API, Allowed: allowed,
		Logger: s.log})
}

// signInAllowed reports whether people may enter passwords: with https, with http within this
// machine, or if the operator allows it (contract, section 11).
func (c Config) signInAllowed(api string) bool {
	u, err := url.Parse(api)
	switch {
	case err != nil:
		return false
	case u.Scheme == "https" || c.InsecureHTTP:
		return true
	}
	return loopback(c.Addr) && loopbackHost(u.Hostname())
}

// loopbackHost reports whether browsers resolve a host to this machine only. They do so for names
// under localhost (RFC 6761, section 6.3).
func loopbackHost(host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// refuseDemo refuses to serve a demo that others can reach: its passwords are in demo.json.
func (b *Base) refuseDemo(ctx context.Context, c Config) error {
	place, local := c.local()
	if local {
		return nil
	}
	found, err := b.Store.DB(ctx).User.Query().Where(user.Demo(true), user.PasswordHashNotNil()).Limit(10).All(ctx)
	if err != nil {
		return fmt.Errorf("look for the demo's people: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	emails := make([]string, len(found))
	for i, p := range found {
		emails[i] = p.Email
	}
	return fmt.Errorf("the database contains people of the demo with passwords that are in demo.json: with "+
		"%s everyone could sign in as %s; use another --data or --database, or give each a new password with "+
		"`storefront staff password EMAIL --store HANDLE`", place, strings.Join(emails, ", "))
}
