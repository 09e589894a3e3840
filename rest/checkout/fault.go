package checkout

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// message answers with a page that shows a message.
func (v *visit) message(status int, title, text phrase.Key) {
	v.show(v.w, v.r, status, MessagePage{Frame: v.frame(title), Text: v.texts.Say(text)})
}

func (v *visit) missing() { v.message(http.StatusNotFound, phrase.NotFound, phrase.NotFoundText) }

// crowded answers a visitor who sends too many requests, with the time to wait.
func (v *visit) crowded(wait time.Duration) {
	v.w.Header().Set("Retry-After", ratelimit.Seconds(wait))
	v.message(http.StatusTooManyRequests, phrase.TooMany, phrase.TooManyText)
}

// failed answers an error that the shopper cannot correct: not found, or an internal error, which
// is logged.
func (v *visit) failed(err error) {
	f, _ := errors.AsType[*fault.Error](err)
	switch {
	case f != nil && f.Kind == fault.NotFound, f != nil && f.Kind == fault.ValidationFailed:
		v.missing()
	case f != nil && f.Kind == fault.RateLimited:
		v.crowded(f.RetryAfter)
	case f != nil && f.Kind == fault.Conflict:
		v.message(http.StatusConflict, phrase.TryAgain, phrase.TryAgainText)
	case f != nil && f.Kind == fault.Unavailable, ent.IsUnavailable(err), errors.Is(err, context.Canceled),
		errors.Is(err, context.DeadlineExceeded):
		v.w.Header().Set("Retry-After", "2")
		v.message(http.StatusServiceUnavailable, phrase.TryAgain, phrase.TryAgainText)
	default:
		v.Logger.ErrorContext(v.ctx, "page of a checkout failed", slog.String("path", v.r.URL.Path),
			slog.Any("error", err))
		v.message(http.StatusInternalServerError, phrase.TryAgain, phrase.TryAgainText)
	}
}

// noCart reports whether an error says that there is no cart, or no longer.
func noCart(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.NotFound
}

// wrongOf returns the error of each field of a form, in the language of the store, or nil if the
// error is not about fields.
func (v *visit) wrongOf(err error) map[string]string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.ValidationFailed {
		return nil
	}
	wrong := map[string]string{}
	for _, field := range f.Fields {
		name := strings.TrimPrefix(field.Pointer, "#/")
		key := phrase.NotValid
		switch {
		case name == "rate", name == "payment", strings.HasSuffix(name, countryField.name),
			field.Code == fault.UnknownValue:
			key = phrase.ChooseOne
		case field.Code == fault.Required:
			key = phrase.Required
		case name == "email":
			key = phrase.NotEmail
		}
		if wrong[name] == "" {
			wrong[name] = v.texts.Say(key)
		}
	}
	return wrong
}
