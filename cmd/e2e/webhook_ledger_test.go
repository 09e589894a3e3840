package e2e

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// envelope is the body of a delivery (contract, section 8).
type envelope struct {
	EventID    string    `json:"event_id"`
	Type       string    `json:"type"`
	APIVersion string    `json:"api_version"`
	OccurredAt time.Time `json:"occurred_at"`
	StoreID    string    `json:"store_id"`
	Resource   struct {
		Type, ID string
		Version  int64
	}
	Sequence int64
	Data     *struct{ Object map[string]any }
}

// entry is one request to a sink.
type entry struct {
	method  string
	path    string
	header  http.Header
	body    []byte
	at      time.Time
	payload envelope
	attempt int
	mood    string
	// arrived and answered are positions in the ledger; answered is 0 without a 2xx.
	arrived, answered int
	malformed         error
}

// book records the requests to one endpoint. The sink's lock guards it while requests may arrive.
type book struct {
	sink    *sink
	path    string
	id      string
	secrets []string // any may have signed
	events  []string
	temper  func(*entry) mood // nil accepts everything

	entries []*entry
	taken   map[string]int // number of 2xx by event id
	types   map[string]int // number of accepted events by type
}

// open opens a book; a registration makes it an endpoint's.
func (s *sink) open(path string, temper func(*entry) mood) *book {
	b := &book{sink: s, path: path, temper: temper, taken: map[string]int{}, types: map[string]int{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books[path] = b
	return b
}

// all returns the current entries, which no longer change.
func (b *book) all() []*entry {
	b.sink.mu.Lock()
	defer b.sink.mu.Unlock()
	return slices.Clone(b.entries)
}

// specSignature reports whether the specification's header is signed with a secret (section 6).
func (e *entry) specSignature(secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(e.header.Get("X-Service-Timestamp") + "."))
	mac.Write(e.body)
	return e.header.Get("X-Service-Signature") == hex.EncodeToString(mac.Sum(nil))
}

// standardSignature reports whether one of the values in the Standard Webhooks header is signed
// with a secret.
func (e *entry) standardSignature(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(e.header.Get("Webhook-Id") + "." + e.header.Get("Webhook-Timestamp") + "."))
	mac.Write(e.body)
	return slices.Contains(strings.Fields(e.header.Get("Webhook-Signature")),
		"v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// check checks one request against the contract.
func (e *entry) check(secrets []string) error {
	p, h := e.payload, e.header
	stamp := h.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	switch {
	case e.malformed != nil:
		return e.malformed
	case err != nil || e.at.Sub(time.Unix(seconds, 0)).Abs() > 300*time.Second || h.Get("Webhook-Timestamp") != stamp:
		return fmt.Errorf("timestamps %q and %q at %v", stamp, h.Get("Webhook-Timestamp"), e.at)
	case !slices.ContainsFunc(secrets, e.specSignature):
		return errors.New("x-service-signature verifies with no secret")
	case !slices.ContainsFunc(secrets, e.standardSignature):
		return errors.New("webhook-signature verifies with no secret")
	case e.method != http.MethodPost || h.Get("Content-Type") != "application/json" || h.Get("User-Agent") == "":
		return fmt.Errorf("%s with content-type %q of %q", e.method, h.Get("Content-Type"), h.Get("User-Agent"))
	case h.Get("X-Service-Event") != p.Type || h.Get("Webhook-Id") != p.EventID:
		return fmt.Errorf("headers %q and %q of %s %s", h.Get("X-Service-Event"),
			h.Get("Webhook-Id"), p.Type, p.EventID)
	case !strings.HasPrefix(p.EventID, "evt_") || p.APIVersion != "v1" || p.Data == nil ||
		p.OccurredAt.IsZero() || p.Resource.ID == "":
		return fmt.Errorf("the body is %.300s", e.body)
	case !strings.HasPrefix(h.Get("X-Service-Delivery-Id"), "dlv_") || e.attempt < 1 || p.Sequence < 1:
		return fmt.Errorf("delivery %q, attempt %d, sequence %d", h.Get("X-Service-Delivery-Id"), e.attempt, p.Sequence)
	}
	return nil
}

// story is what a book holds about one event.
type story struct {
	*entry       // the first delivery
	accepted int // position of its first 2xx
	sights   int
}

// stories groups the book by event, and checks every request: an event always has the same bytes
// and the same delivery.
func (b *book) stories(t *testing.T) map[string]*story {
	t.Helper()
	found := map[string]*story{}
	for _, e := range b.all() {
		if err := e.check(b.secrets); err != nil {
			t.Errorf("%s: %v", b.path, err)
		}
		s := found[e.payload.EventID]
		if s == nil {
			s = &story{entry: e}
			found[e.payload.EventID] = s
		}
		s.sights++
		if s.accepted == 0 {
			s.accepted = e.answered
		}
		const id = "X-Service-Delivery-Id"
		if !bytes.Equal(s.body, e.body) || s.header.Get(id) != e.header.Get(id) {
			t.Errorf("%s: %s changes between attempts:\n%s\n%s", b.path, e.payload.EventID, s.body, e.body)
		}
	}
	return found
}

// audit checks the whole book: signatures, order within each resource, and that the acknowledged
// events arrived. The endpoint has to be subscribed to all events of its resources.
func (b *book) audit(t *testing.T, j *journal) {
	t.Helper()
	by, faults := b.lanes(t)
	b.complain(t, append(faults, b.unbalanced(by, j)...))
}

// complain reports the first of a book's faults, and their number.
func (b *book) complain(t *testing.T, faults []string) {
	t.Helper()
	for _, text := range faults[:min(len(faults), 10)] {
		t.Errorf("%s: %s", b.path, text)
	}
	if len(faults) > 10 {
		t.Errorf("%s: and %d more", b.path, len(faults)-10)
	}
}

// lanes returns the book's events by resource in their order, and faults.
func (b *book) lanes(t *testing.T) (by map[string][]*story, faults []string) {
	t.Helper()
	by = map[string][]*story{}
	for _, s := range b.stories(t) {
		by[s.payload.Resource.ID] = append(by[s.payload.Resource.ID], s)
	}
	complain := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for resource, list := range by {
		slices.SortFunc(list, func(a, b *story) int { return cmp.Compare(a.payload.Sequence, b.payload.Sequence) })
		for i, s := range list[1:] {
			before := list[i]
			if s.payload.Sequence != before.payload.Sequence+1 {
				complain("%s: sequence %d comes after %d", resource, s.payload.Sequence, before.payload.Sequence)
			}
			if before.accepted == 0 || s.arrived < before.accepted {
				complain("%s: %d (%s) is first seen before %d got its 2xx", resource, s.payload.Sequence,
					s.payload.Type, before.payload.Sequence)
			}
			if s.payload.OccurredAt.Before(before.payload.OccurredAt) ||
				s.payload.Resource.Version < before.payload.Resource.Version {
				complain("%s: %d is older than %d", resource, s.payload.Sequence, before.payload.Sequence)
			}
		}
	}
	return by, faults
}

// unbalanced compares what was accepted with what was acknowledged, by resource
// and type.
func (b *book) unbalanced(by map[string][]*story, j *journal) (list []string) {
	want := j.of(b.events)
	for resource, stories := range by {
		for _, s := range stories {
			if want[resource] == nil {
				want[resource] = map[string]int{}
			}
			if s.accepted > 0 {
				want[resource][s.payload.Type]--
			}
		}
	}
	for resource, types := range want {
		for name, n := range types {
			switch {
			case n > 0:
				list = append(list, fmt.Sprintf("%s: %d %s never arrived", resource, n, name))
			case n < 0:
				list = append(list, fmt.Sprintf("%s: %d %s too many", resource, -n, name))
			}
		}
	}
	slices.Sort(list)
	return list
}

// accepted counts the events that got a 2xx, and the 2xx beyond the first of each.
func (b *book) accepted() (events, repeats int) {
	b.sink.mu.Lock()
	defer b.sink.mu.Unlock()
	for _, times := range b.taken {
		repeats += times - 1
	}
	return len(b.taken), repeats
}

// lack returns what a book is missing, or "". The sink is locked.
func (b *book) lack(want map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if n := want[name] - b.types[name]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, name))
		}
	}
	if list == nil {
		return ""
	}
	return b.path + " lacks " + strings.Join(list, ", ")
}

// complete waits until every book has the acknowledged events, and audits them.
func (s *sink) complete(t *testing.T, within time.Duration, j *journal, books ...*book) {
	t.Helper()
	want := make([]map[string]int, len(books))
	for i, b := range books {
		want[i] = j.total(b.events)
	}
	began := time.Now()
	s.await(t, within, func() string {
		var list []string
		for i, b := range books {
			if text := b.lack(want[i]); text != "" {
				list = append(list, text)
			}
		}
		return strings.Join(list, "; ")
	})
	for _, b := range books {
		b.audit(t, j)
		entries, moods := b.all(), map[string]int{}
		for _, e := range entries {
			moods[e.mood]++
		}
		if len(entries) > 0 {
			last := max(0, entries[len(entries)-1].at.Sub(began)).Round(time.Millisecond)
			events, repeats := b.accepted()
			t.Logf("%s: %d events in %d requests %v, %d accepted twice, the last one %v after the writing", b.path,
				events, len(entries), moods, repeats, last)
		}
	}
}
