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

	"github.com/storefront-go/storefront/ent/state"
)

const (
	stripeTime = 20 * time.Second // for one request
	// probeUnits is the sum of the session that judges a key: above every currency's
	// least one.
	probeUnits = 10_000_000
	// stripeSessions and stripeBack are the roots of Checkout Sessions and of refunds.
	stripeSessions = "/v1/checkout/sessions"
	stripeBack     = "/v1/refunds"
)

// slowMethods bring the money days after the goods were given back: they are not offered.
var slowMethods = []string{"acss_debit", "au_becs_debit", "bacs_debit", "boleto", "customer_balance", "konbini",
	"multibanco", "oxxo", "sepa_debit", "sofort", "us_bank_account"}

// stripeLocales are the languages of storefronts that Stripe's page speaks; others are
// left to the browser.
var stripeLocales = []state.Language{state.English, state.German, state.French, state.Spanish, state.Japanese}

// Stripe is the provider of that name. Its methods are those of [Provider].
//
// The library's own structures of requests and answers are not used: each holds all that
// there is, and all of them together would be a good part of the program.
type Stripe struct{ backend stripe.Backend }

// NewStripe makes what asks Stripe; base is the address of its interface, "" for Stripe
// itself.
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

// sessionParams begins a session.
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

// lineParams is one line of a session.
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

// switchParams is what is on or off: on charges shoppers in their own currency, and so
// another sum than the one that is owed.
type switchParams struct {
	Enabled *bool `form:"enabled"`
}

// stripeSession is what is read of a session.
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

// session is an answer as the domain reads it.
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
	if slices.Contains(stripeLocales, p.Language) {
		locale = string(p.Language)
	}
	about := map[string]string{"order": p.Order}
	return s.session(ctx, http.MethodPost, stripeSessions, secret, &sessionParams{
		Params: stripe.Params{IdempotencyKey: &p.Key}, Mode: "payment", SuccessURL: p.Return, CancelURL: p.Return,
		Reference: p.Order, Locale: locale, ExpiresAt: p.Ends.Unix(), Lines: lineOf(n, p.Currency, p.Title),
		Metadata: about, Payment: &intentParams{Description: p.Title, Metadata: about},
		AdaptivePricing: &switchParams{new(false)}, Excluded: slowMethods})
}

// lineOf is all that is paid, as one line.
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
		return s.Look(ctx, secret, reference) // it is open no more
	}
	return now, err
}

// plainParams are those of a request that needs none.
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

// Probe implements [Bank]: it begins a session, as each payment does, and ends it.
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
	// Where this fails, the session ends by itself.
	_, err = s.Expire(ctx, secret, answer.ID)
	return answer.Live, err
}

// refundParams gives money back.
type refundParams struct {
	stripe.Params `form:"*"`
	Payment       string            `form:"payment_intent"`
	Units         int64             `form:"amount"`
	Metadata      map[string]string `form:"metadata"`
}

// refundsParams lists what was given back of a payment.
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

// refundKey is the name under which a refund carries its key: Stripe forgets the keys of
// requests after a day, and what it did for them never.
const refundKey = "refund"

// Refund implements [Returns].
func (s *Stripe) Refund(ctx context.Context, secret string, r Refund) (reference string, err error) {
	n, ok := units(r.AmountMinor, r.Currency)
	if !ok {
		return "", &RefusedError{Text: "it cannot give back this amount of " + r.Currency}
	}
	if r.Again {
		var made stripeRefunds
		err := s.call(ctx, http.MethodGet, stripeBack, secret, &refundsParams{Payment: r.Payment, Limit: 100}, &made)
		if err != nil {
			return "", err
		}
		for _, one := range made.Data {
			if one.Metadata[refundKey] == r.Key {
				return one.judge()
			}
		}
	}
	var answer stripeRefund
	err = s.call(ctx, http.MethodPost, stripeBack, secret, &refundParams{
		Params: stripe.Params{IdempotencyKey: &r.Key}, Payment: r.Payment, Units: n,
		Metadata: map[string]string{refundKey: r.Key}}, &answer)
	if err != nil {
		return "", err
	}
	return answer.judge()
}

// judge returns the name of a refund whose money is on its way.
func (r *stripeRefund) judge() (reference string, err error) {
	if failure := r.failure(); failure != "" {
		return "", &RefusedError{Text: failure}
	}
	return r.ID, nil
}

// failure is why the money does not reach the shopper, "" as long as it may.
func (r *stripeRefund) failure() string {
	if r.Status == "failed" || r.Status == "canceled" {
		return cmp.Or(r.Reason, "the refund is "+r.Status)
	}
	return ""
}

// Refunded implements [Returns].
func (s *Stripe) Refunded(ctx context.Context, secret, reference string) (Outcome, error) {
	var now stripeRefund
	path := stripe.FormatURLPath(stripeBack+"/%s", reference)
	if err := s.call(ctx, http.MethodGet, path, secret, &plainParams{}, &now); err != nil {
		return Outcome{}, err
	}
	return Outcome{Key: now.Metadata[refundKey], Payment: now.Intent, Failure: now.failure()}, nil
}

// Verify implements [Bank]. The version of the event does not matter, since nothing but
// names is read of it.
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

// The types of events about sessions and about refunds: of the latter Stripe sends the first,
// and the others to endpoints that ask for them or are of an older version.
var (
	sessionEvents = []string{"checkout.session.completed", "checkout.session.async_payment_succeeded",
		"checkout.session.expired"}
	refundEvents = []string{"refund.failed", "refund.updated", "charge.refund.updated"}
)

// StripeEvents are the types of events that a merchant has sent to the service.
func StripeEvents() []string { return append(slices.Clone(sessionEvents), refundEvents[0]) }

// call asks Stripe, and tells refusals from what is not known.
func (s *Stripe) call(ctx context.Context, method, path, secret string, params stripe.ParamsContainer,
	answer stripe.LastResponseSetter,
) error {
	params.GetParams().Context = ctx
	err := s.backend.Call(method, path, secret, params, answer)
	e, ok := errors.AsType[*stripe.Error](err)
	if !ok {
		if err != nil {
			return fmt.Errorf("ask Stripe: %w", err)
		}
		return nil
	}
	switch status := e.HTTPStatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &RefusedError{Key: true, Text: e.Msg}
	case status == http.StatusConflict, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return fmt.Errorf("ask Stripe: status %d: %s", status, e.Msg)
	}
	return &RefusedError{Text: e.Msg}
}
