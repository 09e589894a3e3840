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

// Target is one endpoint: where it is and what its secrets are. It is made once
// and used for many attempts, also at the same time.
type Target struct {
	place    place // where it is connected to
	address  string
	shown    string    // scheme and host
	head     string    // what each request begins with
	spec     *signer   // keyed with the first secret as shown
	standard []*signer // keyed with each secret decoded
}

// NewTarget returns the endpoint at an address that [egress.Policy.CheckURL]
// has accepted. The first secret keys the header of the specification, which
// holds one value; the header of Standard Webhooks has one value for each.
// Secrets are whsec_ and base64 with padding (contract, section 8). No error
// holds a secret or the address, which may hold a token.
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
	t := &Target{address: address, place: placeOf(u), shown: u.Scheme + "://" + u.Host, head: head,
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
func (t *Target) String() string { return t.shown }

// LogValue is [Target.String].
func (t *Target) LogValue() slog.Value { return slog.StringValue(t.String()) }

// sign returns the two signatures over a body: that of the specification, in
// hexadecimal over <timestamp>.<body>, and that of Standard Webhooks, in base64
// over <id>.<timestamp>.<body>, one value for each secret.
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

// signer is HMAC-SHA-256 with one key. Keyed states are kept, so that signing
// hashes the message and not the key.
type signer struct{ states sync.Pool }

// state is a keyed hash and room to put a message's head and its sum.
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

// sign writes the sum over the head's parts and the body in a form.
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
