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
		"The path or the resource does not exist. Malformed and unknown ids and ids of other stores get the same " +
			"response."},
	{string(MethodNotAllowed), http.StatusMethodNotAllowed, free, "Method not allowed",
		"The path does not support this method. The Allow header lists the supported methods."},
	{string(fault.AuthenticationRequired), http.StatusUnauthorized, free, "Authentication required",
		"Send the credential in the header Authorization: Bearer."},
	{string(fault.InvalidToken), http.StatusUnauthorized, free, "Invalid credential",
		"The credential is malformed, unknown, revoked, expired or not allowed from the address of the client, or " +
			"more than one was sent."},
	{string(fault.InvalidRequest), http.StatusBadRequest, free, "Invalid request",
		"The request is contradictory. For example, it has a credential in the query and in the header."},
	{string(fault.RateLimited), http.StatusTooManyRequests, free, "Too many requests",
		"The rate limit of this credential or address is used up. Retry after the seconds in Retry-After."},
	{string(fault.VersionRetired), http.StatusGone, free, "Version retired",
		"This version of the API is no longer available to this integration. Use the next version."},
	{string(fault.InsufficientScope), http.StatusForbidden, free, "Missing scope",
		"The credential is valid but does not have the scope that the detail names."},
	{string(fault.Forbidden), http.StatusForbidden, free, "Forbidden",
		"The caller is not allowed to do this, whatever its scopes."},
	{string(fault.SecondFactorRequired), http.StatusForbidden, free, "Second factor required",
		"The store requires a second factor, and the caller does not have one. Set one up in the dashboard under " +
			"Security."},
	{string(fault.ProofRequired), http.StatusForbidden, free, "Reauthentication required",
		"This needs a person who confirmed their identity within the last ten minutes. Call sessionProve, then " +
			"send the request again."},
	{string(fault.RefundProofRequired), http.StatusForbidden, free, "Proof required",
		"The store lets only people refund this much of an order, after they confirm their identity. Ask one to " +
			"refund it in the dashboard, or to create a key with unlimited refunds."},
	{string(fault.InvalidParameter), http.StatusBadRequest, free, "Invalid query parameter",
		"A query parameter is unknown, repeated or has an invalid value. errors lists them."},
	{string(fault.IdempotencyKeyRequired), http.StatusBadRequest, free, "Idempotency key required",
		"Every write needs an Idempotency-Key header, so that it can be retried safely."},
	{string(fault.IdempotencyKeyInvalid), http.StatusBadRequest, free, "Invalid idempotency key",
		"An idempotency key has 1 to 255 visible ASCII characters."},
	{string(fault.IdempotencyNotSupported), http.StatusBadRequest, free, "Idempotency key not supported",
		"The response contains a secret that is not stored, so it cannot be repeated. Leave out the header."},
	{string(fault.PayloadTooLarge), http.StatusRequestEntityTooLarge, free, "Body too large",
		"The body is larger than this endpoint accepts."},
	{string(fault.AnswerTooLarge), http.StatusBadRequest, free, "Answer too large",
		"The response would exceed the size limit. Request fewer rows or fewer fields."},
	{string(UnsupportedMediaType), http.StatusUnsupportedMediaType, free, "Unsupported media type",
		"Send the body as application/json."},
	{string(RequestTimeout), http.StatusRequestTimeout, free, "Request timeout",
		"The body arrived too slowly. Send it again over a faster connection."},
	{string(fault.IdempotencyKeyReused), http.StatusConflict, free, "Idempotency key reused",
		"The key belongs to an earlier request with another method, path or body. Use a new key."},
	{string(fault.IdempotencyInProgress), http.StatusConflict, free, "Request in progress",
		"The first request with this key is still running. Retry after the seconds in Retry-After."},
	{string(fault.IdempotencyAnswerGone), http.StatusConflict, free, "Answer gone",
		"The first request with this key was executed, but its response is no longer stored, because it showed a " +
			"customer who has been redacted or was encrypted with a lost secret. Read the current state."},
	{string(fault.MalformedBody), http.StatusBadRequest, keep, "Malformed body",
		"The body is not valid JSON, or it has duplicate members, trailing data, invalid UTF-8 or deep nesting."},
	{string(fault.ValidationFailed), http.StatusUnprocessableEntity, keep, "Validation failed",
		"Members of the body are missing, unknown or have invalid values. errors lists all of them."},
	{string(fault.Conflict), http.StatusConflict, keep, "Conflict",
		"The current state of the resource does not allow this."},
	{fault.VersionMismatch, http.StatusConflict, keep, "Version mismatch",
		"The resource has changed since you read it. Read it again, then retry."},
	{fault.InvalidTransition, http.StatusConflict, keep, "Invalid transition",
		"The resource is in a state that does not allow this step."},
	{fault.CurrencyMismatch, http.StatusConflict, keep, "Currency mismatch",
		"The currency is not the store's."},
	{fault.CurrencyFixed, http.StatusConflict, keep, "Currency fixed",
		"The store has orders, so its currency cannot be changed."},
	{fault.OutOfStock, http.StatusConflict, keep, "Out of stock",
		"There is not enough stock."},
	{fault.AmountTooLarge, http.StatusConflict, keep, "Amount too large",
		"A total would exceed 9007199254740991 minor units."},
	{fault.AmountExceeded, http.StatusConflict, keep, "Amount exceeds the balance",
		"The amount exceeds what is left to pay or to refund."},
	{fault.QuantityExceeded, http.StatusConflict, keep, "Quantity exceeds the remainder",
		"The quantity exceeds what is left to fulfill or to return."},
	{fault.LimitReached, http.StatusConflict, keep, "Limit reached",
		"The store or the person has reached a limit. limit names it, and /docs/limits lists all of them."},
	{fault.RotationPending, http.StatusConflict, keep, "Rotation pending",
		"An earlier rotation is pending. Revoke one of the two keys, or promote the second secret, first."},
	{fault.ReplayPending, http.StatusConflict, keep, "Replay pending",
		"An earlier replay of the endpoint is running. Wait until it has ended."},
	{fault.SecretUnreadable, http.StatusConflict, free, "Secret unreadable",
		"The endpoint's signing secret was encrypted with a lost root secret. Rotate it and promote the new one."},
	{fault.AlreadyRevoked, http.StatusConflict, keep, "Already revoked",
		"The credential is already revoked."},
	{fault.LastOwner, http.StatusConflict, keep, "Last owner",
		"A store must have an owner. Make someone else an owner first."},
	{fault.ThemeNotReady, http.StatusConflict, keep, "Theme not ready",
		"The theme is still being processed or could not be processed."},
	{fault.ThemeActive, http.StatusConflict, keep, "Theme active",
		"The storefront uses this theme. Activate another one first."},
	{fault.HasVariants, http.StatusConflict, keep, "Has variants",
		"The product has options. Change the prices, SKU, stock and weight of its variants."},
	{fault.DiscountUsed, http.StatusConflict, keep, "Discount used",
		"Orders use the discount. Deactivate it instead of deleting it."},
	{fault.DiscountUnavailable, http.StatusConflict, keep, "Discount unavailable",
		"The discount cannot be used: it is unknown, not currently valid, or used up."},
	{fault.ThemeNotFree, http.StatusConflict, keep, "Theme not free",
		"Only free themes can be installed."},
	{fault.SecondFactorNeeded, http.StatusConflict, keep, "Second factor needed",
		"A store requires a second factor: the last one cannot be removed, and the owner who requires it needs one."},
	{string(fault.LinkInvalid), http.StatusForbidden, free, "Invalid link",
		"The download URL is not valid: it was changed or is incomplete."},
	{string(fault.LinkExpired), http.StatusForbidden, free, "Link expired",
		"The download URL has expired. Read the export again for a new one."},
	{string(fault.FileGone), http.StatusGone, free, "File gone",
		"The export's file has expired or was deleted. Start a new export."},
	{string(RangeNotSatisfiable), http.StatusRequestedRangeNotSatisfiable, free, "Range not satisfiable",
		"The range is outside the file. The Content-Range header has its size."},
	{string(fault.Unavailable), http.StatusServiceUnavailable, free, "Unavailable",
		"The service is temporarily unavailable. Retry after the seconds in Retry-After."},
	{string(fault.Internal), http.StatusInternalServerError, free, "Internal error",
		"Something failed on our side. Quote the request_id when you contact us."},
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
