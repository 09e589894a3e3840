package openapitest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"testing"
)

// RoundTripper wraps next, or [http.DefaultTransport] if nil, and checks every exchange of a test's
// client. It reads bodies whole, so it is not for streams.
func (v *Validator) RoundTripper(t testing.TB, next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &transport{v, t, next}
}

type transport struct {
	v    *Validator
	t    testing.TB
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (tr *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	tr.t.Helper()
	sent, err := drain(req.Body)
	if err != nil {
		return nil, err
	}
	out := req.Clone(req.Context()) // a transport must not change its request
	if req.Body != nil && req.Body != http.NoBody {
		out.Body = io.NopCloser(bytes.NewReader(sent))
	}
	res, err := tr.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	got, err := drain(res.Body)
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(got))
	plain, err := decompress(res.Header, got)
	if err != nil {
		tr.t.Errorf("%s %s: %v", req.Method, req.URL.Path, err)
		return res, nil
	}
	tr.v.Check(tr.t, req, sent, res, plain)
	return res, nil
}

func drain(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	defer body.Close()
	return io.ReadAll(body)
}

// decompress undoes the gzip that a test requested itself; otherwise the transport has done it.
func decompress(h http.Header, body []byte) ([]byte, error) {
	if h.Get("Content-Encoding") != "gzip" || len(body) == 0 {
		return body, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	return io.ReadAll(r)
}
