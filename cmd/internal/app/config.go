package app

import (
	"cmp"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/storefront-go/storefront/ent"
)

// Storage says where the data is stored. Every command has it.
type Storage struct {
	Data         string `default:"./storefront-data" env:"STOREFRONT_DATA" placeholder:"DIR" help:"Folder of the SQLite database, the root secret and demo.json (default ${default})."`
	Database     string `xor:"database" env:"STOREFRONT_DATABASE" placeholder:"ADDRESS" help:"Database to use instead of the SQLite file in --data: mysql://user:pass@host:3306/name, mysql://user:pass@unix(/path)/name or sqlite:path. Of several hosts, a:3306,b:3306, the one that accepts writes is used. Put a password into --database-file: others can read the arguments of a process."`
	DatabaseFile []byte `type:"filecontent" xor:"database" env:"STOREFRONT_DATABASE_FILE" placeholder:"FILE" help:"File that holds the address of the database with its password."`

	Blobs string `env:"STOREFRONT_BLOBS" placeholder:"URL" help:"Where to store exports, themes and images, such as s3://bucket?region=eu-central-1 (default: the folder blobs in --data)."`

	// SecretKey is STOREFRONT_SECRET_KEY, or the content of STOREFRONT_SECRET_KEY_FILE: a
	// comma-separated list of root secrets. It has no flag, because others can read the arguments
	// of a process.
	SecretKey string `kong:"-"`
}

// Naming holds the addresses of the service.
type Naming struct {
	PublicURL   string `name:"public-url" env:"STOREFRONT_PUBLIC_URL" placeholder:"URL" help:"Address at which clients reach the service (default: http:// and --addr)."`
	StoreDomain string `env:"STOREFRONT_STORE_DOMAIN" placeholder:"HOST[:PORT]" help:"Shops are served at <handle>.HOST (default: the host of the public URL, or localhost if that is an IP address)."`
}

// Log configures logging.
type Log struct {
	LogFormat string `enum:"auto,text,json" default:"auto" env:"STOREFRONT_LOG_FORMAT" placeholder:"FORMAT" help:"text, json, or auto: text on a terminal, json elsewhere (default ${default})."`
	LogLevel  string `enum:"debug,info,warn,error" default:"info" env:"STOREFRONT_LOG_LEVEL" placeholder:"LEVEL" help:"debug, info, warn or error (default ${default})."`
}

// Listen holds the addresses on which the program listens.
type Listen struct {
	Addr      string `default:"127.0.0.1:8080" env:"STOREFRONT_ADDR" placeholder:"HOST:PORT" help:"Public address; port 0 picks one (default ${default})."`
	AdminAddr string `default:"127.0.0.1:8081" env:"STOREFRONT_ADMIN_ADDR" placeholder:"HOST:PORT" help:"Address of health, metrics and profiles; keep it private (default ${default})."`

	AdminNames `embed:""`
}

// Domains configures the own domains of stores.
type Domains struct {
	ACME      string `name:"acme" env:"STOREFRONT_ACME" placeholder:"URL" help:"Directory of the ACME service that issues certificates for the own domains of stores, such as https://acme-v02.api.letsencrypt.org/directory. You accept its terms. It needs --tls-cert and --http-addr (default none: a proxy provides the certificates)."`
	ACMEEmail string `name:"acme-email" env:"STOREFRONT_ACME_EMAIL" placeholder:"ADDRESS" help:"Where the ACME service sends warnings (default nowhere)."`
	ACMERoots string `name:"acme-roots" env:"STOREFRONT_ACME_ROOTS" placeholder:"FILE" help:"Certificates in PEM that verify the ACME service, if it is your own."`
	HTTPAddr  string `name:"http-addr" env:"STOREFRONT_HTTP_ADDR" placeholder:"HOST:PORT" help:"Address without TLS, such as :80, that redirects to TLS and answers the ACME service (default none)."`
	DNSServer string `name:"dns-server" env:"STOREFRONT_DNS_SERVER" placeholder:"HOST:PORT" help:"DNS server that proves the own domains of stores (default: those of the system)."`
}

// AdminNames holds additional names of the admin address.
type AdminNames struct {
	AdminHosts []string `name:"admin-host" env:"STOREFRONT_ADMIN_HOST" placeholder:"NAME" help:"Host names that the admin address accepts, besides its own address and localhost."`
}

// Config is the settings of serve.
type Config struct {
	Storage `embed:""`
	Listen  `embed:""`
	Naming  `embed:""`
	Mail    `embed:""`
	Log     `embed:""`

	Marketplace `embed:""`
	Limits      `embed:""`
	Domains     `embed:""`

	Delivery   `embed:""`
	NoDispatch bool `env:"STOREFRONT_NO_DISPATCH" help:"Leave webhook delivery to storefront dispatch."`

	Migrate        bool     `env:"STOREFRONT_MIGRATE" help:"Apply pending migrations to a MySQL database first. SQLite files are always brought up to date."`
	Demo           bool     `env:"STOREFRONT_DEMO" help:"Create two demo stores on the first start, and write their credentials to demo.json in --data."`
	DemoOrders     int      `default:"500" env:"STOREFRONT_DEMO_ORDERS" placeholder:"N" help:"Orders in each demo store (default ${default})."`
	TrustedProxies []string `env:"STOREFRONT_TRUSTED_PROXIES" placeholder:"CIDR" help:"Proxies whose X-Forwarded-For is trusted (default none)."`
	TLSCert        string   `name:"tls-cert" env:"STOREFRONT_TLS_CERT" placeholder:"FILE" help:"Certificate chain in PEM; with --tls-key, the public address uses TLS."`
	TLSKey         string   `name:"tls-key" env:"STOREFRONT_TLS_KEY" placeholder:"FILE" help:"Private key in PEM."`
	InsecureHTTP   bool     `name:"insecure-http" env:"STOREFRONT_INSECURE_HTTP" help:"Allow sign-in over plain http on an address that is not loopback."`
	RateLimit      float64  `default:"100" env:"STOREFRONT_RATE_LIMIT" placeholder:"N" help:"Requests per second and credential, with bursts of twice as many; 0 turns rate limits off, except those of failed sign-ins (default ${default})."`
	StoreRateLimit float64  `default:"1000" env:"STOREFRONT_STORE_RATE_LIMIT" placeholder:"N" help:"Requests per second of all credentials of a store together; 0 is no limit (default ${default})."`
	VisitorLimit   float64  `name:"visitor-rate-limit" default:"20" env:"STOREFRONT_VISITOR_RATE_LIMIT" placeholder:"N" help:"Pages of storefronts per second and address, with bursts of ten times as many; a search counts as five. 0 is no limit (default ${default})."`
	SecurityTo     string   `name:"security-contact" env:"STOREFRONT_SECURITY_CONTACT" placeholder:"URL" help:"Contact for security reports, such as mailto:security@shop.example; published in security.txt (default none)."`
	VIES           bool     `name:"vies" default:"true" negatable:"" env:"STOREFRONT_VIES" help:"Ask VIES, the register of the European Union, whether VAT IDs of companies were issued (default on)."`
	Introspection  bool     `default:"true" negatable:"" env:"STOREFRONT_INTROSPECTION" help:"Answer GraphQL introspection (default on)."`
	Registration   bool     `name:"client-registration" default:"true" negatable:"" env:"STOREFRONT_CLIENT_REGISTRATION" help:"Let MCP clients register themselves by RFC 7591 (default on)."`
	Explorer       bool     `default:"true" negatable:"" env:"STOREFRONT_EXPLORER" help:"Serve the GraphQL explorer (default on)."`
}

// Address returns the database's address for [ent.Open].
func (s Storage) Address() string {
	return cmp.Or(s.Database, content(s.DatabaseFile), "sqlite:"+filepath.Join(s.Data, "storefront.db"))
}

// content returns the one line of a file that holds a setting.
func content(file []byte) string { return strings.TrimSpace(string(file)) }

// SQLitePath returns the path of the SQLite file, or "" for another engine.
func (s Storage) SQLitePath() string {
	address := s.Address()
	for _, scheme := range []string{"sqlite://", "sqlite:"} {
		if path, ok := strings.CutPrefix(address, scheme); ok {
			return path
		}
	}
	if strings.Contains(address, "://") {
		return ""
	}
	return address
}

// RateBurst returns how many requests may come at once.
func (c Config) RateBurst() int { return max(int(2*c.RateLimit), 1) }

// Summary returns the settings for the log: all, or only those that differ from usual, if given, and
// always the database.
func (c Config) Summary(usual *Config) slog.Value {
	all := c.LogValue()
	if usual == nil {
		return all
	}
	plain := usual.LogValue().Group()
	var list []slog.Attr
	for i, a := range all.Group() {
		if a.Key == "database" || !a.Equal(plain[i]) {
			list = append(list, a)
		}
	}
	return slog.GroupValue(list...)
}

// LogValue implements slog.LogValuer: every setting, without its secrets.
func (c Config) LogValue() slog.Value {
	secret := "file in " + c.Data
	if c.SecretKey != "" {
		secret = "STOREFRONT_SECRET_KEY"
	}
	return slog.GroupValue(
		slog.String("data", c.Data),
		slog.String("database", ent.Config{Database: c.Address()}.Redacted()),
		slog.String("blobs", redactedURL(c.Blobs)),
		slog.String("secret", secret),
		slog.String("addr", c.Addr),
		slog.String("admin_addr", c.AdminAddr),
		slog.String("admin_host", strings.Join(c.AdminHosts, ",")),
		slog.String("public_url", c.PublicURL),
		slog.String("store_domain", c.StoreDomain),
		slog.String("smtp_server", c.Mail.redacted()),
		slog.String("mail_from", c.MailFrom), slog.Bool("mail_own_domains", c.MailOwn),
		slog.String("marketplace_reviewers", strings.Join(c.MarketplaceReviewers, ",")),
		slog.Bool("dispatch", !c.NoDispatch),
		slog.Bool("allow_loopback_webhooks", c.AllowLoopbackWebhooks || c.Demo),
		slog.String("allow_webhooks_to", strings.Join(c.AllowWebhooksTo, ",")),
		slog.String("suspend_webhooks_on", c.SuspendOn),
		slog.String("log_format", c.LogFormat),
		slog.String("log_level", c.LogLevel),
		slog.Bool("migrate", c.Migrate),
		slog.Bool("demo", c.Demo),
		slog.Int("demo_orders", c.DemoOrders),
		slog.String("trusted_proxies", strings.Join(c.TrustedProxies, ",")),
		slog.Bool("tls", c.TLSCert != ""),
		slog.String("acme", redactedURL(c.ACME)),
		slog.String("acme_email", c.ACMEEmail),
		slog.String("acme_roots", c.ACMERoots),
		slog.String("http_addr", c.HTTPAddr),
		slog.String("dns_server", c.DNSServer),
		slog.Bool("insecure_http", c.InsecureHTTP),
		slog.Float64("rate_limit", c.RateLimit),
		slog.Float64("store_rate_limit", c.StoreRateLimit),
		slog.Float64("visitor_rate_limit", c.VisitorLimit),
		slog.String("limit", strings.Join(c.Limit, ",")),
		slog.String("security_contact", c.SecurityTo),
		slog.Bool("vies", c.VIES),
		slog.Bool("introspection", c.Introspection),
		slog.Bool("explorer", c.Explorer),
		slog.Bool("client_registration", c.Registration),
	)
}
