package attempt

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// prefix starts every secret.
const prefix = "whsec_"

// Target is the address and the secrets of an endpoint. It is used for many attempts and is safe
// for concurrent use.
type Target struct {
	place    place // where to connect
	address  string
	origin   string    // scheme and host
	head     string    // the beginning of each request
	spec     *signer   // keyed with the first secret as shown
	standard []*signer // keyed with each decoded secret
}

// NewTarget returns the target for an address that [egress.Policy.CheckURL] has accepted. The first
// secret keys the signature header of the specification, which has one value; the header of
// Standard Webhooks has one value for each secret. Secrets are whsec_ and base64 with padding
// (contract, section 8). Errors contain neither a secret nor the address, which may contain a
// token.
func NewTarget(address string, secrets ...string) (*Target, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("make target: not an address of http or https")
	}
	if len(secrets) == 0 {
		return nil, errors.New("make target: no secret")
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, address, http.NoBody)
	if err != nil {
		return nil, errors.New("make target: the address makes no request")
	}
	head, err := headOf(r)
	if err != nil {
		return nil, errors.New("make target: the address makes no request")
	}
	t := &Target{address: address, place: placeOf(u), origin: u.Scheme + "://" + u.Host, head: head,
		spec: newSigner([]byte(secrets[0]))}
	for i, s := range secrets {
		encoded, ok := strings.CutPrefix(s, prefix)
		key, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if !ok || err != nil || len(key) == 0 {
			return nil, fmt.Errorf("make target: secret %d is not %s and base64", i+1, prefix)
		}
		t.standard = append(t.standard, newSigner(key))
	}
	return t, nil
}

// String returns the scheme and the host: the rest of an address may be secret.
func (t *Target) String() string { return t.origin }

// LogValue returns [Target.String].
func (t *Target) LogValue() slog.Value { return slog.StringValue(t.String()) }

// sign returns the two signatures over a body: that of the specification, in hexadecimal over
// <timestamp>.<body>, and that of Standard Webhooks, in base64 over <id>.<timestamp>.<body>, one
// value for each secret.
func (t *Target) sign(id, timestamp string, body []byte) (spec, standard string) {
	spec = t.spec.sign(hexadecimal, body, timestamp, ".")
	for i, s := range t.standard {
		value := s.sign(versioned, body, id, ".", timestamp, ".")
		if i == 0 {
			standard = value
		} else {
			standard += " " + value
		}
	}
	return spec, standard
}

// signer computes HMAC-SHA-256 with one key. It pools keyed states, so that signing hashes only the
// message.
type signer struct{ states sync.Pool }

// state is a keyed hash with buffers for a message's head and its sum.
type state struct {
	mac  hash.Hash
	head []byte
	text []byte
}

func newSigner(key []byte) *signer {
	return &signer{states: sync.Pool{New: func() any {
		return &state{mac: hmac.New(sha256.New, key), head: make([]byte, 0, 128), text: make([]byte, 0, 128)}
	}}}
}

// sign returns the sum over the parts of head and the body, encoded by form.
func (s *signer) sign(form func(text, sum []byte) []byte, body []byte, head ...string) string {
	st := s.states.Get().(*state)
	defer s.states.Put(st)
	st.head = st.head[:0]
	for _, part := range head {
		st.head = append(st.head, part...)
	}
	st.mac.Reset()
	st.mac.Write(st.head)
	st.mac.Write(body)
	st.head = st.mac.Sum(st.head[:0])
	st.text = form(st.text[:0], st.head)
	return string(st.text)
}

func hexadecimal(text, sum []byte) []byte { return hex.AppendEncode(text, sum) }

func versioned(text, sum []byte) []byte {
	return base64.StdEncoding.AppendEncode(append(text, "v1,"...), sum)
}
