package domain

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"

	"github.com/storefront-go/storefront/graph/lib/keyring"
)

const (
	// orderTime bounds an order.
	orderTime = 3 * time.Minute
	// requestTime bounds one request to the authority.
	requestTime = 30 * time.Second
	// challengePath precedes a token in the path at which an authority tests a host (RFC 8555,
	// section 8.3).
	challengePath = "/.well-known/acme-challenge/"
	// maxToken is longer than the tokens of any authority.
	maxToken = 256
)

// authority orders certificates. The key of its account follows from the root secret, so all
// processes have the same account, and each can answer for the orders of all others.
type authority struct {
	Authority
	client *acme.Client

	mu         sync.Mutex
	registered bool
}

func newAuthority(a Authority, ring *keyring.Ring) *authority {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: a.Roots,
		MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	return &authority{Authority: a, client: &acme.Client{Key: accountKey(ring), DirectoryURL: a.Directory,
		HTTPClient: &http.Client{Timeout: requestTime, Transport: transport}, UserAgent: "storefront"}}
}

// accountKey derives the key of the account.
func accountKey(ring *keyring.Ring) *ecdsa.PrivateKey {
	for seed := ring.MACs("acme account")[0].Key; ; seed = sha256.Sum256(seed[:]) {
		// One seed of 2³² is larger than the order of the curve.
		if key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), seed[:]); err == nil {
			return key
		}
	}
}

// register creates the account, or finds that it exists.
func (a *authority) register(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.registered {
		return nil
	}
	account := &acme.Account{}
	if a.Email != "" {
		account.Contact = []string{"mailto:" + a.Email}
	}
	_, err := a.client.Register(ctx, account, acme.AcceptTOS)
	if err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return fmt.Errorf("register with the certificate authority: %w", err)
	}
	a.registered = true
	return nil
}

// obtain orders a certificate of a host. It returns the key and the chain in PEM.
func (a *authority) obtain(ctx context.Context, host string) ([]byte, *x509.Certificate, error) {
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	if err := a.register(ctx); err != nil {
		return nil, nil, err
	}
	order, err := a.client.AuthorizeOrder(ctx, acme.DomainIDs(host))
	if err != nil {
		return nil, nil, fmt.Errorf("order a certificate: %w", err)
	}
	for _, address := range order.AuthzURLs {
		if err := a.authorize(ctx, address); err != nil {
			return nil, nil, err
		}
	}
	if order, err = a.client.WaitOrder(ctx, order.URI); err != nil {
		return nil, nil, fmt.Errorf("wait for an order: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("generate a key: %w", err)
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: []string{host}}, key)
	if err != nil {
		return nil, nil, fmt.Errorf("sign a request: %w", err)
	}
	chain, _, err := a.client.CreateCertFromOrder(ctx, order, request, true)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch a certificate: %w", err)
	}
	return bundle(host, key, chain)
}

// authorize lets the authority test that a host leads here.
func (a *authority) authorize(ctx context.Context, address string) error {
	z, err := a.client.GetAuthorization(ctx, address)
	if err != nil {
		return fmt.Errorf("read an authorization: %w", err)
	}
	if z.Status == acme.StatusValid {
		return nil
	}
	i := slices.IndexFunc(z.Challenges, func(c *acme.Challenge) bool { return c.Type == "http-01" })
	if i < 0 {
		return errors.New("the certificate authority does not offer http-01")
	}
	if _, err := a.client.Accept(ctx, z.Challenges[i]); err != nil {
		return fmt.Errorf("accept a challenge: %w", err)
	}
	if _, err := a.client.WaitAuthorization(ctx, z.URI); err != nil {
		return fmt.Errorf("wait for an authorization: %w", err)
	}
	return nil
}

// bundle checks a chain and returns it in PEM, after its key.
func bundle(host string, key *ecdsa.PrivateKey, chain [][]byte) ([]byte, *x509.Certificate, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("encode a key: %w", err)
	}
	all := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	for _, der := range chain {
		all = append(all, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	pair, err := tls.X509KeyPair(all, all)
	if err == nil {
		err = pair.Leaf.VerifyHostname(host)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the certificate is unusable: %w", err)
	}
	return all, pair.Leaf, nil
}

// answer returns what a path of a challenge answers; false if it is none. It depends on the token
// and the account alone (RFC 8555, section 8.1), so no process needs to know the order.
func (a *authority) answer(path string) (string, bool) {
	token, ok := strings.CutPrefix(path, challengePath)
	if !ok || token == "" || len(token) > maxToken ||
		strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return "", false
	}
	text, err := a.client.HTTP01ChallengeResponse(token)
	return text, err == nil
}

// explain returns why an order failed, for the merchant.
func explain(err error) string {
	if z, ok := errors.AsType[*acme.AuthorizationError](err); ok && len(z.Errors) > 0 {
		err = z.Errors[0]
	}
	if o, ok := errors.AsType[*acme.OrderError](err); ok && o.Problem != nil {
		err = o.Problem
	}
	if p, ok := errors.AsType[*acme.Error](err); ok && p.Detail != "" {
		return "The certificate authority refused: " + p.Detail
	}
	return "The certificate authority does not answer as expected."
}
