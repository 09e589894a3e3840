package domain_test

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	dbdomain "github.com/storefront-go/storefront/ent/db/domain"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/domain"
)

// Certificates of a real ACME server: issued, shared by processes, renewed, refused without DNS, and
// ordered anew by the next store.
func TestPebble(t *testing.T) {
	named := os.Getenv("STOREFRONT_TEST_PEBBLE")
	path, err := exec.LookPath(cmp.Or(named, "pebble"))
	switch {
	case err != nil && named != "":
		t.Fatal(err)
	case err != nil:
		t.Skip("there is no pebble on the PATH, nor is one named in STOREFRONT_TEST_PEBBLE")
	}
	z, s := newZone(t), storetest.Open(t)
	plain := http.NewServeMux()
	port := httptest.NewServer(plain)
	t.Cleanup(port.Close)
	ca := startPebble(t, path, port.Listener.Addr(), z)
	e, other := newCertifier(t, s, z.resolver(), ca), newCertifier(t, s, z.resolver(), ca)
	const host = "www.example.com"
	a := newMerchant(t, s, host)
	var meanwhile sync.Once
	plain.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		meanwhile.Do(func() { // someone has the domain checked: another process claims it
			a.tx(func(ctx context.Context, c *db.Client) error {
				return c.Domain.Update().Where(dbdomain.ID(a.id)).AddTries(1).Exec(ctx)
			})
		})
		other.Plain().ServeHTTP(w, r) // any process answers
	})
	z.set(domain.TXTName(a.domain()), "TXT "+domain.TXTValue(a.domain()))
	z.set(host, "A")
	d := a.checked(e)
	first := served(t, e, host)
	if first == nil || first.VerifyHostname(host) != nil || d.CertificateProblem != nil || a.arrives() != host {
		t.Fatalf("%v, visitors arrive at %q: %s", d, a.arrives(), *cmp.Or(d.CertificateProblem, d.Problem, new("")))
	}
	if c := served(t, other, host); c == nil || !c.Equal(first) {
		t.Errorf("another process serves %v", c)
	}
	if c := served(t, e, "none.example.com"); c != nil {
		t.Errorf("an unknown host has the certificate %v", c.DNSNames)
	}

	a.tx(func(ctx context.Context, c *db.Client) error {
		return c.Domain.Update().Where(dbdomain.ID(a.id)).SetCertificateDue(1).Exec(ctx)
	})
	a.checked(other)
	second := served(t, newCertifier(t, s, z.resolver(), ca), host)
	if second == nil || second.Equal(first) {
		t.Error("the certificate was not renewed")
	}

	lost := newMerchant(t, s, "lost.example.com")
	z.set(domain.TXTName(lost.domain()), "TXT "+domain.TXTValue(lost.domain()))
	if d := lost.checked(e); d.ProvedAt == nil || d.CertificateProblem == nil ||
		!strings.Contains(*d.CertificateProblem, "refused") || lost.arrives() != "" {
		t.Errorf("without an address: %v", d)
	}

	b := newMerchant(t, s, host)
	z.set(domain.TXTName(b.domain()), "TXT "+domain.TXTValue(b.domain()))
	for range domain.MaxMissed {
		a.checked(e)
	}
	if d := b.checked(e); d.CertificateUntil == nil || b.arrives() != host || a.domain().Certificate != nil {
		t.Errorf("the next store: %v", d)
	}
	has(t, s, host, b.store.Handle)
}

// served returns the certificate that a handshake for a host gets; nil for none.
func served(t *testing.T, e *domain.Engine, host string) *x509.Certificate {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	go func() {
		defer server.Close()
		tls.Server(server, &tls.Config{GetCertificate: e.Certificate}).HandshakeContext(t.Context())
	}()
	var got *x509.Certificate
	c := tls.Client(client, &tls.Config{ServerName: host, InsecureSkipVerify: true, // it is looked at
		VerifyConnection: func(s tls.ConnectionState) error { got = s.PeerCertificates[0]; return nil }})
	_ = c.HandshakeContext(t.Context()) // without a certificate it fails
	return got
}

// startPebble runs the server until the test ends. It tests domains at an address, by the names of
// a zone.
func startPebble(t *testing.T, path string, tests net.Addr, z *zone) domain.Authority {
	t.Helper()
	dir := t.TempDir()
	roots := selfSigned(t, dir)
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	_, httpPort, _ := net.SplitHostPort(tests.String())
	number, err := strconv.Atoi(httpPort)
	if err != nil {
		t.Fatal(err)
	}
	config, _ := json.Marshal(map[string]any{"pebble": map[string]any{"listenAddress": address,
		"certificate": filepath.Join(dir, "cert.pem"), "privateKey": filepath.Join(dir, "key.pem"),
		"httpPort": number, "tlsPort": 1, "retryAfter": map[string]int{"authz": 1, "order": 1}}})
	file := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-config", file, "-dnsserver", z.conn.LocalAddr().String())
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0")
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	t.Cleanup(client.CloseIdleConnections)
	directory := "https://" + address + "/dir"
	for range 200 {
		if res, err := client.Get(directory); err == nil {
			res.Body.Close()
			return domain.Authority{Directory: directory, Roots: roots}
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Fatal("pebble does not start")
	return domain.Authority{}
}

// selfSigned writes a key and a certificate of 127.0.0.1 for the server itself.
func selfSigned(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der},
		"key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return pool
}
