package conformance

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

// samples has one body of each type of event, a line each.
//
//go:embed events.jsonl
var samples []byte

// body is the body of a delivery. Its members are in the order of the real ones.
type body struct {
	EventID    string `json:"event_id"`
	Type       string `json:"type"`
	APIVersion string `json:"api_version"`
	OccurredAt string `json:"occurred_at"`
	StoreID    string `json:"store_id"`
	Resource   struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Version int64  `json:"version"`
	} `json:"resource"`
	Sequence       int64           `json:"sequence"`
	ChangedFields  []string        `json:"changed_fields"`
	Data           json.RawMessage `json:"data"`
	PayloadOmitted bool            `json:"payload_omitted"`
}

// sampleBodies returns a body of each type of event.
func sampleBodies() (list []body) {
	for line := range bytes.Lines(samples) {
		var b body
		if err := json.Unmarshal(line, &b); err != nil {
			panic(err) // the file is embedded, and a test reads it
		}
		list = append(list, b)
	}
	return list
}

// fresh returns the body as a new event of another resource.
func (b body) fresh() body {
	b.EventID = "evt_" + strings.ToLower(rand.Text())
	b.Resource.ID = strings.Split(b.Resource.ID, "_")[0] + "_" + strings.ToLower(rand.Text())
	b.OccurredAt = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")
	return b
}

func (b body) bytes() []byte {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err) // it was parsed
	}
	return text
}

// delivery is a request of the sender.
type delivery struct {
	id, kind string
	body     []byte
	at       string // the timestamp
	attempt  int
	// secrets sign the delivery: the last one signs X-Service-Signature, all of them
	// Webhook-Signature.
	secrets []string
	// edit changes the signed request.
	edit func(*delivery, http.Header)
}

func (p *player) deliver(b body) delivery {
	return delivery{id: b.EventID, kind: b.Type, body: b.bytes(), at: stamp(0), attempt: 1, secrets: []string{p.Secret}}
}

// stamp returns the timestamp of a time from now.
func stamp(from time.Duration) string { return strconv.FormatInt(time.Now().Add(from).Unix(), 10) }

// header returns the headers of a delivery.
func (d *delivery) header() http.Header {
	var standard []string
	for _, s := range d.secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, "whsec_"))
		if err != nil {
			key = []byte(s)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(slices.Concat([]byte(d.id+"."+d.at+"."), d.body))
		standard = append(standard, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	h := http.Header{}
	for name, value := range map[string]string{
		"Content-Type":               "application/json",
		"User-Agent":                 "Storefront-Webhooks/1",
		hook.HeaderTimestamp:         d.at,
		hook.HeaderSignature:         hook.Signature(d.secrets[len(d.secrets)-1], d.at, d.body),
		hook.HeaderEvent:             d.kind,
		hook.HeaderDeliveryID:        "dlv_" + strings.TrimPrefix(d.id, "evt_"),
		hook.HeaderAttempt:           strconv.Itoa(d.attempt),
		hook.HeaderStandardID:        d.id,
		hook.HeaderStandardTimestamp: d.at,
		hook.HeaderStandardSignature: strings.Join(standard, " "),
	} {
		h.Set(name, value)
	}
	return h
}

// player plays the sender.
type player struct {
	Config
	ctx    context.Context
	client http.Client
}

// send sends a delivery and returns the status of the answer, and how long it asks to wait.
func (p *player) send(d delivery) (status int, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(p.ctx, p.Timeout)
	defer cancel()
	h := d.header()
	if d.edit != nil {
		d.edit(&d, h)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(d.body))
	if err != nil {
		return 0, 0, err
	}
	r.Header = h
	answer, err := p.client.Do(r)
	if errors.Is(err, context.DeadlineExceeded) {
		return 0, 0, fmt.Errorf("no answer within %v", p.Timeout)
	}
	if err != nil {
		return 0, 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	return answer.StatusCode, time.Duration(seconds) * time.Second, errors.Join(err, answer.Body.Close())
}

const (
	// attempts is how often a delivery is sent if the receiver asks to wait.
	attempts = 4
	// longestWait is how long the receiver may ask to wait here; the service waits for hours.
	longestWait = 5 * time.Second
)

// accept returns an error unless the receiver acknowledges a delivery. A receiver that asks to wait
// gets it again.
func (p *player) accept(d delivery) error {
	for ; ; d.attempt++ {
		status, wait, err := p.send(d)
		switch {
		case err != nil:
			return err
		case status >= 200 && status <= 299:
			return nil
		case wait <= 0 || wait > longestWait || d.attempt >= attempts:
			return answered(status, "200 to 299")
		}
		select {
		case <-p.ctx.Done():
			return p.ctx.Err()
		case <-time.After(wait):
		}
	}
}

// refuse returns an error unless the receiver refuses a request with 400 to 499.
func (p *player) refuse(d delivery) error {
	status, _, err := p.send(d)
	if err == nil && (status < 400 || status > 499) {
		err = answered(status, "400 to 499")
	}
	return err
}

func answered(status int, want string) error {
	why := ""
	switch {
	case status >= 300 && status <= 399:
		why = "; the sender follows no redirects"
	case status == http.StatusGone:
		why = "; this does not end the deliveries: delete the endpoint instead"
	}
	return fmt.Errorf("the answer was %d, not %s%s", status, want, why)
}

// together runs a function n times at once.
func together(n int, f func(i int) error) error {
	list := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { list[i] = f(i) })
	}
	group.Wait()
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}
