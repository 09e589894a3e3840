// Package problem maps faults to problem details (RFC 9457): one table from
// [fault.Kind] to status and title (contract section 2), and the bytes of the
// answer. It knows nothing of requests and writes no headers.
package problem

import (
	"net/http"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
)

// Kind is one code that an answer can carry, as the documentation shows it.
type Kind struct {
	Code     string // stable machine name
	Status   int
	Title    string
	Sentence string // what it means and what to do
}

// Anchor returns the fragment that a problem's type ends with.
func (k Kind) Anchor() string { return anchor(k.Code) }

func anchor(code string) string { return strings.ReplaceAll(code, "_", "-") }

// kinds is the table, in the order of the checks.
var kinds = []Kind{
	{string(fault.NotFound), http.StatusNotFound, "Not found",
		"There is no such path or resource here. An id that is malformed, unknown or another store's gets the same answer."},
	{string(fault.MethodNotAllowed), http.StatusMethodNotAllowed, "Method not allowed",
		"The path exists, but not with this method; the Allow header lists those it has."},
	{string(fault.AuthenticationRequired), http.StatusUnauthorized, "Authentication required",
		"Send the credential in the header Authorization: Bearer."},
	{string(fault.InvalidToken), http.StatusUnauthorized, "Invalid credential",
		"The credential is malformed, unknown, revoked or expired, or more than one was sent."},
	{string(fault.InvalidRequest), http.StatusBadRequest, "Invalid request",
		"The request contradicts itself, for example by a credential in the query beside the header."},
	{string(fault.RateLimited), http.StatusTooManyRequests, "Too many requests",
		"The rate of this credential or address is used up; come back after the seconds in Retry-After."},
	{string(fault.VersionRetired), http.StatusGone, "Version retired",
		"This version of the API is no longer served to this integration; use the successor version."},
	{string(fault.InsufficientScope), http.StatusForbidden, "Missing scope",
		"The credential is good but lacks the scope that the detail names."},
	{string(fault.Forbidden), http.StatusForbidden, "Forbidden",
		"The caller may not do this, whatever the scopes."},
	{string(fault.InvalidParameter), http.StatusBadRequest, "Invalid query parameter",
		"A query parameter is unknown here, repeated or has a bad value; errors lists them."},
	{string(fault.IdempotencyKeyRequired), http.StatusBadRequest, "Idempotency key required",
		"Every write needs an Idempotency-Key header, so that it can be repeated safely."},
	{string(fault.IdempotencyKeyInvalid), http.StatusBadRequest, "Invalid idempotency key",
		"An idempotency key is 1 to 255 visible ASCII characters."},
	{string(fault.IdempotencyNotSupported), http.StatusBadRequest, "Idempotency key not supported",
		"The answer shows a secret that is not kept, so it cannot be repeated; send the request without the header."},
	{string(fault.PayloadTooLarge), http.StatusRequestEntityTooLarge, "Body too large",
		"The body is larger than this endpoint takes."},
	{string(fault.UnsupportedMediaType), http.StatusUnsupportedMediaType, "Unsupported media type",
		"Send the body as application/json."},
	{string(fault.IdempotencyKeyReused), http.StatusConflict, "Idempotency key reused",
		"The key belongs to an earlier request with another method, path or body; use a new key."},
	{string(fault.IdempotencyInProgress), http.StatusConflict, "Request in progress",
		"The first request with this key is still running; repeat it after the seconds in Retry-After."},
	{string(fault.MalformedBody), http.StatusBadRequest, "Malformed body",
		"The body is not JSON, or not unambiguous: duplicate members, trailing data, bad UTF-8 and deep nesting are refused."},
	{string(fault.ValidationFailed), http.StatusUnprocessableEntity, "Validation failed",
		"Members of the body are missing, unknown or have bad values; errors lists all of them."},
	{string(fault.Conflict), http.StatusConflict, "Conflict",
		"The present state of the resource does not allow this."},
	{fault.VersionMismatch, http.StatusConflict, "Version mismatch",
		"The resource has changed since it was read; read it again and decide anew."},
	{fault.InvalidTransition, http.StatusConflict, "Invalid transition",
		"The resource is in a state from which this step does not lead on."},
	{fault.CurrencyMismatch, http.StatusConflict, "Currency mismatch",
		"The currency is not the store's."},
	{fault.CurrencyFixed, http.StatusConflict, "Currency fixed",
		"The store has taken orders; its currency stays."},
	{fault.OutOfStock, http.StatusConflict, "Out of stock",
		"There are fewer pieces than asked for."},
	{fault.AmountTooLarge, http.StatusConflict, "Amount too large",
		"A sum would be above 9007199254740991 minor units."},
	{fault.AmountExceeded, http.StatusConflict, "Amount exceeds the balance",
		"The amount is more than is left to pay or to refund."},
	{fault.QuantityExceeded, http.StatusConflict, "Quantity exceeds the remainder",
		"The quantity is more than is left to fulfil or to return."},
	{fault.LimitReached, http.StatusConflict, "Limit reached",
		"The store has as many of these as it may have."},
	{fault.RotationPending, http.StatusConflict, "Rotation pending",
		"An earlier rotation is not finished; revoke one of the two keys, or promote the second secret, first."},
	{fault.ReplayPending, http.StatusConflict, "Replay pending",
		"An earlier replay of the endpoint is under way; wait until it has ended."},
	{fault.AlreadyRevoked, http.StatusConflict, "Already revoked",
		"The credential is revoked already."},
	{fault.LastOwner, http.StatusConflict, "Last owner",
		"A store always has an owner; name another one first."},
	{fault.ThemeNotReady, http.StatusConflict, "Theme not ready",
		"The theme is still being processed, or could not be; only one that is ready can be shown."},
	{fault.ThemeActive, http.StatusConflict, "Theme active",
		"The storefront shows this theme; activate another one first."},
	{fault.ThemeNotFree, http.StatusConflict, "Theme not free",
		"The theme has a price, and nothing is sold here yet; only free ones can be installed."},
	{string(fault.LinkInvalid), http.StatusForbidden, "Invalid link",
		"The address of the download is not one that was given out: a character of it was changed, or it is not whole."},
	{string(fault.LinkExpired), http.StatusForbidden, "Link expired",
		"The address of the download is over; read the export again for a new one."},
	{string(fault.FileGone), http.StatusGone, "File gone",
		"The export's file has expired or was deleted; start a new export."},
	{string(fault.RangeNotSatisfiable), http.StatusRequestedRangeNotSatisfiable, "Range not satisfiable",
		"No byte of the file is in the range; its size is in the Content-Range header."},
	{string(fault.Unavailable), http.StatusServiceUnavailable, "Unavailable",
		"The service cannot answer now; repeat the request after the seconds in Retry-After."},
	{string(fault.Internal), http.StatusInternalServerError, "Internal error",
		"Something failed on our side. The request_id leads us to the cause."},
}

// byCode is kinds by their code.
var byCode = func() map[string]Kind {
	m := make(map[string]Kind, len(kinds))
	for _, k := range kinds {
		m[k.Code] = k
	}
	return m
}()

// Kinds returns every code that is documented, in the order of the checks.
func Kinds() []Kind { return slices.Clone(kinds) }

// kindOf returns the row of a fault. A state fault whose code has no row of its
// own is a conflict with that code; a kind without a row is our mistake.
func kindOf(f *fault.Error) Kind {
	if f.Kind != fault.Conflict {
		k, ok := byCode[string(f.Kind)]
		if !ok {
			k = byCode[string(fault.Internal)]
		}
		return k
	}
	k, ok := byCode[f.Name()]
	if !ok || k.Status != http.StatusConflict {
		k = byCode[string(fault.Conflict)]
		k.Code = f.Name()
	}
	return k
}
