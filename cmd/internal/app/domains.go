package app

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	netmail "net/mail"
	"net/url"
	"os"
	"time"

	"github.com/storefront-go/storefront/graph/engine/domain"
)

// dnsTime bounds a connection to the DNS server.
const dnsTime = 5 * time.Second

// check returns every error of the settings, in one line.
func (d Domains) check(tls bool) error {
	var directory, email, needs, plain, dns error
	if u, err := url.Parse(d.ACME); d.ACME != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		directory = errors.New("--acme must have the form https://host/directory")
	}
	if _, err := netmail.ParseAddress(d.ACMEEmail); d.ACMEEmail != "" && err != nil {
		email = errors.New("--acme-email is not an email address")
	}
	if d.ACME != "" && d.HTTPAddr == "" {
		needs = errors.New("--acme needs --http-addr: the service tests a domain on port 80")
	}
	if d.HTTPAddr != "" {
		plain = checkAddr("--http-addr", d.HTTPAddr)
		if !tls {
			plain = errors.New("--http-addr and --acme need --tls-cert and --tls-key")
		}
	}
	if d.DNSServer != "" {
		dns = checkAddr("--dns-server", d.DNSServer)
	}
	_, roots := d.roots()
	return oneLine(directory, email, needs, plain, dns, roots)
}

// roots reads --acme-roots; nil means the roots of the system.
func (d Domains) roots() (*x509.CertPool, error) {
	if d.ACMERoots == "" {
		return nil, nil
	}
	text, err := os.ReadFile(d.ACMERoots)
	if err != nil {
		return nil, fmt.Errorf("--acme-roots: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("--acme-roots: the file has no certificate in PEM")
	}
	return pool, nil
}

// resolver returns what resolves the names of domains.
func (d Domains) resolver() *net.Resolver {
	if d.DNSServer == "" {
		return net.DefaultResolver
	}
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: dnsTime}).DialContext(ctx, network, d.DNSServer)
	}}
}

// domains creates the engine of the own domains of stores.
func (b *Base) domains(a Addresses, log *slog.Logger) (*domain.Engine, error) {
	roots, err := b.Domains.roots()
	if err != nil {
		return nil, err
	}
	return domain.New(domain.Config{Store: b.Store, Ring: b.Ring, HostOf: a.StoreHost,
		Reserved: []string{hostOfURL(a.API), a.StoreDomain}, Resolver: b.Domains.resolver(),
		Notifier: b.Notifier, ServiceMail: b.ServiceMail,
		Authority: domain.Authority{Directory: b.Domains.ACME, Email: b.Domains.ACMEEmail, Roots: roots}, Logger: log})
}

// hostOfURL returns the name in an origin.
func hostOfURL(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
