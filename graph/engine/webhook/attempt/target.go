package attempt

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
)

const prefix = "whsec_"

// Target is the address and the secrets of an endpoint. It is used for many attempts and is safe
// for concurrent use.
type Target struct {
	place    place // where to connect
	address  string
	origin   string   // scheme and host
	head     string   // the beginning of each request
	subject  string   // of a queue; "" for HTTP
	spec     []byte   // the first secret as shown, a key
	standard [][]byte // each secret decoded, keys
}

// NewTarget returns the target for an address that [egress.Policy.CheckURL] has accepted. The first
// secret keys the signature header of the specification, which has one value; the header of
// Standard Webhooks has one value for each secret. Secrets are whsec_ and base64 with padding
// (contract, section 8). Errors contain neither a secret nor the address, which may contain a
// token.
func NewTarget(address string, secrets ...string) (*Target, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" && !IsQueue(address) {
		return nil, errors.New("make target: not an address of http or https, nor of a queue")
	}
	if len(secrets) == 0 {
		return nil, errors.New("make target: no secret")
	}
	t := &Target{address: address, origin: u.Scheme + "://" + u.Host, spec: []byte(secrets[0])}
	if IsQueue(address) {
		t.toQueue(u)
	} else if err := t.toHTTP(u); err != nil {
		return nil, err
	}
	for i, s := range secrets {
		encoded, ok := strings.CutPrefix(s, prefix)
		key, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if !ok || err != nil || len(key) == 0 {
			return nil, fmt.Errorf("make target: secret %d is not %s and base64", i+1, prefix)
		}
		t.standard = append(t.standard, key)
	}
	return t, nil
}

func (t *Target) toHTTP(u *url.URL) error {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, t.address, http.NoBody)
	if err == nil {
		t.head, err = headOf(r)
	}
	if err != nil {
		return errors.New("make target: the address makes no request")
	}
	t.place = placeOf(u)
	return nil
}

// String returns the scheme and the host: the rest of an address may be secret.
func (t *Target) String() string { return t.origin }

// LogValue returns [Target.String].
func (t *Target) LogValue() slog.Value { return slog.StringValue(t.String()) }

// sign returns the two signatures over a body: that of the specification, in hexadecimal over
// <timestamp>.<body>, and that of Standard Webhooks, in base64 over <id>.<timestamp>.<body>, one
// value for each secret.
func (t *Target) sign(id, timestamp string, body []byte) (spec, standard string) {
	values := make([]string, len(t.standard))
	for i, key := range t.standard {
		values[i] = "v1," + base64.StdEncoding.EncodeToString(sum(key, id+"."+timestamp+".", body))
	}
	return hex.EncodeToString(sum(t.spec, timestamp+".", body)), strings.Join(values, " ")
}

func sum(key []byte, head string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(head))
	mac.Write(body)
	return mac.Sum(nil)
}
