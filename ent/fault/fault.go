// Package fault is the error type whose text a caller may see.
//
// A fault has a [Kind], which determines the stable code (contract, section 2), a Detail that is
// safe to show, and a hidden cause for the log. Any other error is a bug, and its text is never
// shown. The layers above decide how to answer each kind.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is the stable machine-readable name of a fault: the `code` of contract section 2.
type Kind string

// The kinds of contract section 2. State faults have their own code and are created with [State].
const (
	NotFound                Kind = "not_found"
	AuthenticationRequired  Kind = "authentication_required"
	InvalidToken            Kind = "invalid_token"
	InvalidRequest          Kind = "invalid_request"
	RateLimited             Kind = "rate_limited"
	VersionRetired          Kind = "version_retired"
	InsufficientScope       Kind = "insufficient_scope"
	Forbidden               Kind = "forbidden"
	SecondFactorRequired    Kind = "second_factor_required"
	ProofRequired           Kind = "reauthentication_required" // the identity was confirmed too long ago
	RefundProofRequired     Kind = "proof_required"            // only a person may refund this much
	InvalidParameter        Kind = "invalid_parameter"
	IdempotencyKeyRequired  Kind = "idempotency_key_required"
	IdempotencyKeyInvalid   Kind = "idempotency_key_invalid"
	IdempotencyKeyReused    Kind = "idempotency_key_reused"
	IdempotencyInProgress   Kind = "idempotency_in_progress"
	IdempotencyAnswerGone   Kind = "idempotency_answer_gone"
	IdempotencyNotSupported Kind = "idempotency_not_supported"
	PayloadTooLarge         Kind = "payload_too_large"
	AnswerTooLarge          Kind = "answer_too_large"
	MalformedBody           Kind = "malformed_body"
	ValidationFailed        Kind = "validation_failed"
	Conflict                Kind = "conflict" // a state fault; see Code
	LinkInvalid             Kind = "link_invalid"
	LinkExpired             Kind = "link_expired"
	FileGone                Kind = "file_gone"
	Unavailable             Kind = "unavailable"
	Internal                Kind = "internal_error"
)

// Codes of a [Field] (contract, section 2).
const (
	Required      = "required"
	InvalidType   = "invalid_type"
	InvalidFormat = "invalid_format"
	TooShort      = "too_short"
	TooLong       = "too_long"
	OutOfRange    = "out_of_range"
	UnknownMember = "unknown_member"
	UnknownValue  = "unknown_value"
	Taken         = "taken"
)

// State codes: the state of a resource forbids the operation.
const (
	VersionMismatch   = "version_mismatch"
	InvalidTransition = "invalid_transition"
	CurrencyMismatch  = "currency_mismatch"
	CurrencyFixed     = "currency_fixed"
	OutOfStock        = "out_of_stock"
	HasVariants       = "has_variants"
	AmountTooLarge    = "amount_too_large"
	AmountExceeded    = "amount_exceeds_balance"
	QuantityExceeded  = "quantity_exceeds_remaining"
	LimitReached      = "limit_reached"
	RotationPending   = "rotation_pending"
	ReplayPending     = "replay_pending"
	SecretUnreadable  = "secret_unreadable"
	AlreadyRevoked    = "already_revoked"
	LastOwner         = "last_owner"
	ThemeNotReady     = "theme_not_ready"
	ThemeActive       = "theme_active"
	ThemeNotFree      = "theme_not_free"
	DiscountUsed      = "discount_used"
	// DiscountUnavailable does not say why, so that codes cannot be guessed.
	DiscountUnavailable = "discount_unavailable"
	// SecondFactorNeeded means that a store requires the factor to be removed, or one that its
	// owner lacks.
	SecondFactorNeeded = "second_factor_needed"
)

// Field is one invalid part of the input. Exactly one of Pointer, Parameter and Header is set.
type Field struct {
	Pointer   string // JSON pointer as a URI fragment, "#/price_minor"
	Parameter string // name of a query parameter
	Header    string // name of a request header
	Code      string
	Detail    string
}

// Error is an error with a public text.
type Error struct {
	Kind   Kind
	Code   string // overrides string(Kind) for a state fault
	Detail string // safe to show
	Fields []Field
	// Scope is the missing scope of an InsufficientScope fault.
	Scope string
	// Limit is the name of the limit of a LimitReached fault, as in package limit.
	Limit string
	// RetryAfter is when to retry after a RateLimited, IdempotencyInProgress or Unavailable fault.
	RetryAfter time.Duration
	// Err is the cause, for the log only.
	Err error
}

// New returns a fault with a safe detail.
func New(k Kind, detail string) *Error { return &Error{Kind: k, Detail: detail} }

// Newf returns a fault; the arguments must be safe to show.
func Newf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Detail: fmt.Sprintf(format, args...)}
}

// State returns a Conflict with its own code.
func State(code, detail string) *Error { return &Error{Kind: Conflict, Code: code, Detail: detail} }

// IsState reports whether err is a fault of [State] with the given code.
func IsState(err error, code string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == Conflict && e.Code == code
}

// AtLimit returns the Conflict for a reached limit.
func AtLimit(limit, detail string) *Error {
	return &Error{Kind: Conflict, Code: LimitReached, Detail: detail, Limit: limit}
}

// Missing returns the same fault for an unknown, a malformed and a foreign id.
func Missing(what string) *Error {
	return &Error{Kind: NotFound, Detail: "There is no such " + what + "."}
}

// Invalid returns a ValidationFailed fault with the invalid fields.
func Invalid(fields ...Field) *Error {
	return &Error{Kind: ValidationFailed, Detail: "The request has invalid members.", Fields: fields}
}

// Name returns the stable machine-readable name.
func (e *Error) Name() string {
	if e.Code != "" {
		return e.Code
	}
	return string(e.Kind)
}

// Error implements error; the text is for logs.
func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString(e.Name() + ": " + e.Detail)
	for _, f := range e.Fields {
		s.WriteString(" " + f.Pointer + f.Parameter + f.Header + "=" + f.Code)
	}
	if e.Err != nil {
		s.WriteString(": " + e.Err.Error())
	}
	return s.String()
}

// Unwrap returns the hidden cause.
func (e *Error) Unwrap() error { return e.Err }

// Wrap returns an error that says what was being done before err, or nil if err is nil.
func Wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
