package payment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

const (
	stripeTime = 20 * time.Second // for one request
	// probeUnits is the amount of the session that tests a key: above every currency's minimum.
	probeUnits = 10_000_000
	// stripeSessions and stripeRefundsPath are the paths of Checkout Sessions and of refunds.
	stripeSessions    = "/v1/checkout/sessions"
	stripeRefundsPath = "/v1/refunds"
)

// slowMethods are payment methods whose money arrives days later. They are not offered.
var slowMethods = []string{"acss_debit", "au_becs_debit", "bacs_debit", "boleto", "customer_balance", "konbini",
	"multibanco", "oxxo", "sepa_debit", "sofort", "us_bank_account"}

// Stripe implements [Provider] with Stripe.
//
// It does not use the library's own request and response types: each holds every field there is,
// and all of them together would be a large part of the program.
type Stripe struct{ backend stripe.Backend }

// NewStripe returns a client of Stripe. base is the address of the API; "" is Stripe's own.
func NewStripe(base string) *Stripe {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 8
	client := &http.Client{Transport: transport, Timeout: stripeTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Stripe{stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL: new(cmp.Or(base, stripe.APIURL)), HTTPClient: client, MaxNetworkRetries: new(int64),
		EnableTelemetry: new(false), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})}
}

type sessionParams struct {
	stripe.Params   `form:"*"`
	Mode            string            `form:"mode"`
	SuccessURL      string            `form:"success_url"`
	CancelURL       string            `form:"cancel_url"`
	Reference       string            `form:"client_reference_id"`
	Locale          string            `form:"locale"`
	ExpiresAt       int64             `form:"expires_at"`
	Lines           []lineParams      `form:"line_items"`
	Metadata        map[string]string `form:"metadata"`
	Payment         *intentParams     `form:"payment_intent_data"`
	AdaptivePricing *switchParams     `form:"adaptive_pricing"`
	Excluded        []string          `form:"excluded_payment_method_types"`
}

type lineParams struct {
	Quantity int64       `form:"quantity"`
	Price    priceParams `form:"price_data"`
}

type priceParams struct {
	Currency string        `form:"currency"`
	Units    int64         `form:"unit_amount"`
	Product  productParams `form:"product_data"`
}

type productParams struct {
	Name string `form:"name"`
}

type intentParams struct {
	Description string            `form:"description"`
	Metadata    map[string]string `form:"metadata"`
}

// switchParams turns a feature on or off. Adaptive pricing charges shoppers in their own currency,
// and so another amount than the one owed.
type switchParams struct {
	Enabled *bool `form:"enabled"`
}

// stripeSession holds the used fields of a session.
type stripeSession struct {
	stripe.APIResource
	ID            string `json:"id"`
	URL           string `json:"url"`
	Status        string `json:"status"`
	PaymentStatus string `json:"payment_status"`
	Intent        string `json:"payment_intent"`
	Units         int64  `json:"amount_total"`
	Currency      string `json:"currency"`
	Reference     string `json:"client_reference_id"`
	Live          bool   `json:"livemode"`
}

// session converts an answer to a [Session].
func (s *stripeSession) session() Session {
	code := strings.ToUpper(s.Currency)
	status := Ended
	switch {
	case s.PaymentStatus == "paid":
		status = Paid
	case s.Status == "open":
		status = Open
	case s.Status == "complete":
		status = Processing
	}
	return Session{Reference: s.ID, URL: s.URL, Payment: s.Intent, Status: status,
		AmountMinor: minors(s.Units, code), Currency: code, Order: s.Reference}
}

// Begin implements [Checkout].
func (s *Stripe) Begin(ctx context.Context, secret string, p Purchase) (Session, error) {
	n, ok := units(p.AmountMinor, p.Currency)
	if !ok {
		return Session{}, &RefusedError{Text: "it cannot charge this amount of " + p.Currency}
	}
	locale := "auto"
	if texts := phrase.In(p.Language); texts.Stripe {
		locale = string(texts.Language)
	}
	about := map[string]string{"order": p.Order}
	return s.session(ctx, http.MethodPost, stripeSessions, secret, &sessionParams{
		Params: stripe.Params{IdempotencyKey: &p.Key}, Mode: "payment", SuccessURL: p.Return, CancelURL: p.Return,
		Reference: p.Order, Locale: locale, ExpiresAt: p.Ends.Unix(), Lines: lineOf(n, p.Currency, p.Title),
		Metadata: about, Payment: &intentParams{Description: p.Title, Metadata: about},
		AdaptivePricing: &switchParams{new(false)}, Excluded: slowMethods})
}

func lineOf(n int64, code, title string) []lineParams {
	return []lineParams{{Quantity: 1, Price: priceParams{Currency: strings.ToLower(code), Units: n,
		Product: productParams{title}}}}
}

// Look implements [Checkout].
func (s *Stripe) Look(ctx context.Context, secret, reference string) (Session, error) {
	path := stripe.FormatURLPath(stripeSessions+"/%s", reference)
	return s.session(ctx, http.MethodGet, path, secret, &plainParams{})
}

// Expire implements [Checkout].
func (s *Stripe) Expire(ctx context.Context, secret, reference string) (Session, error) {
	path := stripe.FormatURLPath(stripeSessions+"/%s/expire", reference)
	now, err := s.session(ctx, http.MethodPost, path, secret, &plainParams{})
	if refused, ok := errors.AsType[*RefusedError](err); ok && !refused.Key {
		return s.Look(ctx, secret, reference) // it is no longer open
	}
	return now, err
}

type plainParams struct {
	stripe.Params `form:"*"`
}

func (s *Stripe) session(
	ctx context.Context, method, path, secret string, params stripe.ParamsContainer,
) (Session, error) {
	var answer stripeSession
	if err := s.call(ctx, method, path, secret, params, &answer); err != nil {
		return Session{}, err
	}
	return answer.session(), nil
}

// Probe implements [Bank]: it creates a session, as every payment does, and expires it.
func (s *Stripe) Probe(ctx context.Context, secret, currency string) (live bool, err error) {
	const nowhere = "https://example.com/"
	var answer stripeSession
	err = s.call(ctx, http.MethodPost, stripeSessions, secret, &sessionParams{Mode: "payment", SuccessURL: nowhere,
		CancelURL: nowhere, Reference: "probe", Locale: "auto", ExpiresAt: time.Now().Add(time.Hour).Unix(),
		Lines:           lineOf(probeUnits, currency, "Test of the key"),
		AdaptivePricing: &switchParams{new(false)}, Excluded: slowMethods}, &answer)
	if err != nil {
		return false, err
	}
	// If this fails, the session expires by itself.
	_, err = s.Expire(ctx, secret, answer.ID)
	return answer.Live, err
}

type refundParams struct {
	stripe.Params `form:"*"`
	Payment       string            `form:"payment_intent"`
	Units         int64             `form:"amount"`
	Metadata      map[string]string `form:"metadata"`
}

type refundsParams struct {
	stripe.Params `form:"*"`
	Payment       string `form:"payment_intent"`
	Limit         int64  `form:"limit"`
}

type stripeRefund struct {
	stripe.APIResource
	ID       string            `json:"id"`
	Intent   string            `json:"payment_intent"`
	Status   string            `json:"status"`
	Reason   string            `json:"failure_reason"`
	Metadata map[string]string `json:"metadata"`
}

type stripeRefunds struct {
	stripe.APIResource
	Data []stripeRefund `json:"data"`
}

// refundKey is the metadata field with the refund's key: Stripe forgets idempotency keys in a day.
const refundKey = "refund"

// Refund implements [Refunds].
func (s *Stripe) Refund(ctx context.Context, secret string, r Refund) (reference string, err error) {
	n, ok := units(r.AmountMinor, r.Currency)
	if !ok {
		return "", &RefusedError{Text: "it cannot give back this amount of " + r.Currency}
	}
	if r.Again {
		var made stripeRefunds
		err := s.call(ctx, http.MethodGet, stripeRefundsPath, secret,
			&refundsParams{Payment: r.Payment, Limit: 100}, &made)
		if err != nil {
			return "", err
		}
		for _, one := range made.Data {
			if one.Metadata[refundKey] == r.Key {
				return one.result()
			}
		}
	}
	var answer stripeRefund
	err = s.call(ctx, http.MethodPost, stripeRefundsPath, secret, &refundParams{
		Params: stripe.Params{IdempotencyKey: &r.Key}, Payment: r.Payment, Units: n,
		Metadata: map[string]string{refundKey: r.Key}}, &answer)
	if err != nil {
		return "", err
	}
	return answer.result()
}

// result returns the reference of a refund, or a RefusedError if it failed.
func (r *stripeRefund) result() (reference string, err error) {
	if failure := r.failure(); failure != "" {
		return "", &RefusedError{Text: failure}
	}
	return r.ID, nil
}

// failure returns why the money does not reach the shopper; "" while it may still.
func (r *stripeRefund) failure() string {
	if r.Status == "failed" || r.Status == "canceled" {
		return cmp.Or(r.Reason, "the refund is "+r.Status)
	}
	return ""
}

// Refunded implements [Refunds].
func (s *Stripe) Refunded(ctx context.Context, secret, reference string) (Outcome, error) {
	var now stripeRefund
	path := stripe.FormatURLPath(stripeRefundsPath+"/%s", reference)
	if err := s.call(ctx, http.MethodGet, path, secret, &plainParams{}, &now); err != nil {
		return Outcome{}, err
	}
	return Outcome{Key: now.Metadata[refundKey], Payment: now.Intent, Failure: now.failure()}, nil
}

// Verify implements [Bank]. The version of the event does not matter, because only references are
// read from it.
func (s *Stripe) Verify(body []byte, signature, secret string) (Event, error) {
	if err := webhook.ValidatePayload(body, signature, secret); err != nil {
		return Event{}, ErrSignature
	}
	var e struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		Data struct {
			Object struct {
				ID string `json:"id"`
			} `json:"object"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Event{}, fmt.Errorf("read an event of Stripe: %w", err)
	}
	event := Event{ID: e.ID, Type: e.Type}
	switch {
	case slices.Contains(sessionEvents, e.Type):
		event.Session = e.Data.Object.ID
	case slices.Contains(refundEvents, e.Type):
		event.Refund = e.Data.Object.ID
	}
	return event, nil
}

// Types of events about sessions and about refunds. For refunds Stripe sends the first type, and
// the others to endpoints that request them or use an older version.
var (
	sessionEvents = []string{"checkout.session.completed", "checkout.session.async_payment_succeeded",
		"checkout.session.expired"}
	refundEvents = []string{"refund.failed", "refund.updated", "charge.refund.updated"}
)

// StripeEvents returns the types of events that a merchant has Stripe send to the service.
func StripeEvents() []string { return append(slices.Clone(sessionEvents), refundEvents[0]) }

// call sends a request. It returns a RefusedError if Stripe refuses; else the outcome is unknown.
func (s *Stripe) call(ctx context.Context, method, path, secret string, params stripe.ParamsContainer,
	answer stripe.LastResponseSetter,
) error {
	params.GetParams().Context = ctx
	err := s.backend.Call(method, path, secret, params, answer)
	e, ok := errors.AsType[*stripe.Error](err)
	if !ok {
		return fault.Wrap("ask Stripe", err)
	}
	switch status := e.HTTPStatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &RefusedError{Key: true, Text: e.Msg}
	case status == http.StatusConflict, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return fmt.Errorf("ask Stripe: status %d: %s", status, e.Msg)
	}
	return &RefusedError{Text: e.Msg}
}
