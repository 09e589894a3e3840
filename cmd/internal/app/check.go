package app

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// maxDemoOrders bounds --demo-orders: beyond it a first start would take hours.
const maxDemoOrders = 200_000

// Check returns every error of the settings, in one line.
func (c Config) Check() error {
	_, proxies := c.proxies()
	_, egress := c.egress(c.Demo)
	_, certificate := loadCertificate(c)
	var demo, orders, pair error
	if place, local := c.local(); c.Demo && !local {
		demo = fmt.Errorf("--demo writes its passwords to demo.json for everyone to try: it only serves loopback "+
			"addresses, not %s", place)
	}
	if c.DemoOrders < 0 || c.DemoOrders > maxDemoOrders {
		orders = fmt.Errorf("--demo-orders: %d is not between 0 and %d", c.DemoOrders, maxDemoOrders)
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		pair = errors.New("--tls-cert and --tls-key belong together")
	}
	return oneLine(checkAddr("--addr", c.Addr), checkAddr("--admin-addr", c.AdminAddr), proxies, c.Naming.Check(),
		c.Mail.check(), egress, c.Limits.Check(), c.Domains.check(c.TLSCert != ""), demo, orders,
		checkContact(c.SecurityTo),
		checkRate("--rate-limit", c.RateLimit), checkRate("--store-rate-limit", c.StoreRateLimit),
		checkRate("--visitor-rate-limit", c.VisitorLimit), pair, certificate, c.Storage.Check())
}

// Check returns every error of the storage settings, in one line. It looks at an existing folder
// and root secret, and creates nothing.
func (s Storage) Check() error {
	var folder, database, blobs, secret error
	if s.Data == "" {
		folder = errors.New("--data: the folder is empty")
	} else if info, err := os.Stat(s.Data); err == nil && !info.IsDir() {
		folder = fmt.Errorf("--data: %s is not a folder", s.Data)
	}
	if err := (ent.Config{Database: s.Address()}).Check(); err != nil {
		database = fmt.Errorf("--database: %w", err)
	}
	if err := blob.Check(s.Blobs); err != nil {
		blobs = fmt.Errorf("--blobs: %w", err)
	}
	if _, err := os.Stat(filepath.Join(s.Data, keyring.FileName)); err == nil || s.SecretKey != "" {
		_, secret = s.Ring()
	}
	return oneLine(folder, database, blobs, secret)
}

// checkContact validates an address for security.txt; parsing it refuses line breaks.
func checkContact(address string) error {
	u, err := url.Parse(address)
	if err != nil || address != "" && u.Scheme != "mailto" && u.Scheme != "https" {
		return errors.New("--security-contact must have the form mailto:security@shop.example or https://…")
	}
	return nil
}

func checkRate(flag string, rate float64) error {
	if rate < 0 || rate > limit.MaxRate || math.IsNaN(rate) {
		return fmt.Errorf("%s: %v is not between 0 and %d", flag, rate, limit.MaxRate)
	}
	return nil
}

// local reports whether only this machine reaches the service. If not, it returns the setting that
// says so. A public URL that is not loopback belongs to a proxy, now or soon.
func (c Config) local() (setting string, ok bool) {
	if !loopback(c.Addr) {
		return "--addr " + c.Addr, false
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil || c.PublicURL != "" && !loopbackHost(u.Hostname()) {
		return "--public-url " + c.PublicURL, false
	}
	return "", true
}

// oneLine joins errors that are not nil, without line breaks.
func oneLine(list ...error) error {
	var texts []string
	for _, err := range list {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	if texts == nil {
		return nil
	}
	return errors.New(strings.Join(texts, "; "))
}

func checkAddr(flag, addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%s: %q is not HOST:PORT", flag, addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%s: %q is not a port", flag, port)
	}
	return nil
}

// Check returns every error of the names.
func (n Naming) Check() error {
	if n.PublicURL != "" {
		u, err := url.Parse(n.PublicURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
			u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
			return errors.New("--public-url must have the form https://host[:port]")
		}
	}
	if strings.ContainsAny(n.StoreDomain, "/@ ") || strings.HasPrefix(n.StoreDomain, ".") {
		return errors.New("--store-domain must have the form host[:port]")
	}
	return nil
}

// proxies parses --trusted-proxies; a bare address is a network of its own.
func (c Config) proxies() ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range c.TrustedProxies {
		text = strings.TrimSpace(text)
		if addr, err := netip.ParseAddr(text); err == nil {
			list = append(list, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("--trusted-proxies: %q is not a network such as 10.0.0.0/8", text)
		}
		list = append(list, p.Masked())
	}
	return list, nil
}
