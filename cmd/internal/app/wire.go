package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/transport"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/mcp"
)

func (s *Server) handler(
	ctx context.Context, c Config, r Runtime, core *graph.Resolver, claims *idem.Keeper, reg prometheus.Registerer,
) (http.Handler, error) {
	proxies, err := c.proxies()
	if err != nil {
		return nil, err
	}
	people, err := s.people(ctx, c, core)
	if err != nil {
		return nil, err
	}
	graphql, err := transport.New(transport.Config{
		Core: core, Idem: claims, Introspection: c.Introspection, Logger: r.Logger,
		Session: people.Viewer, Origins: people.Origins(), Client: rest.Proxies(proxies).Client,
		ResourceMetadata: s.API + "/.well-known/oauth-protected-resource" + rest.Base,
	})
	if err != nil {
		return nil, err
	}
	s.oauth, err = oauth.New(oauth.Config{Store: s.base.Store, Keys: s.base.Keys, Ring: s.base.Ring, Issuer: s.API,
		OnLastGrant: core.LastGrantEnded, MayName: core.MayName, Logger: r.Logger,
		// Private networks are for webhooks only; a loopback host is for development.
		Documents:    oauth.Documents{Egress: egress.Policy{AllowLoopback: c.AllowLoopbackWebhooks || c.Demo}},
		Registration: c.Registration,
		Resources:    []string{rest.Base, mcp.Path}})
	if err != nil {
		return nil, err
	}
	api, err := rest.New(rest.Config{
		Core: core, Keys: s.base.Keys, Idem: claims, APIHost: s.API,
		RatePerSecond: c.RateLimit, RateBurst: c.RateBurst(), StoreRate: c.StoreRateLimit, VisitorRate: c.VisitorLimit,
		TrustedProxies: proxies, Exports: core.Exports, Links: core.Links, Blobs: s.base.Blobs,
		HandleOf: s.HandleOf, DomainOf: core.Domains.HandleOf, IsAPI: s.IsAPI,
		SecurityContact: c.SecurityTo, Account: people, OAuth: s.oauth, GraphQL: graphql, Explorer: c.Explorer,
		Version: r.Build.Version, Requests: s.requests, Servers: func() int64 { return s.fleet.Servers() },
		Logger: r.Logger, Metrics: reg,
	})
	if err != nil {
		return nil, err
	}
	traces, err := newTracer(ctx, r.Getenv, r.Build.Version, proxies, r.Logger)
	if err != nil {
		return nil, err
	}
	s.closer.push("stop traces", traces.stop)
	return traces.wrap(api), nil
}

func (s *Server) prepareDemo(ctx context.Context, c Config, core *graph.Resolver) (*demo.File, error) {
	f, err := demo.Prepare(ctx, demo.Config{
		Core: core, Orders: c.DemoOrders, Path: filepath.Join(c.Data, demo.FileName),
		API: s.API, Admin: s.Admin, Logger: s.log,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the demo: %w", err)
	}
	return f, nil
}

// loadCertificate reads the configured certificate; nil if there is none.
func loadCertificate(c Config) (*tls.Certificate, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("read --tls-cert and --tls-key: %w", err)
	}
	return &pair, nil
}

// secured adds TLS to a listener, with HTTP/2 for clients that support it. more returns the
// certificates of other hosts, or nil.
func secured(l net.Listener, certificate *tls.Certificate,
	more func(*tls.ClientHelloInfo) (*tls.Certificate, error)) net.Listener {
	if certificate == nil {
		return l
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{*certificate}, GetCertificate: more,
		NextProtos: []string{"h2", "http/1.1"},
	})
}
