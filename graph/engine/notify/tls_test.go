package notify_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// authority returns a certificate authority and a certificate of it for 127.0.0.1.
func authority(t *testing.T) (*x509.CertPool, *tls.Config) {
	t.Helper()
	issue := func(template, parent *x509.Certificate, by *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if parent == nil {
			parent, by = template, key
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
		if err != nil {
			t.Fatal(err)
		}
		c, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return c, key
	}
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	ca, caKey := issue(&x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test CA"},
		NotBefore: from, NotAfter: to, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil,
		nil)
	leaf, key := issue(&x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: from, NotAfter: to,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, ca,
		caKey)
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	return roots, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{leaf.Raw}, PrivateKey: key}},
		MinVersion: tls.VersionTLS12}
}

// AuthMechanisms implements smtp.AuthSession.
func (v *visit) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if _, secure := v.conn.TLSConnectionState(); !secure {
			return errors.New("a password in the clear")
		}
		if user != "shop@example.com" || password != "opensesame" {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

// Emails are sent encrypted to a server with a valid certificate, unless the address allows
// otherwise. A password is never sent in the clear.
func TestSenderTLS(t *testing.T) {
	roots, certificate := authority(t)
	const login = "shop%40example.com:opensesame@"
	for _, tc := range []struct {
		name     string
		scheme   string
		login    string
		option   string
		offers   bool // the server supports TLS
		stranger bool // its certificate authority is unknown
		want     string
		secure   bool
	}{
		{name: "STARTTLS", scheme: "smtp", offers: true, secure: true},
		{name: "STARTTLS with a password", scheme: "smtp", login: login, offers: true, secure: true},
		{name: "a wrong password", scheme: "smtp", login: "shop%40example.com:wrong@", offers: true,
			want: "it answered 535"},
		{name: "not offered", scheme: "smtp", want: "STARTTLS"},
		{name: "an unknown authority", scheme: "smtp", offers: true, stranger: true, want: "certificate"},
		{name: "optional and offered", scheme: "smtp", option: "?tls=optional", offers: true, secure: true},
		{name: "optional, of an unknown authority", scheme: "smtp", option: "?tls=optional", offers: true,
			stranger: true, want: "certificate"},
		{name: "optional and not offered", scheme: "smtp", option: "?tls=optional"},
		{name: "optional with a password, not offered", scheme: "smtp", option: "?tls=optional", login: login,
			want: "reach the mail server"},
		{name: "none", scheme: "smtp", option: "?tls=none", offers: true},
		{name: "implicit", scheme: "smtps", offers: true, secure: true},
		{name: "implicit with a password", scheme: "smtps", login: login, offers: true, secure: true},
		{name: "implicit, of an unknown authority", scheme: "smtps", offers: true, stranger: true, want: "certificate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, p, l := open(t, storetest.Open(t)), new(post), listen(t)
			if tc.scheme == "smtps" {
				l = tls.NewListener(l, certificate)
			}
			p.open(t, l, func(s *smtp.Server) {
				s.AllowInsecureAuth = true
				if tc.offers && tc.scheme == "smtp" {
					s.TLSConfig = certificate
				}
			})
			s.put(xid.New(), "owner@example.com", "Hello")
			sender := s.sender(tc.scheme+"://"+tc.login+p.address+tc.option, func(c *notify.SenderConfig) {
				if c.Roots = roots; tc.stranger {
					c.Roots = x509.NewCertPool()
				}
			})
			err := sender.Round(t.Context())
			got := p.mails()
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) || len(got) != 0 || s.only().Attempts != 1 {
					t.Errorf("%d emails, %v; want %q", len(got), err, tc.want)
				}
				if err != nil &&
					(strings.Contains(err.Error(), "opensesame") || strings.Contains(err.Error(), "shop@")) {
					t.Errorf("the error reveals too much: %v", err)
				}
				return
			}
			if err != nil || len(got) != 1 || got[0].secure != tc.secure {
				t.Errorf("%d emails, secure %v, %v", len(got), got, err)
			}
		})
	}
}
