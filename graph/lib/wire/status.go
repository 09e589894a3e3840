package wire

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
)

// Kinds of errors that only HTTP has. Those of the domain are in package fault.
const (
	MethodNotAllowed     fault.Kind = "method_not_allowed"
	RequestTimeout       fault.Kind = "request_timeout"
	UnsupportedMediaType fault.Kind = "unsupported_media_type"
	RangeNotSatisfiable  fault.Kind = "range_not_satisfiable"
)

// Problem is an error code that an answer can have, with its documentation.
type Problem struct {
	Code   string // stable, for programs
	Status int
	// Lasting says that a retry would fail in the same way, so the answer is stored with the
	// idempotency key (contract, section 3). Permissions and limits are checked anew each time.
	Lasting  bool
	Title    string
	Sentence string // what it means and what to do
}

// Anchor returns the fragment that a problem's type ends with.
func (k Problem) Anchor() string { return strings.ReplaceAll(k.Code, "_", "-") }

// Values of [Problem.Lasting], named for the table.
const (
	keep = true
	free = false
)

// problems is the table, in the order of the checks.
var problems = []Problem{
	{string(fault.NotFound), http.StatusNotFound, keep, "Not found",
		"There is no such path or resource here. An id that is malformed, unknown or another store's gets the " +
			"same answer."},
	{string(MethodNotAllowed), http.StatusMethodNotAllowed, free, "Method not allowed",
		"The path exists, but not with this method; the Allow header lists those it has."},
	{string(fault.AuthenticationRequired), http.StatusUnauthorized, free, "Authentication required",
		"Send the credential in the header Authorization: Bearer."},
	{string(fault.InvalidToken), http.StatusUnauthorized, free, "Invalid credential",
		"The credential is malformed, unknown, revoked or expired, not for use from the address of the client, or more than one was sent."},
	{string(fault.InvalidRequest), http.StatusBadRequest, free, "Invalid request",
		"The request contradicts itself, for example by a credential in the query beside the header."},
	{string(fault.RateLimited), http.StatusTooManyRequests, free, "Too many requests",
		"The rate of this credential or address is used up; come back after the seconds in Retry-After."},
	{string(fault.VersionRetired), http.StatusGone, free, "Version retired",
		"This version of the API is no longer served to this integration; use the successor version."},
	{string(fault.InsufficientScope), http.StatusForbidden, free, "Missing scope",
		"The credential is good but lacks the scope that the detail names."},
	{string(fault.Forbidden), http.StatusForbidden, free, "Forbidden",
		"The caller may not do this, whatever the scopes."},
	{string(fault.SecondFactorRequired), http.StatusForbidden, free, "Second factor required",
		"The store requires a second factor of its people, and the one who asks has none: set one up on the " +
			"dashboard's page Security."},
	{string(fault.ProofRequired), http.StatusForbidden, free, "Reauthentication required",
		"This needs a person who proved who they are within the last ten minutes: prove it with sessionProve, then " +
			"send the request again."},
	{string(fault.InvalidParameter), http.StatusBadRequest, free, "Invalid query parameter",
		"A query parameter is unknown here, repeated or has a bad value; errors lists them."},
	{string(fault.IdempotencyKeyRequired), http.StatusBadRequest, free, "Idempotency key required",
		"Every write needs an Idempotency-Key header, so that it can be repeated safely."},
	{string(fault.IdempotencyKeyInvalid), http.StatusBadRequest, free, "Invalid idempotency key",
		"An idempotency key is 1 to 255 visible ASCII characters."},
	{string(fault.IdempotencyNotSupported), http.StatusBadRequest, free, "Idempotency key not supported",
		"The answer shows a secret that is not kept, so it cannot be repeated; send the request without the header."},
	{string(fault.PayloadTooLarge), http.StatusRequestEntityTooLarge, free, "Body too large",
		"The body is larger than this endpoint takes."},
	{string(fault.AnswerTooLarge), http.StatusBadRequest, free, "Answer too large",
		"The answer, or the rows that it shows, would have more bytes than one answer may; ask for fewer rows or " +
			"fewer fields."},
	{string(UnsupportedMediaType), http.StatusUnsupportedMediaType, free, "Unsupported media type",
		"Send the body as application/json."},
	{string(RequestTimeout), http.StatusRequestTimeout, free, "Request timeout",
		"The body came too slowly to be waited for; send it again over a faster line."},
	{string(fault.IdempotencyKeyReused), http.StatusConflict, free, "Idempotency key reused",
		"The key belongs to an earlier request with another method, path or body; use a new key."},
	{string(fault.IdempotencyInProgress), http.StatusConflict, free, "Request in progress",
		"The first request with this key is still running; repeat it after the seconds in Retry-After."},
	{string(fault.IdempotencyAnswerGone), http.StatusConflict, free, "Answer gone",
		"The first request with this key was carried out, but its answer is not kept any more: it showed a customer " +
			"who was redacted since, or was sealed with a secret that is gone. Read what the request changed."},
	{string(fault.MalformedBody), http.StatusBadRequest, keep, "Malformed body",
		"The body is not JSON, or not unambiguous: duplicate members, trailing data, bad UTF-8 and deep nesting " +
			"are refused."},
	{string(fault.ValidationFailed), http.StatusUnprocessableEntity, keep, "Validation failed",
		"Members of the body are missing, unknown or have bad values; errors lists all of them."},
	{string(fault.Conflict), http.StatusConflict, keep, "Conflict",
		"The present state of the resource does not allow this."},
	{fault.VersionMismatch, http.StatusConflict, keep, "Version mismatch",
		"The resource has changed since it was read; read it again and decide anew."},
	{fault.InvalidTransition, http.StatusConflict, keep, "Invalid transition",
		"The resource is in a state from which this step does not lead on."},
	{fault.CurrencyMismatch, http.StatusConflict, keep, "Currency mismatch",
		"The currency is not the store's."},
	{fault.CurrencyFixed, http.StatusConflict, keep, "Currency fixed",
		"The store has taken orders; its currency stays."},
	{fault.OutOfStock, http.StatusConflict, keep, "Out of stock",
		"There are fewer pieces than asked for."},
	{fault.AmountTooLarge, http.StatusConflict, keep, "Amount too large",
		"A sum would be above 9007199254740991 minor units."},
	{fault.AmountExceeded, http.StatusConflict, keep, "Amount exceeds the balance",
		"The amount is more than is left to pay or to refund."},
	{fault.QuantityExceeded, http.StatusConflict, keep, "Quantity exceeds the remainder",
		"The quantity is more than is left to fulfil or to return."},
	{fault.LimitReached, http.StatusConflict, keep, "Limit reached",
		"The store, or the person, has as many of these as there may be; limit names which, as the page of limits does."},
	{fault.RotationPending, http.StatusConflict, keep, "Rotation pending",
		"An earlier rotation is not finished; revoke one of the two keys, or promote the second secret, first."},
	{fault.ReplayPending, http.StatusConflict, keep, "Replay pending",
		"An earlier replay of the endpoint is under way; wait until it has ended."},
	{fault.SecretUnreadable, http.StatusConflict, free, "Secret unreadable",
		"The endpoint's signing secret was sealed with a root secret that is gone; rotate it and promote the new one."},
	{fault.AlreadyRevoked, http.StatusConflict, keep, "Already revoked",
		"The credential is revoked already."},
	{fault.LastOwner, http.StatusConflict, keep, "Last owner",
		"A store always has an owner; name another one first."},
	{fault.ThemeNotReady, http.StatusConflict, keep, "Theme not ready",
		"The theme is still being processed, or could not be; only one that is ready can be shown."},
	{fault.ThemeActive, http.StatusConflict, keep, "Theme active",
		"The storefront shows this theme; activate another one first."},
	{fault.HasVariants, http.StatusConflict, keep, "Has variants",
		"The product has options: change the prices, sku, stock and weight of its variants."},
	{fault.DiscountUsed, http.StatusConflict, keep, "Discount used",
		"Orders have the discount. Switch it off instead of deleting it."},
	{fault.DiscountUnavailable, http.StatusConflict, keep, "Discount unavailable",
		"The discount cannot be used: it is unknown, not valid now, or used up."},
	{fault.ThemeNotFree, http.StatusConflict, keep, "Theme not free",
		"The theme has a price, and nothing is sold here yet; only free ones can be installed."},
	{fault.SecondFactorNeeded, http.StatusConflict, keep, "Second factor needed",
		"A store requires a second factor of its people: the last one stays, and an owner who requires it has one."},
	{string(fault.LinkInvalid), http.StatusForbidden, free, "Invalid link",
		"The address of the download is not one that was given out: a character of it was changed, or it " +
			"is not whole."},
	{string(fault.LinkExpired), http.StatusForbidden, free, "Link expired",
		"The address of the download is over; read the export again for a new one."},
	{string(fault.FileGone), http.StatusGone, free, "File gone",
		"The export's file has expired or was deleted; start a new export."},
	{string(RangeNotSatisfiable), http.StatusRequestedRangeNotSatisfiable, free, "Range not satisfiable",
		"No byte of the file is in the range; its size is in the Content-Range header."},
	{string(fault.Unavailable), http.StatusServiceUnavailable, free, "Unavailable",
		"The service cannot answer now; repeat the request after the seconds in Retry-After."},
	{string(fault.Internal), http.StatusInternalServerError, free, "Internal error",
		"Something failed on our side. The request_id leads us to the cause."},
}

// problemsByCode are the problems by code.
var problemsByCode = func() map[string]Problem {
	m := make(map[string]Problem, len(problems))
	for _, k := range problems {
		m[k.Code] = k
	}
	return m
}()

// Problems returns all documented problems, in the order of the checks.
func Problems() []Problem { return slices.Clone(problems) }

// ProblemOf returns the problem of an error. A Conflict whose code has no row of its own is a
// conflict with that code. ok is false for a kind without a row, which is a bug.
func ProblemOf(f *fault.Error) (k Problem, ok bool) {
	if f.Kind != fault.Conflict {
		if k, ok = problemsByCode[string(f.Kind)]; !ok {
			k = problemsByCode[string(fault.Internal)]
		}
		return k, ok
	}
	if k, ok = problemsByCode[f.Name()]; !ok || k.Status != http.StatusConflict {
		k = problemsByCode[string(fault.Conflict)]
		k.Code = f.Name()
	}
	return k, true
}

// StatusOf returns the HTTP status of an error.
func StatusOf(f *fault.Error) int {
	k, _ := ProblemOf(f)
	return k.Status
}

// Lasting reports whether a retry would fail in the same way.
func Lasting(f *fault.Error) bool {
	k, _ := ProblemOf(f)
	return k.Lasting
}

// RetrySeconds returns a wait as the Retry-After header (RFC 9110, section 10.2.3) and errors give
// it: in whole seconds, rounded up, at least 1, so that no client returns too early.
func RetrySeconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }
