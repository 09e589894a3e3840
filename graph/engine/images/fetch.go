package images

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/net/idna"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

const (
	// fetchTime bounds a fetch from the first dial to the last byte, including redirects.
	fetchTime = 20 * time.Second
	// maxBytes is the size of the largest image.
	maxBytes     = 20 << 20
	maxRedirects = 3
	// maxHeader bounds the response headers in bytes.
	maxHeader = 32 << 10
)

// Outcomes of a fetch, as the metric names them.
const (
	kept        = "kept"
	refused     = "refused"     // not an image of a supported type or size
	forbidden   = "forbidden"   // an address that is not allowed
	unreachable = "unreachable" // no response, or a status other than 200
	full        = "full"        // the store has no room for it
	failed      = "failed"      // a failure of the service itself
)

func newCounter() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "storefront_picture_fetches_total",
		Help: "Fetches of product images from their addresses, by outcome."}, []string{"outcome"})
}

// refusal is a fetch without an image to keep. Its texts never contain the address.
type refusal struct {
	outcome, why string
	temporary    bool
}

func (r *refusal) Error() string { return r.why }

// newClient returns the client for other hosts. It checks every address that it dials and ignores
// proxies of the environment.
func (k *Keeper) newClient() *http.Client {
	transport := &http.Transport{
		DialContext:            k.Egress.Dialer(true),
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: k.RootCAs},
		TLSHandshakeTimeout:    5 * time.Second,
		Protocols:              new(http.Protocols),
		DisableCompression:     true,
		MaxIdleConns:           16,
		MaxIdleConnsPerHost:    maxOfStore,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
	}
	transport.Protocols.SetHTTP1(true)
	return &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		r.Header.Del("Referer") // a host must not learn about another
		if len(via) > maxRedirects {
			return &refusal{outcome: unreachable, why: "too many redirects"}
		}
		return k.checkURL(r.URL)
	}}
}

// fetch fetches the claimed image, and stores either the image or the failure.
func (k *Keeper) fetch(ctx context.Context, row *db.Picture, address string) (*db.Picture, error) {
	began := time.Now()
	err := k.fetchAndKeep(ctx, row, address)
	outcome := kept
	if err != nil {
		outcome = failed
		if r, ok := errors.AsType[*refusal](err); ok {
			outcome = r.outcome
		}
	}
	k.fetches.WithLabelValues(outcome).Inc()
	level := slog.LevelInfo
	if outcome == failed {
		level = slog.LevelError
	}
	k.Logger.Log(ctx, level, "image fetched", slog.String("store", xid.Store.Format(viewer.From(ctx).Store)),
		slog.String("outcome", outcome), slog.Duration("took", time.Since(began)), slog.Int64("bytes", row.SizeBytes),
		slog.Any("error", err))
	if err == nil {
		return row, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := k.refuse(ctx, row); err != nil && !errors.Is(err, errLost) {
		return nil, err
	}
	// Nothing refers to the bytes, if there are any. The sweep removes what stays.
	if err := k.Blobs.Delete(ctx, Key(row)); err != nil {
		k.Logger.WarnContext(ctx, "bytes of an image were left behind", slog.Any("error", err))
	}
	return nil, fault.Missing("image")
}

// fetchAndKeep downloads, validates and stores: first the bytes, which nothing refers to yet, then
// the row.
//
// The bytes are stored unchanged, with camera metadata. They were public at their address all
// along, and without the metadata photos of phones would be shown rotated.
func (k *Keeper) fetchAndKeep(ctx context.Context, row *db.Picture, address string) error {
	body, err := k.download(ctx, address)
	if err != nil {
		return err
	}
	h, err := pixel.Inspect(body)
	if err != nil {
		return &refusal{outcome: refused, why: err.Error()}
	}
	row.ContentType, row.Width, row.Height, row.SizeBytes = h.ContentType, h.Width, h.Height, int64(len(body))
	if err := k.Blobs.Put(ctx, Key(row), row.ContentType, body); err != nil {
		return fmt.Errorf("keep image: %w", err)
	}
	return k.keep(ctx, row)
}

func (k *Keeper) download(ctx context.Context, address string) ([]byte, error) {
	u, err := k.target(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, k.fetchTime)
	defer cancel()
	r := (&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{
		"User-Agent": {"Storefront-Pictures/1"}, "Accept": {"image/webp, image/png, image/jpeg, image/gif"},
	}}).WithContext(ctx)
	res, err := k.client.Do(r)
	if err != nil {
		return nil, explain(err)
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode != http.StatusOK:
		return nil, answered(res.StatusCode)
	case res.ContentLength > maxBytes:
		return nil, errTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBytes+1))
	switch {
	case len(body) > maxBytes:
		return nil, errTooLarge
	case err != nil:
		return nil, explain(err)
	case ctx.Err() != nil: // the host may end its response when the client gives up
		return nil, explain(ctx.Err())
	}
	return body, nil
}

var errTooLarge = &refusal{outcome: refused, why: "the image is larger than 20 MiB"}

// answered returns the refusal for a status other than 200.
func answered(status int) *refusal {
	return &refusal{outcome: unreachable, why: "the answer is " + cmp.Or(http.StatusText(status), strconv.Itoa(status)),
		temporary: status >= http.StatusInternalServerError || status == http.StatusTooManyRequests ||
			status == http.StatusRequestTimeout}
}

// explain separates the service's own refusals from failures of the host and of the network. No
// text contains the address.
func explain(err error) error {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	if r, ok := errors.AsType[*egress.RefusedError](err); ok {
		return &refusal{outcome: forbidden, why: r.Error()}
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return &refusal{outcome: unreachable, why: err.Error(), temporary: true}
}

// target parses an address as browsers do, which is more lenient than [egress.Policy.CheckURL].
func (k *Keeper) target(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, &refusal{outcome: forbidden, why: "the address cannot be read"}
	}
	u.Fragment, u.RawFragment, u.RawQuery = "", "", escape(u.RawQuery)
	if host := u.Hostname(); escape(host) != host {
		name, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return nil, &refusal{outcome: forbidden, why: "the host is not a valid name"}
		}
		u.Host = strings.Replace(u.Host, host, name, 1)
	}
	return u, k.checkURL(u)
}

// checkURL checks an address before it is requested, and every redirect.
func (k *Keeper) checkURL(u *url.URL) error {
	if u.Scheme != "https" {
		return &refusal{outcome: forbidden, why: "the address is not https"}
	}
	if _, text := k.Egress.CheckURL(u.String()); text != "" {
		return &refusal{outcome: forbidden, why: text}
	}
	return nil
}

// escape percent-encodes what an address must not contain literally.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
