package notify

import (
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strconv"
)

// Server is a mail submission server (RFC 6409). Its text and its value in logs contain neither the
// password nor the user.
type Server struct {
	host           string
	port           int
	user, password string
	tls            security
}

type security string

const (
	implicit security = "implicit" // from the first byte
	required security = "required" // by STARTTLS, or not at all
	optional security = "optional" // by STARTTLS if the server offers it
	none     security = "none"
)

// ParseServer parses the address of a mail server: smtps://user:pass@host:465,
// smtp://user:pass@host:587, or smtp://host:25?tls=none. With smtp, STARTTLS is required unless tls
// is optional or none. Errors do not repeat the address, because it holds a password.
func ParseServer(address string) (Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" || u.Opaque != "" {
		return Server{},
			errors.New("the address must have the form smtp://user:pass@host:587 or smtps://user:pass@host:465")
	}
	s := Server{host: u.Hostname()}
	if s.tls, s.port, err = securityOf(u); err != nil {
		return Server{}, err
	}
	if text := u.Port(); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return Server{}, errors.New("the port is not a number between 1 and 65535")
		}
		s.port = int(port)
	}
	if u.User != nil {
		s.user = u.User.Username()
		s.password, _ = u.User.Password()
		if s.user == "" || s.password == "" {
			return Server{},
				errors.New("give both user and password; escape special characters of an address, as %40 for @")
		}
	}
	return s, nil
}

func securityOf(u *url.URL) (security, int, error) {
	query, err := url.ParseQuery(u.RawQuery)
	given := query.Get("tls")
	query.Del("tls")
	if err != nil || len(query) > 0 {
		return "", 0, errors.New("the only option of the address is tls")
	}
	switch u.Scheme {
	case "smtps":
		if given != "" {
			return "", 0, errors.New("smtps uses TLS from the first byte: the option tls is for smtp")
		}
		return implicit, 465, nil // RFC 8314
	case "smtp":
		switch s := security(given); s {
		case "":
			return required, 587, nil // RFC 6409
		case required, optional, none:
			return s, 587, nil
		}
		return "", 0, errors.New("the option tls must be required, optional or none")
	}
	return "", 0, errors.New("the scheme must be smtp or smtps")
}

// String returns the host and port.
func (s Server) String() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// GoString returns the same, so that a dump of the settings has no password.
func (s Server) GoString() string { return s.String() }

// LogValue implements slog.LogValuer.
func (s Server) LogValue() slog.Value { return slog.StringValue(s.String()) }
