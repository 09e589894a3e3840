// Package paymenttest is a fake of Stripe for tests, over real HTTP: it stores sessions and
// refunds, remembers idempotency keys, and signs the events that it sends.
package paymenttest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Keys that the fake accepts. It refuses all others.
const (
	Key  = "sk_test_ofTheFakep7dc"
	Live = "rk_live_of_the_fake_XYZA"
	// Rolled is another key of the account of Key.
	Rolled = "sk_test_ofTheFakeNew1"
	// Other is a key of another account.
	Other = "sk_test_of_another_A1b2"
	// Weak may only read.
	Weak = "rk_test_of_the_fake_weak"
	// Signing is the signing secret of events.
	Signing = "whsec_of_the_fake_lZ6z"
)

// Session is a page on which shoppers pay.
type Session struct {
	ID, Key       string
	Status        string // open, complete or expired
	PaymentStatus string // unpaid or paid
	Intent        string
	Units         int64
	Currency      string
	Reference     string
	Success       string
	Form          url.Values
}

// Refund is a refund.
type Refund struct {
	ID, Intent string
	Units      int64
	Metadata   string // the service's key of the refund
	Key        string // of the account
	Failure    string // why the refund failed, "" if it did not
}

// Stripe is the fake. Its URL is the base address of the API.
type Stripe struct {
	*httptest.Server
	mu       sync.Mutex
	next     int
	sessions []*Session
	refunds  []Refund
	answers  map[string]answer
	asked    map[string]int
	lose     map[string]int
	refuse   map[string]answer
	revoked  []string
	// Pages is the base address of the pages of sessions. No server answers there.
	Pages string
	// Lacks is a currency that the account does not have, in lower case.
	Lacks string
}

type answer struct {
	status int
	body   map[string]any
}

// New starts a fake that stops at the end of the test.
func New(t testing.TB) *Stripe {
	s := &Stripe{answers: map[string]answer{}, asked: map[string]int{}, lose: map[string]int{},
		refuse: map[string]answer{}, Pages: "https://checkout.stripe.com/c/pay/"}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// serve answers a request of the API, once for each idempotency key.
func (s *Stripe) serve(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	lost, a := s.answer(r)
	if lost {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	body, err := json.Marshal(a.body)
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	w.Write(body)
}

func (s *Stripe) answer(r *http.Request) (lost bool, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := r.Method + " " + kind(r.URL.Path)
	s.asked[what]++
	if a, ok := s.refuse[what]; ok {
		return false, a
	}
	key, params := r.Header.Get("Idempotency-Key"), r.Form.Encode()
	kept, ok := s.answers[key]
	switch {
	case r.Method == http.MethodPost && ok && kept.body["params"] != params:
		return false, failure(http.StatusBadRequest, "idempotency_error", "The key was used with other parameters.")
	case r.Method == http.MethodPost && ok:
		a = kept
	default:
		a = s.route(r, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if r.Method == http.MethodPost && a.status < 400 {
			a.body["params"] = params
			s.answers[key] = a
		}
	}
	if s.lose[what] > 0 {
		s.lose[what]--
		return true, a
	}
	return false, a
}

func kind(path string) string {
	switch {
	case strings.HasSuffix(path, "/expire"):
		return "expire"
	case strings.HasPrefix(path, "/v1/checkout/sessions"):
		return "session"
	case strings.HasPrefix(path, "/v1/refunds"):
		return "refund"
	}
	return path
}

func (s *Stripe) route(r *http.Request, key string) answer {
	if slices.Contains(s.revoked, key) {
		key = ""
	}
	switch key {
	case Rolled:
		key = Key
	case Key, Live, Other:
	case Weak:
		if r.Method == http.MethodPost {
			return failure(http.StatusForbidden, "invalid_request_error", "The provided key does not have access.")
		}
	default:
		return failure(http.StatusUnauthorized, "invalid_request_error", "Invalid API Key provided: sk_****")
	}
	switch kind(r.URL.Path) {
	case "session":
		if r.Method == http.MethodPost {
			return s.begin(r.Form, key)
		}
		return s.one(r.URL.Path, key, s.show)
	case "expire":
		return s.one(strings.TrimSuffix(r.URL.Path, "/expire"), key, s.expire)
	case "refund":
		if r.Method == http.MethodPost {
			return s.refund(r.Form, key)
		}
		if _, id, ok := strings.Cut(r.URL.Path, "/v1/refunds/"); ok {
			return s.returned(id, key)
		}
		return s.list(r.Form.Get("payment_intent"))
	}
	return failure(http.StatusNotFound, "invalid_request_error", "Unrecognized request URL.")
}

func failure(status int, kind, text string) answer {
	return answer{status, map[string]any{"error": map[string]any{"type": kind, "message": text}}}
}

func (s *Stripe) begin(form url.Values, key string) answer {
	units, err := strconv.ParseInt(form.Get("line_items[0][price_data][unit_amount]"), 10, 64)
	code := form.Get("line_items[0][price_data][currency]")
	expires, wrong := strconv.ParseInt(form.Get("expires_at"), 10, 64)
	switch left := time.Until(time.Unix(expires, 0)); {
	case err != nil, wrong != nil, form.Get("mode") != "payment", form.Get("adaptive_pricing[enabled]") != "false":
		return failure(http.StatusBadRequest, "invalid_request_error", "Missing or wrong parameters.")
	case code == s.Lacks:
		return failure(http.StatusBadRequest, "invalid_request_error", "Invalid currency: "+code)
	case left < 30*time.Minute, left > 24*time.Hour:
		return failure(http.StatusBadRequest, "invalid_request_error", "The expires_at timestamp is out of bounds.")
	}
	s.next++
	x := &Session{ID: "cs_test_" + strconv.Itoa(s.next), Key: key, Status: "open", PaymentStatus: "unpaid",
		Units: units, Currency: code, Reference: form.Get("client_reference_id"), Success: form.Get("success_url"),
		Form: form}
	s.sessions = append(s.sessions, x)
	return s.show(x)
}

func (s *Stripe) one(path, key string, f func(*Session) answer) answer {
	x := s.find(path[strings.LastIndexByte(path, '/')+1:])
	if x == nil || x.Key != key {
		return failure(http.StatusNotFound, "invalid_request_error", "No such checkout.session")
	}
	return f(x)
}

func (s *Stripe) find(id string) *Session {
	i := slices.IndexFunc(s.sessions, func(x *Session) bool { return x.ID == id })
	if i < 0 {
		return nil
	}
	return s.sessions[i]
}

func (s *Stripe) expire(x *Session) answer {
	if x.Status != "open" {
		return failure(http.StatusBadRequest, "invalid_request_error", "Only open sessions can be expired.")
	}
	x.Status = "expired"
	return s.show(x)
}

func (s *Stripe) show(x *Session) answer {
	a := map[string]any{"id": x.ID, "object": "checkout.session", "status": x.Status,
		"payment_status": x.PaymentStatus, "amount_total": x.Units, "currency": x.Currency,
		"client_reference_id": x.Reference, "livemode": strings.Contains(x.Key, "_live_"), "payment_intent": nil,
		"url": nil}
	if x.Intent != "" {
		a["payment_intent"] = x.Intent
	}
	if x.Status == "open" {
		a["url"] = s.Pages + x.ID
	}
	return answer{http.StatusOK, a}
}

func (s *Stripe) refund(form url.Values, key string) answer {
	intent := form.Get("payment_intent")
	units, err := strconv.ParseInt(form.Get("amount"), 10, 64)
	if err != nil {
		return failure(http.StatusBadRequest, "invalid_request_error", "Missing amount.")
	}
	left := -units
	for _, x := range s.sessions {
		if x.Intent == intent && x.Key == key {
			left += x.Units
		}
	}
	for _, r := range s.refunds {
		if r.Intent == intent {
			left -= r.Units
		}
	}
	if left < 0 {
		return failure(http.StatusBadRequest, "invalid_request_error", "The refund is greater than what is left.")
	}
	s.next++
	r := Refund{ID: "re_" + strconv.Itoa(s.next), Intent: intent, Units: units, Key: key,
		Metadata: form.Get("metadata[refund]")}
	s.refunds = append(s.refunds, r)
	return answer{http.StatusOK, r.body()}
}

func (s *Stripe) returned(id, key string) answer {
	for _, r := range s.refunds {
		if r.ID == id && r.Key == key {
			return answer{http.StatusOK, r.body()}
		}
	}
	return failure(http.StatusNotFound, "invalid_request_error", "No such refund")
}

func (r *Refund) body() map[string]any {
	body := map[string]any{"id": r.ID, "object": "refund", "status": "succeeded", "payment_intent": r.Intent,
		"amount": r.Units, "metadata": map[string]any{"refund": r.Metadata}}
	if r.Failure != "" {
		body["status"], body["failure_reason"] = "failed", r.Failure
	}
	return body
}

func (s *Stripe) list(intent string) answer {
	data := []any{}
	for _, r := range s.refunds {
		if r.Intent == intent {
			data = append(data, r.body())
		}
	}
	return answer{http.StatusOK, map[string]any{"object": "list", "data": data}}
}

// Pay pays a session like a shopper on its page. It returns false if the session is not open.
func (s *Stripe) Pay(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.find(id)
	if x == nil || x.Status != "open" {
		return false
	}
	x.Status, x.PaymentStatus, x.Intent = "complete", "paid", "pi_"+strings.TrimPrefix(id, "cs_")
	return true
}

// Change changes a session without an event.
func (s *Stripe) Change(id string, f func(*Session)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.find(id))
}

// Sessions returns all sessions, oldest first.
func (s *Stripe) Sessions() []Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Session, len(s.sessions))
	for i, x := range s.sessions {
		list[i] = *x
	}
	return list
}

// Refunds returns all refunds, oldest first.
func (s *Stripe) Refunds() []Refund {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refunds)
}

// Fail makes a refund fail afterwards, as a shopper's bank may do days later.
func (s *Stripe) Fail(id, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.refunds {
		if s.refunds[i].ID == id {
			s.refunds[i].Failure = reason
		}
	}
}

// Revoke makes the fake refuse a key from now on.
func (s *Stripe) Revoke(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = append(s.revoked, key)
}

// Asked returns how many requests of a kind there were, such as "POST refund".
func (s *Stripe) Asked(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[what]
}

// Lose drops the responses to the next n requests of a kind. The requests take effect.
func (s *Stripe) Lose(what string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose[what] = n
}

// Refuse answers requests of a kind with a status from now on; 0 ends that.
func (s *Stripe) Refuse(what string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refuse, what)
	if status != 0 {
		s.refuse[what] = failure(status, "api_error", "It is as it is.")
	}
}

// Forget drops the idempotency keys, as Stripe does after a day.
func (s *Stripe) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.answers)
}

// Event returns the body of an event about a session or a refund.
func Event(kind, session string) []byte {
	return fmt.Appendf(nil, `{"id": "evt_%s_%s", "object": "event", "api_version": "2026-03-25.dahlia", "type": %q, `+
		`"data": {"object": {"id": %q, "object": "checkout.session", "payment_status": "paid"}}}`,
		kind[strings.LastIndexByte(kind, '.')+1:], session, kind, session)
}

// Sign returns the signature header of an event sent at a time.
func Sign(body []byte, secret string, at time.Time) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "t=" + stamp + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
