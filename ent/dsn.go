package ent

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/micros"
)

// Config selects the database and how to open it.
type Config struct {
	// Database is "sqlite:<path>" or a plain path, "mysql://user:pass@host:3306/name" or
	// "mysql://user:pass@unix(/path/to/socket)/name". User and password may be percent-encoded. The
	// only parameter is "?tls=true|preferred|skip-verify". Several hosts,
	// "mysql://user:pass@a:3306,b:3306/name", are a writer and its possible successors.
	Database string
	// FullSync makes SQLite's commits survive a power failure, not only a crash of the process.
	// MySQL's durability is a setting of the server.
	FullSync bool
	// MaxOpen limits the pool: MySQL connections, or SQLite readers. Default 16 and 4.
	MaxOpen int
	// Clock is the time of queues on SQLite, by default a monotonic clock that all processes of the
	// machine share.
	Clock func() micros.Time
	// Logger receives retries and connection problems; nil discards them.
	Logger *slog.Logger
	// Inspect, if set, sees every statement before it runs; its error prevents the statement. The
	// tests' statement lint uses it.
	Inspect func(Statement) error
	// Committed, if set, is called after each commit, and its error replaces the answer: tests use
	// it to lose answers.
	Committed func() error

	// joins allows messages of several statements on MySQL.
	joins bool
}

// Redacted returns the database's address without its password.
func (c Config) Redacted() string {
	t, err := parseTarget(c.Database)
	if err != nil {
		return "(not a database address)"
	}
	return t.String()
}

// Check returns the error in the address, and never quotes it.
func (c Config) Check() error {
	_, err := parseTarget(c.Database)
	return err
}

// LogValue implements slog.LogValuer without the password.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.Redacted()) }

// maxHosts limits the servers among which the writer is searched.
const maxHosts = 9

type target struct {
	path string // of the SQLite file; empty for MySQL

	user, password string
	hosts          []address // in the order in which they are tried
	name           string
	tls            string
}

// String returns the address without the password.
func (t target) String() string {
	if t.path != "" {
		return "sqlite:" + t.path
	}
	user := t.user
	if t.password != "" {
		user += ":***"
	}
	names := make([]string, len(t.hosts))
	for i, h := range t.hosts {
		names[i] = h.String()
	}
	return "mysql://" + user + "@" + strings.Join(names, ",") + "/" + t.name
}

// parseTarget parses a database address. Its errors never quote the address, which may contain a
// password.
func parseTarget(s string) (target, error) {
	switch {
	case s == "":
		return target{}, errors.New("database address is empty")
	case strings.HasPrefix(s, "mysql://"):
		t, err := parseMySQL(strings.TrimPrefix(s, "mysql://"))
		if err != nil {
			return target{}, fmt.Errorf("mysql address: %w", err)
		}
		return t, nil
	case strings.HasPrefix(s, "sqlite://"):
		return parseSQLite(strings.TrimPrefix(s, "sqlite://"))
	case strings.HasPrefix(s, "sqlite:"):
		return parseSQLite(strings.TrimPrefix(s, "sqlite:"))
	case strings.Contains(s, "://"):
		return target{}, errors.New(`database address: the scheme is neither "sqlite:" nor "mysql://"`)
	}
	return parseSQLite(s)
}

func parseSQLite(path string) (target, error) {
	if path == "" {
		return target{}, errors.New("sqlite address: the path is missing")
	}
	if strings.Contains(path, ":memory:") {
		return target{}, errors.New("sqlite address: a database in memory is not supported, use a file")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return target{}, fmt.Errorf("sqlite address: %w", err)
	}
	return target{path: abs}, nil
}

// parseMySQL parses user:pass@addr/name. The last @ separates the user from the address, so a
// password may contain any character, plain or encoded.
func parseMySQL(s string) (t target, err error) {
	at := strings.LastIndex(s, "@unix(")
	if at < 0 {
		at = strings.LastIndexByte(s, '@')
	}
	if at < 0 {
		return t, errors.New("the user is missing: mysql://user:pass@host:3306/name")
	}
	user, password, _ := strings.Cut(s[:at], ":")
	t.user, t.password = unescape(user), unescape(password)
	if t.user == "" {
		return t, errors.New("the user is empty")
	}
	hosts, rest, err := cutHosts(s[at+1:])
	if err != nil {
		return t, err
	}
	t.hosts = hosts
	name, params, _ := strings.Cut(rest, "?")
	if t.name = name; name == "" || strings.Contains(name, "/") {
		return t, errors.New("the database's name is missing: mysql://user:pass@host:3306/name")
	}
	t.tls, err = parseParams(params)
	return t, err
}

type address struct{ network, addr string } // "tcp" or "unix"

func (a address) String() string {
	if a.network == "unix" {
		return "unix(" + a.addr + ")"
	}
	return a.addr
}

// cutHosts splits "host:port,host:port/rest", where each host may also be "unix(/path)".
func cutHosts(s string) (hosts []address, rest string, err error) {
	for {
		var one address
		var more bool
		if one, s, more, err = cutHost(s); err != nil {
			return nil, "", err
		}
		if slices.Contains(hosts, one) {
			return nil, "", errors.New("a host is named twice")
		}
		if hosts = append(hosts, one); len(hosts) > maxHosts {
			return nil, "", fmt.Errorf("at most %d hosts are allowed", maxHosts)
		}
		if !more {
			return hosts, s, nil
		}
	}
}

// cutHost splits off the first host from what follows: more hosts, or the rest.
func cutHost(s string) (a address, rest string, more bool, err error) {
	if path, ok := strings.CutPrefix(s, "unix("); ok {
		path, rest, ok = strings.Cut(path, ")")
		rest, more = strings.CutPrefix(rest, ",")
		if !more && ok {
			rest, ok = strings.CutPrefix(rest, "/")
		}
		if !ok || path == "" {
			return a, "", false, errors.New("a socket must have the form unix(/path/to/socket)/name")
		}
		return address{"unix", path}, rest, more, nil
	}
	end := strings.IndexAny(s, ",/")
	host := s
	if end >= 0 {
		host, rest, more = s[:end], s[end+1:], s[end] == ','
	}
	if host == "" {
		return a, "", false, errors.New("the host is missing")
	}
	if _, port, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), "3306")
	} else if port == "" {
		host += "3306"
	} else if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return a, "", false, errors.New("a port is a number from 1 to 65535")
	}
	return address{"tcp", host}, rest, more, nil
}

// parseParams accepts only the tls parameter: the store relies on its own values of all others.
func parseParams(s string) (tls string, err error) {
	q, err := url.ParseQuery(s)
	if err != nil {
		return "", errors.New("the parameters behind ? are malformed")
	}
	tls = q.Get("tls")
	q.Del("tls")
	if len(q) > 0 {
		return "", errors.New(`only the parameter "tls" is accepted`)
	}
	switch tls {
	case "", "false", "true", "preferred", "skip-verify":
		return tls, nil
	}
	return "", errors.New("tls must be one of true, preferred, skip-verify, false")
}

// unescape decodes percent-encoding; malformed text is returned unchanged.
func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}
