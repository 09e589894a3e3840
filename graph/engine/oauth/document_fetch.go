package oauth

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/cache"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

const (
	// maxDocument is the largest document, in bytes, as the draft recommends.
	maxDocument = 5 << 10
	// documentTime bounds a fetch from the name lookup to the last byte.
	documentTime = 5 * time.Second
	// keptDocuments bounds the cache of documents and refusals, in bytes.
	keptDocuments = 2 << 20
	// keepLeast and keepMost bound the lifetime by Cache-Control; keepUsual applies without it.
	keepLeast, keepUsual, keepMost = time.Minute, 15 * time.Minute, 24 * time.Hour
	// keepRefusal is how long a failed fetch is not repeated: long enough to bound the load on a
	// host that is down, short enough for a developer who corrects the document. The draft forbids
	// caching errors like documents.
	keepRefusal = 10 * time.Second
	// Fetches for one network, and for all networks together, per minute and at once.
	fetchesPerMinute, fetchesAtOnce       = 6, 12
	allFetchesPerMinute, allFetchesAtOnce = 120, 60
)

// Documents configures how Client ID Metadata Documents are fetched.
type Documents struct {
	// Egress decides which addresses are allowed; by default the public internet, and only https.
	Egress egress.Policy
	// RootCAs are trusted to sign the hosts' certificates; nil means the system's.
	RootCAs *x509.CertPool
}

type reader struct {
	Documents
	client   *http.Client
	limit    time.Duration // of one fetch
	kept     *cache.Cache[string, reading]
	flights  cache.Group[string, reading]
	networks *ratelimit.Limiter[netip.Prefix]
	all      *ratelimit.Limiter[struct{}]
}

// reading is the outcome of a fetch, valid until a time.
type reading struct {
	document *document
	refusal  error
	until    time.Time
}

func newReader(c Documents) (*reader, error) {
	r := &reader{Documents: c, limit: documentTime, kept: cache.NewCache[string, reading](keptDocuments)}
	var err, failed error
	r.networks, err = ratelimit.New[netip.Prefix](ratelimit.Config{Rate: fetchesPerMinute / 60.0, Burst: fetchesAtOnce})
	r.all, failed = ratelimit.New[struct{}](ratelimit.Config{Rate: allFetchesPerMinute / 60.0, Burst: allFetchesAtOnce})
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	transport := &http.Transport{
		DialContext:            c.Egress.Dialer(true),
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.RootCAs},
		Protocols:              new(http.Protocols),
		DisableCompression:     true,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 16 << 10,
	}
	transport.Protocols.SetHTTP1(true)
	r.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // section 4 of the draft: redirects are not followed
	}}
	return r, nil
}

// read returns the document at the URL id. A fetch counts against the network of the request. Its
// error is an [*Error].
func (r *reader) read(ctx context.Context, id *url.URL) (*document, error) {
	at := id.String()
	got, ok := r.kept.Get(at)
	if !ok || !time.Now().Before(got.until) {
		if err := admit(r.networks, r.all, viewer.OriginOf(ctx).Client); err != nil {
			return nil, err
		}
		var err error
		got, err = r.flights.Do(ctx, at, r.limit, func(ctx context.Context) (reading, error) {
			got := r.fetch(ctx, id)
			r.kept.Put(at, got, int64(len(at))+maxDocument)
			return got, nil
		})
		if err != nil {
			return nil, failed("read a client's document", err)
		}
	}
	if got.refusal != nil {
		return nil, &Error{Code: InvalidClient,
			Description: "The document at the address that the app names as its client_id is refused: " +
				got.refusal.Error() + "."}
	}
	return got.document, nil
}

// admit counts a fetch or a registration for a network and for all together.
func admit(networks *ratelimit.Limiter[netip.Prefix], all *ratelimit.Limiter[struct{}], from netip.Addr) error {
	d := ratelimit.TakeNetwork(networks, from, 1)
	if d.OK {
		d = all.Take(struct{}{})
	}
	if d.OK {
		return nil
	}
	return &Error{Code: TemporarilyUnavailable, RetryAfter: d.RetryAfter,
		Description: "Too many new apps at the moment. Try again later."}
}

// errUnfetched does not say whether a name, an address, a certificate or a status was the reason,
// so that the answer reveals nothing about hosts that only this machine can reach.
var errUnfetched = errors.New("it cannot be fetched, or its answer is not 200 with JSON")

func (r *reader) fetch(ctx context.Context, id *url.URL) reading {
	body, header, err := r.download(ctx, id)
	var d *document
	if err == nil {
		d, err = parseDocument(id, body)
	}
	if err != nil {
		return reading{refusal: err, until: time.Now().Add(keepRefusal)}
	}
	return reading{document: d, until: time.Now().Add(lifetime(header))}
}

func (r *reader) download(ctx context.Context, id *url.URL) ([]byte, http.Header, error) {
	req := (&http.Request{Method: http.MethodGet, URL: id, Header: http.Header{
		"User-Agent": {"Storefront-OAuth/1"}, "Accept": {"application/json"},
	}}).WithContext(ctx)
	res, err := r.client.Do(req)
	if err != nil {
		return nil, nil, errUnfetched
	}
	defer res.Body.Close()
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return nil, nil, errUnfetched
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	switch {
	case len(body) > maxDocument:
		return nil, nil, fmt.Errorf("it is larger than %d bytes", maxDocument)
	case err != nil || ctx.Err() != nil:
		return nil, nil, errUnfetched
	}
	return body, res.Header, nil
}

// lifetime returns the lifetime by Cache-Control (RFC 9111, section 5.2.2), within bounds.
func lifetime(h http.Header) time.Duration {
	keep := keepUsual
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache":
			return keepLeast
		case "max-age":
			n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err != nil {
				return keepLeast
			}
			keep = time.Duration(n) * time.Second
		}
	}
	return min(max(keep, keepLeast), keepMost)
}
