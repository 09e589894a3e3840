package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// valid returns valid settings.
func valid() Config {
	return Config{
		Storage: Storage{Data: "data"},
		Listen:  Listen{Addr: "127.0.0.1:8080", AdminAddr: "127.0.0.1:8081"},
		Log:     Log{LogFormat: "text", LogLevel: "info"}, DemoOrders: 500, RateLimit: 100,
	}
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit func(*Config)
		want string // in the error; "" for none
	}{
		{"valid", func(*Config) {}, ""},
		{"port 0", func(c *Config) { c.Addr, c.AdminAddr = "127.0.0.1:0", "[::1]:0" }, ""},
		{"no port", func(c *Config) { c.Addr = "127.0.0.1" }, "--addr"},
		{"large port", func(c *Config) { c.AdminAddr = ":99999" }, "--admin-addr"},
		{"everywhere", func(c *Config) { c.Addr = ":8080" }, ""},
		{"demo", func(c *Config) { c.Demo = true }, ""},
		{"demo on localhost", func(c *Config) { c.Demo, c.Addr = true, "localhost:1" }, ""},
		{"demo on IPv6", func(c *Config) { c.Demo, c.Addr = true, "[::1]:1" }, ""},
		{"demo everywhere", func(c *Config) { c.Demo, c.Addr = true, ":8080" }, "--demo"},
		{"demo on 0.0.0.0", func(c *Config) { c.Demo, c.Addr = true, "0.0.0.0:8080" }, "--demo"},
		{"demo behind a proxy", func(c *Config) { c.Demo, c.PublicURL = true, "https://shop.example" }, "--public-url"},
		{"demo under a name of this machine", func(c *Config) {
			c.Demo, c.PublicURL = true, "http://demo.localhost:8080"
		}, ""},
		{"demo on a name", func(c *Config) { c.Demo, c.Addr = true, "shop.example:80" }, "--demo"},
		{"proxies", func(c *Config) { c.TrustedProxies = []string{"10.0.0.0/8", " 192.0.2.1", "fd00::/8"} }, ""},
		{"bad proxy", func(c *Config) { c.TrustedProxies = []string{"10.0.0.0/33"} }, "--trusted-proxies"},
		{"public URL", func(c *Config) { c.PublicURL = "https://shop.example/" }, ""},
		{"public URL with a path", func(c *Config) { c.PublicURL = "https://shop.example/x" }, "--public-url"},
		{"public URL without a scheme", func(c *Config) { c.PublicURL = "shop.example" }, "--public-url"},
		{"public URL with a user", func(c *Config) { c.PublicURL = "https://a:b@shop.example" }, "--public-url"},
		{"store domain", func(c *Config) { c.StoreDomain = "shops.example:8443" }, ""},
		{"store domain with a path", func(c *Config) { c.StoreDomain = "shops.example/x" }, "--store-domain"},
		{"security contact", func(c *Config) { c.SecurityTo = "mailto:security@shop.example" }, ""},
		{"security contact without a scheme", func(c *Config) { c.SecurityTo = "security@shop.example" },
			"--security-contact"},
		{"bad rate of visitors", func(c *Config) { c.VisitorLimit = -1 }, "--visitor-rate-limit"},
		{"no rate", func(c *Config) { c.RateLimit = 0 }, ""},
		{"negative rate", func(c *Config) { c.RateLimit = -1 }, "--rate-limit"},
		{"half a certificate", func(c *Config) { c.TLSCert = "x.pem" }, "--tls-key"},
		{"limits", func(c *Config) { c.Limit = []string{"people=7", "theme_bytes=5000000"} }, ""},
		{"unknown limit", func(c *Config) { c.Limit = []string{"persons=7"} }, "--limit"},
		{"limit out of bounds", func(c *Config) { c.Limit = []string{"people=7", "people=0"} }, "--limit"},
		{"too many orders", func(c *Config) { c.DemoOrders = 1 << 30 }, "--demo-orders"},
		{"mail", func(c *Config) {
			c.SMTPURL, c.MailFrom = "smtp://u:opensesame@mail.example", "Shop <a@shop.example>"
		}, ""},
		{"email without a sender", func(c *Config) { c.SMTPURL = "smtp://u:opensesame@mail.example" }, "--mail-from"},
		{"mail from no address", func(c *Config) {
			c.SMTPURL, c.MailFrom = "smtp://mail.example", "shop"
		}, "--mail-from"},
		{"mail to no server", func(c *Config) {
			c.SMTPURL, c.MailFrom = "mail.example", "a@shop.example"
		}, "--smtp-url"},
		{"own domains without a server", func(c *Config) { c.MailOwn = true }, "--mail-own-domains"},
		{"mail from somebody, to no server", func(c *Config) { c.MailFrom = "a@shop.example" }, ""},
		{"ACME without https", func(c *Config) { c.ACME, c.HTTPAddr = "http://ca.example/dir", ":80" }, "--acme must"},
		{"ACME without port 80", func(c *Config) { c.ACME = "https://ca.example/dir" }, "needs --http-addr"},
		{"ACME without TLS", func(c *Config) { c.ACME, c.HTTPAddr = "https://ca.example/dir", ":80" }, "--tls-cert"},
		{"ACME with bad roots", func(c *Config) { c.ACMERoots = "check.go" }, "--acme-roots"},
		{"ACME with a bad email", func(c *Config) { c.ACMEEmail = "ops" }, "--acme-email"},
		{"bad DNS server", func(c *Config) { c.DNSServer = "192.0.2.1" }, "--dns-server"},
		{"DNS server", func(c *Config) { c.DNSServer = "192.0.2.1:53" }, ""},
		{"no folder", func(c *Config) { c.Data = "" }, "--data"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := valid()
			tc.edit(&c)
			err := c.Check()
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("Check = %v, want %q in it", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestCheckReportsAllAtOnce(t *testing.T) {
	c := valid()
	c.RateLimit, c.DemoOrders = -1, -1
	err := c.Check()
	if err == nil || !strings.Contains(err.Error(), "--rate-limit") || !strings.Contains(err.Error(), "--demo-orders") {
		t.Errorf("Check = %v, want both settings named", err)
	}
}

func TestSummaryHidesSecrets(t *testing.T) {
	c := valid()
	c.SecretKey = "hunter2-hunter2-hunter2-hunter2-x"
	c.Database = "mysql://shop:opensesame@db.internal:3306/shop"
	c.SMTPURL, c.MailFrom = "smtp://shop:letmein@mail.internal:2525", "a@shop.example"
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Info("starting", "settings", c)
	for _, secret := range []string{"hunter2", "opensesame", "letmein"} {
		if strings.Contains(b.String(), secret) {
			t.Errorf("the summary shows %q: %s", secret, b.String())
		}
	}
	for _, want := range []string{"db.internal:3306", `"smtp_server":"mail.internal:2525"`,
		`"mail_from":"a@shop.example"`, `"addr":"127.0.0.1:8080"`, "STOREFRONT_SECRET_KEY", `"rate_limit":100`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the summary lacks %q: %s", want, b.String())
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, tc := range []struct {
		name     string
		n        Naming
		listened string
		tls      bool
		want     Addresses
	}{
		{name: "loopback", listened: "127.0.0.1:8080",
			want: Addresses{API: "http://127.0.0.1:8080", StoreDomain: "localhost:8080", Unnamed: true}},
		{name: "IPv6", listened: "[::1]:9",
			want: Addresses{API: "http://[::1]:9", StoreDomain: "localhost:9", Unnamed: true}},
		{name: "everywhere", listened: "[::]:8080",
			want: Addresses{API: "http://localhost:8080", StoreDomain: "localhost:8080", Unnamed: true}},
		{name: "implied port", listened: "127.0.0.1:443", tls: true,
			want: Addresses{API: "https://127.0.0.1", StoreDomain: "localhost", Unnamed: true}},
		{name: "public URL", n: Naming{PublicURL: "https://shop.example/"}, listened: "0.0.0.0:80",
			want: Addresses{API: "https://shop.example", StoreDomain: "shop.example"}},
		{name: "public URL with a port", n: Naming{PublicURL: "http://shop.example:81"}, listened: "0.0.0.0:80",
			want: Addresses{API: "http://shop.example:81", StoreDomain: "shop.example:81"}},
		{name: "store domain", n: Naming{PublicURL: "https://api.example", StoreDomain: "shops.example"},
			listened: "0.0.0.0:80",
			want:     Addresses{API: "https://api.example", StoreDomain: "shops.example"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.n.addresses(tc.listened, "", tc.tls)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := (Addresses{StoreDomain: "localhost:1"}).StoreHost("kite"); got != "kite.localhost:1" {
		t.Errorf("StoreHost = %q", got)
	}
}

// IsAPI accepts only the API's own host, whatever stores are called.
func TestIsAPI(t *testing.T) {
	named := Addresses{API: "https://api.shops.example", StoreDomain: "shops.example"}
	unnamed := Addresses{API: "http://localhost:8080", StoreDomain: "localhost:8080", Unnamed: true}
	odd := Addresses{API: "https://shops.example:8443", StoreDomain: "shops.example:8443"}
	for _, tc := range []struct {
		name string
		a    Addresses
		host string
		want bool
	}{
		{name: "its name", a: named, host: "api.shops.example", want: true},
		{name: "another case", a: named, host: "API.Shops.Example", want: true},
		{name: "behind a proxy that adds the port", a: named, host: "api.shops.example:443", want: true},
		{name: "a port of its own", a: odd, host: "shops.example:8443", want: true},
		{name: "a proxy's port", a: odd, host: "shops.example:443", want: true},
		{name: "from this machine", a: named, host: "127.0.0.1:8080", want: true},
		{name: "by a name of this machine", a: named, host: "localhost:8080", want: true},
		{name: "over IPv6", a: named, host: "[::1]:8080", want: true},
		{name: "a store", a: named, host: "kite.shops.example"},
		{name: "the domain of stores", a: named, host: "shops.example"},
		{name: "an address", a: named, host: "192.0.2.1:8080"},
		{name: "an address where nothing names the API", a: unnamed, host: "192.0.2.1:8080", want: true},
		{name: "a store of this machine", a: unnamed, host: "kite.localhost:8080"},
		{name: "anything else", a: unnamed, host: "evil.example"},
		{name: "a name that begins alike", a: named, host: "api.shops.example.evil.example"},
		{name: "none", a: named, host: ""},
	} {
		if got := tc.a.IsAPI(tc.host); got != tc.want {
			t.Errorf("%s: IsAPI(%q) = %t", tc.name, tc.host, got)
		}
	}
}

func TestFilesOfSettings(t *testing.T) {
	s := Storage{Data: "d", DatabaseFile: []byte("mysql://shop:opensesame@db.internal/shop\n")}
	if got := s.Address(); got != "mysql://shop:opensesame@db.internal/shop" || s.SQLitePath() != "" {
		t.Errorf("the database is %q", got)
	}
	m := Mail{SMTPFile: []byte(" smtps://u:opensesame@mail.example\n"), MailFrom: "a@shop.example"}
	if err := m.check(); err != nil || m.redacted() != "mail.example:465" {
		t.Errorf("the mail server is %q: %v", m.redacted(), err)
	}
}

func TestSQLitePath(t *testing.T) {
	for database, want := range map[string]string{
		"": "d/storefront.db", "sqlite:x.db": "x.db", "sqlite:///x.db": "/x.db", "x.db": "x.db",
		"mysql://a:b@c/d": "", "postgres://a:b@c/d": "",
	} {
		if got := (Storage{Data: "d", Database: database}).SQLitePath(); got != want {
			t.Errorf("SQLitePath of %q = %q, want %q", database, got, want)
		}
	}
}

func TestLogger(t *testing.T) {
	for _, tc := range []struct {
		l    Log
		json bool
		info bool
	}{
		{Log{"auto", "info"}, true, true}, // a buffer is no terminal
		{Log{"text", "debug"}, false, true},
		{Log{"json", "warn"}, true, false},
	} {
		var b bytes.Buffer
		log, flush := tc.l.Logger(&b)
		log.Info("hello")
		flush()
		if got := b.Len() > 0; got != tc.info {
			t.Errorf("%+v: logged %t, want %t", tc.l, got, tc.info)
		}
		if got := strings.HasPrefix(b.String(), "{"); tc.info && got != tc.json {
			t.Errorf("%+v: JSON %t, want %t", tc.l, got, tc.json)
		}
	}
}
